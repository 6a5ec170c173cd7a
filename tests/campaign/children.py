"""Forked processes: a function runs in a copy of this one and reports its outcome by a pipe."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

FORK = multiprocessing.get_context("fork")


class Child:
    """Fork of this process that runs `work` and reports what it returned or raised."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.pipe, writing = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=_report, args=(work, writing))
        self.process.start()
        writing.close()

    def killed_after(self, seconds: float) -> bool:
        """Wait at most `seconds`, then kill the process; return whether it still ran."""
        self.process.join(seconds)
        running = self.process.is_alive()
        self.process.kill()
        return running

    def outcome(self, time_limit: float = 60.0) -> dict[str, Any]:
        """Wait for the end; return "value", or "error" and "message", or nothing if it was killed.

        Raises:
            TimeoutError: if it does not end in time; it is killed then.
        """
        try:
            if self.pipe.poll(time_limit):
                return dict(self.pipe.recv())
        except (EOFError, OSError):  # at the beginning of a report, or within
            return {}
        finally:
            self.process.kill()  # if it hangs, or this process is interrupted
            self.process.join()
            self.pipe.close()
        raise TimeoutError(f"a child did not end within {time_limit:g} s")


def _report(work: Callable[[], Any], writing: Connection) -> None:
    """Run `work` with the usual signals and without output; send its outcome."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    target = os.open(os.devnull, os.O_WRONLY)
    os.dup2(target, 1)
    os.dup2(target, 2)
    try:
        outcome = {"value": work()}
    except BaseException as error:
        outcome = {"error": type(error).__name__, "message": str(error)}
    writing.send(outcome)
    os._exit(0)  # without what this process would do at its end
