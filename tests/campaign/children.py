"""Forked processes: a function runs in a copy of this one and reports its outcome by a pipe."""

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Child:
    """Fork of this process that runs `work` and reports what it returned or raised.

    Its outcome, a dict, holds "value" if `work` returned, "error" and "message" if it raised, and
    nothing if the process was killed.

    Args:
        work: run in the child; returns what JSON can hold.
        said: a file for what the child writes to standard output and error.
    """

    def __init__(self, work: Callable[[], Any], said: Path | None = None) -> None:
        self.pipe, writing = os.pipe()
        self.status: int | None = None
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid:
            os.close(writing)
            return
        try:
            os.close(self.pipe)
            _fresh(said)
            data = json.dumps(_outcome(work)).encode()
            while data:
                data = data[os.write(writing, data) :]
        finally:
            os._exit(0)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal, unless the process has ended."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def runs_for(self, seconds: float) -> bool:
        """Wait at most `seconds`; return whether the process still runs."""
        until = time.monotonic() + seconds
        while self.status is None:
            found, status = os.waitpid(self.pid, os.WNOHANG)
            if found:
                self.status = status
            elif time.monotonic() >= until:
                return True
            else:
                time.sleep(min(0.001, max(0.0, until - time.monotonic())))
        return False

    def outcome(self, time_limit: float = 60.0) -> dict[str, Any]:
        """Wait for the end and return what the process reported.

        Raises:
            TimeoutError: if it does not end in time; it is killed then.
        """
        data, until = b"", time.monotonic() + time_limit
        while True:
            ready, _, _ = select.select([self.pipe], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self.pipe, 1 << 16) if ready else b""
            data += part
            if not part:
                break
        os.close(self.pipe)
        if self.runs_for(max(0.1, until - time.monotonic())):
            self.kill()
            self.runs_for(10)
            raise TimeoutError(f"a child did not end within {time_limit:g} s")
        return json.loads(data) if data else {}


def _fresh(said: Path | None) -> None:
    """Reset signals as in a program started from a terminal, and redirect the output."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    target = os.open(said or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(target, 1)
    os.dup2(target, 2)
    os.close(target)


def _outcome(work: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"value": work()}
    except BaseException as error:
        sys.stdout.flush()
        code = error.code if isinstance(error, SystemExit) else None
        return {"error": type(error).__name__, "message": str(error), "code": code}
