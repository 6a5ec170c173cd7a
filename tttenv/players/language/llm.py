"""Players that query a language model, through an OpenAI-compatible chat server or in this process.

    llm:url=http://127.0.0.1:8000/v1,model=NAME,notation=moves,concurrency=4
    hf:path=models/some-0.5b,notation=coordinates,tokens=256

Each position is one prompt of `tttenv.text.prompt`, sent unchanged as the only message;
`tttenv.text.parse` reads the move from the answer. An answer without a legal move, or one that was
cut off by its `finish_reason`, forfeits the game, and is counted.

Certificates need temperature 0, and reject a model that does not repeat its moves. The API key
comes from the environment variable OPENAI_API_KEY; if there is one, messages do not repeat what the
server says, which may hold it.
"""

import contextlib
import importlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.players.digests import folder_digest
from tttenv.players.language.answers import Parsed, parse
from tttenv.players.language.prompts import prompt
from tttenv.policy import Player, Traits
from tttenv.utils import files
from tttenv.utils.arrays import integers_from
from tttenv.utils.threads import in_threads
from tttenv.utils.untrusted import first_line, read_bytes, shown

Notation = Literal["grid", "coordinates", "moves"]
MOST_AT_ONCE = 256
LARGEST_ANSWER = 4_000_000  # bytes of a response, and of a cached answer
LONGEST_REASON = 300  # maximum characters of a server's error in a message
NO_KEY = "none"  # local servers need no key, but the client requires some text
Ask = Callable[[str], str | None]  # from a prompt to the model's answer; None: it was cut off
# What reading a server's reply raises if it is no chat completion, or no JSON:
UNUSABLE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


def llm(
    rules: Rules,
    url: str = "http://127.0.0.1:8000/v1",
    model: str = "",
    notation: Notation = "grid",
    temperature: float = 0.0,
    concurrency: int = 16,
    timeout: float = 120.0,
    retries: int = 3,
    tokens: int = 0,
    cache: str = "",
) -> "LanguageModel":
    """Return a player that queries a language model on a server.

    Args:
        rules: the game.
        url: the server's address, up to and including /v1.
        model: the model's name on the server.
        notation: how positions are described: grid, coordinates or moves.
        temperature: the sampling temperature; the player can be certified only at 0.
        concurrency: the number of requests at the same time.
        timeout: seconds to wait for an answer, repeated requests included.
        retries: the number of times a failed request is repeated.
        tokens: the maximum length of an answer; 0: the server's.
        cache: a folder that stores answers, reused for the first query of each board in later
            runs.

    Raises:
        ValueError: for an address or a number that is refused; when queried, if the server fails.
    """
    if not model:
        raise ValueError(
            "llm needs a server and a model: llm:url=http://127.0.0.1:8000/v1,model=NAME"
        )
    if set("@?#") & set(url):
        raise ValueError(
            "a server's address must not hold a user, a password or a query, which certificates and"
            " messages would repeat: put a key into OPENAI_API_KEY"
        )
    integers_from(1, concurrency=concurrency)
    integers_from(0, retries=retries, tokens=tokens)
    if concurrency > MOST_AT_ONCE:
        raise ValueError(f"concurrency must be at most {MOST_AT_ONCE}, not {concurrency}")
    if not 0 <= temperature <= 2:
        raise ValueError(f"the temperature must be a number from 0 to 2, not {temperature}")
    if not 0 < timeout < float("inf"):
        raise ValueError(f"the timeout must be a positive number of seconds, not {timeout}")
    settings: dict[str, Any] = {"model": model, "temperature": temperature}
    if tokens:
        settings["max_tokens"] = tokens
    ask = _Server(url, settings, timeout, retries)
    return LanguageModel(rules, ask, {"url": url, **settings}, notation, concurrency, cache)


