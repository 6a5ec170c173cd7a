"""Loopback server that implements the parts of the Hub's HTTP API for pushing and pulling.

A test makes it hostile by `server.hostile[part of a path] = function(handler) -> answered or not`.
"""

import base64
import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

TOKEN = "hf_PlantedTokenThatMustNotBeSeen"


class Hub(ThreadingHTTPServer):
    """Repositories in memory: `files` by repository and name; every request is in `requests`."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.objects, self.commits = {}, {}, {}
        self.requests, self.hostile = [], {}
        self.large = ()  # names that are uploaded as large files, in a request of their own
        self.elsewhere = None  # address of another server, from which large files are downloaded
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """Print nothing about connections that a client closes."""


class Handler(BaseHTTPRequestHandler):
    """Handler of one connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Print nothing."""

    def answer(self, content, status=200, **headers):
        """Send an answer, as JSON unless it is bytes."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(raw), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(raw)

    def handle_any(self):
        """Answer a request of any method."""
        length = int(self.headers.get("Content-Length") or 0)
        self.sent = self.rfile.read(length)
        self.place = urlsplit(self.path)
        seen = {"path": self.path, "token": self.headers["Authorization"]}
        self.server.requests.append(seen)
        for part, act in self.server.hostile.items():
            if part in f"{self.command} {self.path}":
                return act(self)
        return self.usual(self.place.path.strip("/").split("/"))

    def __getattr__(self, name):
        """Return `handle_any` for all methods: `do_GET` and so on."""
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def usual(self, parts):
        """Answer as the Hub does."""
        match (self.command, *parts):
            case ("POST", "api", "repos", "create"):
                asked = json.loads(self.sent)
                repo = f"{asked['organization']}/{asked['name']}"
                status = 409 if repo in self.server.files else 200
                self.server.files.setdefault(repo, {})
                return self.answer({"url": f"{self.server.url}/{repo}"}, status)
            case ("POST", "api", "validate-yaml"):
                return self.answer({"warnings": [], "errors": []})
            case ("GET", "api", "models", owner, name, "revision", revision):
                return self.info(f"{owner}/{name}", unquote(revision))
            case ("GET", "api", "models", owner, name, "tree", *_):
                files = self.server.files[f"{owner}/{name}"]
                return self.answer(
                    [
                        {"type": "file", "path": path, "size": len(data), "oid": "0" * 40}
                        for path, data in files.items()
                    ]
                )
            case ("POST", "api", "models", _, _, "preupload", "main"):
                modes = [
                    {
                        "path": file["path"],
                        "uploadMode": "lfs" if file["path"] in self.server.large else "regular",
                        "shouldIgnore": False,
                    }
                    for file in json.loads(self.sent)["files"]
                ]
                return self.answer({"files": modes})
            case ("POST", _, _, "info", "lfs", "objects", "batch"):
                found = [
                    {**one, "actions": {"upload": {"href": f"{self.server.url}/put/{one['oid']}"}}}
                    for one in json.loads(self.sent)["objects"]
                ]
                return self.answer({"objects": found, "transfer": "basic"})
            case ("PUT", "put", oid):
                assert hashlib.sha256(self.sent).hexdigest() == oid
                self.server.objects[oid] = self.sent
                return self.answer(b"")
            case ("POST", "api", "models", owner, name, "commit", "main"):
                return self.commit(f"{owner}/{name}")
            case ("GET", owner, name, "resolve", commit, file):
                assert self.server.commits[commit] == f"{owner}/{name}"
                data = self.server.files[f"{owner}/{name}"].get(unquote(file))
                if data is None:
                    return self.answer({"error": "no entry"}, 404)
                if self.server.elsewhere and file != "card.json":
                    where = f"{self.server.elsewhere}/stored/{hashlib.sha256(data).hexdigest()}"
                    return self.answer(b"", 302, Location=where)
                return self.answer(data)
            case ("GET", "stored", oid):
                return self.answer(self.server.objects[oid])
        return self.answer({"error": "Repository not found"}, 404)

    def info(self, repo, revision):
        """Return the contents of a repository."""
        files = self.server.files.get(repo)
        if files is None or revision not in ("main", "v1"):
            return self.answer({"error": "Repository not found"}, 401)
        commit = commit_of(files)
        self.server.commits[commit] = repo
        listed = [{"rfilename": path, "size": len(data)} for path, data in files.items()]
        return self.answer({"id": repo, "sha": commit, "siblings": listed})

    def commit(self, repo):
        """Store the files of a commit."""
        files = dict(self.server.files[repo])
        for line in self.sent.splitlines():
            change = json.loads(line)
            value = change["value"]
            if change["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif change["key"] == "lfsFile":
                files[value["path"]] = self.server.objects[value["oid"]]
            elif change["key"] == "deletedFile":
                del files[value["path"]]
        self.server.files[repo] = files
        commit = commit_of(files)
        self.server.commits[commit] = repo
        url = f"{self.server.url}/{repo}/commit/{commit}"
        return self.answer({"success": True, "commitOid": commit, "commitUrl": url})


def commit_of(files):
    """Return a name for the state of a repository."""
    whole = json.dumps({name: hashlib.sha256(data).hexdigest() for name, data in files.items()})
    return hashlib.sha1(whole.encode()).hexdigest()


@contextlib.contextmanager
def serving():
    """Serve an empty Hub, and yield the server."""
    with Hub() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
