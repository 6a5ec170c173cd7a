"""Loopback server with OpenAI's chat completions, whose answers come from a function."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tttenv import text
from tttenv.exact import positions, solve


class Server(ThreadingHTTPServer):
    """Server that many clients may call at once."""

    request_queue_size = 512
    daemon_threads = True


def boards_of(rules, notation="grid"):
    """Return all undecided positions of a game by their prompts."""
    game = positions(rules)
    return {text.prompt(rules, board, notation): board for board in game.boards[game.decisions]}


def perfect(rules, notation="grid"):
    """Return an answer to every prompt of a game: the first of the best moves."""
    solution, known = solve(rules), boards_of(rules, notation)
    best = solution.fastest[solution.positions.index(list(known.values()))].argmax(axis=1)
    answers = {prompt: f"<move>{cell}</move>" for prompt, cell in zip(known, best, strict=True)}
    return answers.__getitem__


@contextlib.contextmanager
def serving(answer, delay=0.0, status=200, key=None, raw=None, finish="stop", drip=0.0):
    """Serve the function `answer`, from prompts to texts, and yield the URL and the requests.

    Args:
        answer: returns the content of the message; None: null.
        delay: seconds before each answer.
        status: of the HTTP response; other than 200, `answer` is the error's message.
        key: that a request has to bear.
        raw: the body of every response, instead of a chat completion.
        finish: the reason why the answer ends.
        drip: seconds after each byte of a response and its headers.
    """
    requests = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections stay open

        def do_POST(self):  # called by this name
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({"path": self.path, **sent})
            assert key is None or self.headers["Authorization"] == f"Bearer {key}"
            time.sleep(delay)
            said = answer(sent["messages"][-1]["content"])
            found = {"error": {"message": said, "type": "wrong"}}
            if status == 200:
                message = {"role": "assistant", "content": said}
                choice = {"index": 0, "message": message, "finish_reason": finish}
                found = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
                found["choices"] = [choice]
            body, kind = json.dumps(found).encode(), "application/json"
            if status == 200 and sent.get("stream"):  # at once, in two events
                found["object"] = "chat.completion.chunk"
                found["choices"] = [{"index": 0, "delta": message, "finish_reason": finish}]
                body, kind = b"data: " + json.dumps(found).encode(), "text/event-stream"
                body += b"\n\ndata: [DONE]\n\n"
            body = body if raw is None else raw.encode()
            if drip:
                for byte in b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body):
                    self.wfile.write(bytes([byte]))
                    time.sleep(drip)
                return
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Print nothing."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