def hf(
    rules: Rules,
    path: str = "",
    notation: Notation = "grid",
    tokens: int = 64,
    cache: str = "",
) -> "LanguageModel":
    """Return a player that queries the language model in a folder, in this process.

    It decodes greedily, one prompt at a time, so that its answer is a function of the board.

    Args:
        rules: the game.
        path: a folder written by transformers' `save_pretrained`, with the model as safetensors
            and its tokenizer. None of its code is run, and nothing is downloaded.
        notation: as of `llm`.
        tokens: the maximum length of an answer; one that has not ended by then is no answer.
        cache: as of `llm`.

    Raises:
        ValueError: for a folder without such a model; when queried, if the model fails.
    """
    if not path:
        raise ValueError("hf needs the folder of a language model: hf:path=FOLDER")
    integers_from(1, tokens=tokens)
    adapter: Any = importlib.import_module("tttenv.adapters.transformers")
    answers = adapter.Answers(Path(path), tokens)
    digest = folder_digest(Path(path))
    settings = {"model": Path(path).name, "files_sha256": digest, "max_tokens": tokens}
    return LanguageModel(rules, answers, {**settings, "temperature": 0.0}, notation, 1, cache)


class LanguageModel(Player):
    """Player that queries a language model for its moves.

    Args:
        rules: the game.
        ask: from a prompt to the model's answer, or None if the answer was cut off.
        settings: the server's address, the model's name and how it samples.
        notation, concurrency, cache: as in `llm`.
    """

    def __init__(
        self,
        rules: Rules,
        ask: Ask,
        settings: dict[str, Any],
        notation: str = "grid",
        concurrency: int = 1,
        cache: str = "",
    ) -> None:
        limit = "sampling" if settings.get("temperature") else None
        traits = Traits(depends_on=limit, searches=True, alone=True, forfeits=True, costly=True)
        super().__init__(rules, traits)
        self.ask, self.settings, self.notation = ask, settings, notation
        self.concurrency, self.cache = concurrency, Path(cache) if cache else None
        self.prompts = 0  # that were sent
        self.illegal: dict[str, str] = {}  # positions without a legal answer, with the reason
        self._seen: set[str] = set()  # positions, as `Rules.format` writes them

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards of that shape; zeros are forfeits."""
        different = {self.rules.format(board): board for board in boards}
        found = in_threads(self._answer, list(different.items()), self.concurrency)
        cells = {}
        for (position, board), (answer, sent) in zip(different.items(), found, strict=True):
            parsed = Parsed(None, "cut off") if answer is None else parse(self.rules, board, answer)
            if parsed.cell is None:
                self.illegal[position] = parsed.reason
            cells[position] = parsed.cell
            self.prompts += sent
            self._seen.add(position)
        probs = np.zeros(boards.shape)
        for row, board in enumerate(boards):
            if (cell := cells[self.rules.format(board)]) is not None:
                probs[row, cell] = 1.0
        return probs

    def particulars(self) -> dict[str, Any]:
        """Return the model with its settings, the prompts, and positions without a legal move."""
        first = prompt(self.rules, self.rules.start(), self.notation)
        about = {"notation": self.notation, "prompt_sha256": sha256(first.encode()).hexdigest()}
        illegal = {
            "share": len(self.illegal) / max(1, len(self._seen)),
            "reasons": dict(Counter(self.illegal.values()).most_common()),
            "boards": sorted(self.illegal),
        }
        return {"model": self.settings | about, "prompts": self.prompts, "illegal": illegal}

    def summary(self) -> str:
        """Return a sentence with the numbers of prompts and of positions without an answer."""
        reasons = Counter(self.illegal.values()).most_common()
        named = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
        share = f"{len(self.illegal):,} of {len(self._seen):,} positions without a legal answer"
        return f"{self.prompts:,} prompts; {share}{f': {named}' if named else ''}"

    def _answer(self, position: str, board: Boards) -> tuple[str | None, bool]:
        """Return the model's answer on a board, and whether a prompt was sent for it."""
        message = prompt(self.rules, board, self.notation)
        key = json.dumps([self.settings, message], sort_keys=True).encode()
        file = self.cache and self.cache / f"{sha256(key).hexdigest()}.json"
        if file is not None and position not in self._seen:  # repeated queries are checks
            with contextlib.suppress(OSError, *UNUSABLE):
                answer = json.loads(read_bytes(file, LARGEST_ANSWER))["whole answer"]
                if isinstance(answer, str | None):
                    return answer, False
        answer = self.ask(message)
        if file is not None:
            files.write(file, json.dumps({"prompt": message, "whole answer": answer}))
        return answer, True


class _RefusedError(ValueError):
    """A response that breaks a limit; its message has no word of the server."""


class _Server:
    """Client for a model on an OpenAI-compatible chat server."""

    def __init__(self, url: str, settings: dict[str, Any], timeout: float, retries: int) -> None:
        import openai

        self.url, self.settings, self.errors = url, settings, openai.OpenAIError
        self.timeout, self.retries = timeout, retries
        self.key = os.environ.get("OPENAI_API_KEY", "").strip() or NO_KEY
        if not (self.key.isascii() and self.key.isprintable()):  # a message would quote it escaped
            raise ValueError("OPENAI_API_KEY must consist of printable ASCII characters")
        try:
            self.client = openai.OpenAI(
                base_url=url,
                api_key=self.key,
                timeout=timeout,
                max_retries=retries,
                default_headers={"Accept-Encoding": "identity"},
                http_client=openai.DefaultHttpxClient(event_hooks={"response": [self._bound]}),
            )
        except Exception as error:  # of the HTTP library, whose classes depend on the version
            reason = shown(first_line(error), LONGEST_REASON)
            raise ValueError(f"{shown(url)} is not a server's address: {reason}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling, without the connections and the key."""
        return _Server, (self.url, self.settings, self.timeout, self.retries)

    def __call__(self, prompt: str) -> str | None:
        """Return the answer to a prompt, an empty string if it has no text, or None if cut off."""
        messages: Any = [{"role": "user", "content": prompt}]
        try:
            ask = partial(self.client.chat.completions.create, messages=messages, **self.settings)
            ((choice, *_),) = in_threads(lambda: ask().choices, [()], 1, self.timeout)
            answer = str(choice.message.content or "")
            whole = choice.finish_reason in ("stop", None)  # some servers do not say
            return answer if whole else None
        except (self.errors, OSError, *UNUSABLE) as error:
            reason = self._reason(error)
            raise ValueError(f"the server at {shown(self.url)} failed: {reason}") from None

    def _bound(self, response: Any) -> None:
        """Bound the size and the time of a response."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise _RefusedError("it compresses its answer, which was not requested")
        library = importlib.import_module(type(response).__module__.partition(".")[0])
        stream, until = response.stream, time.monotonic() + self.timeout

        class Bounded(library.SyncByteStream):  # type: ignore[misc,name-defined]  # httpx2 or httpx
            def __iter__(self) -> Iterator[bytes]:
                size = 0
                for chunk in stream:
                    size += len(chunk)
                    if size > LARGEST_ANSWER:
                        raise _RefusedError(f"it sends more than {LARGEST_ANSWER:,} bytes")
                    if time.monotonic() > until:
                        raise _RefusedError("it is too slow")
                    yield chunk

            def close(self) -> None:
                stream.close()

        response.stream = Bounded()

    def _reason(self, error: Exception) -> str:
        """Describe an error, without the server's words if they may hold the key in any form."""
        cause = error.__cause__  # the client's own message is "Connection error."
        for known in (error, cause):
            if isinstance(known, _RefusedError | TimeoutError):
                return str(known)
        if self.key != NO_KEY:
            status = getattr(error, "status_code", None)
            return f"status {status}" if status else type(cause or error).__name__
        line = first_line(error) + (f" {first_line(cause)}" if cause else "")
        return shown(line, LONGEST_REASON)
