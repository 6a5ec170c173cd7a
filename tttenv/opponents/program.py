"""A program that answers a line by a line: started, asked within a time limit, and surely ended."""

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import weakref
from time import monotonic

LONGEST = 65_536  # bytes an answer may have
LONGEST_WAIT = 3600.0  # seconds, since systems know a longest one; who waits, waits again
GRACE = 0.5  # seconds that a program may take to end once it should
FLUSH = " (does it flush its output after every line?)"


class ProgramError(ValueError):
    """What a program did wrong, in one line."""


class Program:
    """A running program, asked by `ask`; it ends with `close`, with this object, or with Python.

    Args:
        command: the program and its arguments, split as a shell would; no shell runs it.

    Raises:
        ProgramError: if there is no such program or it cannot be started.
    """

    def __init__(self, command: str) -> None:
        try:
            self.process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a group of its own: it ends with all that it started
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            hint = "; a script opens with a line like #!/bin/sh" if "format" in str(why) else ""
            raise ProgramError(f"cannot start {command!r}: {why}{hint}") from None
        self.unread, self.complaint, self.open = b"", b"", True
        self.pipes = selectors.DefaultSelector()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None  # Popen was told so
            os.set_blocking(pipe.fileno(), False)
            self.pipes.register(pipe, selectors.EVENT_READ)
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self.close = weakref.finalize(self, _end, self.process, self.pipes, os.getpid())

    def ask(self, line: str, seconds: float) -> str:
        """Write a line and read one, without its end.

        Raises:
            ProgramError: if that takes longer, the program ends, or what it writes is no line.
        """
        self.limit, self.deadline = seconds, monotonic() + seconds
        self._listen(0)
        if self.unread:
            raise ProgramError(f"wrote {self._shown()} before it was asked")
        self._write(f"{line}\n".encode())
        while b"\n" not in self.unread:
            self._wait(seconds)
        answer, _, self.unread = self.unread.partition(b"\n")
        return answer.decode(errors="replace").strip()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        _kill(self.process)
        self.close()

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        while data:
            try:
                data = data[os.write(self.process.stdin.fileno(), data) :]
            except BlockingIOError:  # it does not read: it may be busy writing
                self._wait(0.01)
            except BrokenPipeError:
                raise ProgramError(self._ended("closed its input")) from None

    def _wait(self, seconds: float) -> None:
        """Listen for so long, unless its time is up, it has ended or it never stops talking."""
        left = self.deadline - monotonic()
        if not self.open or (left <= 0 and self.process.poll() is not None):
            raise ProgramError(self._ended("closed its output"))
        if len(self.unread) > LONGEST:
            raise ProgramError(f"wrote more than {LONGEST} bytes without an end of line")
        if left <= 0:
            half = f"; it wrote {self._shown()} without an end of line" if self.unread else FLUSH
            raise ProgramError(f"did not answer within {self.limit:g} s{half}")
        self._listen(min(left, seconds))

    def _listen(self, seconds: float) -> None:
        """Take in what it writes, waiting at most so long for the first of it."""
        for key, _ in self.pipes.select(min(seconds, LONGEST_WAIT)):
            data = os.read(key.fd, LONGEST)
            if not data:
                self.pipes.unregister(key.fileobj)
            if key.fileobj is not self.process.stdout:
                self.complaint = (self.complaint + data)[-4096:]
            elif data:
                self.unread += data
            else:
                self.open = False

    def _ended(self, closed: str) -> str:
        """How it ended, and its last complaint."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)
        with contextlib.suppress(OSError):
            self._listen(0)
        status = self.process.returncode
        last = self.complaint.decode(errors="replace").strip().splitlines()[-1:]
        said = f", saying {last[0][:200]!r}" if last else ""
        half = f" in the middle of the line {self._shown()}" if self.unread else ""
        if status is None:
            return f"{closed}{half}{said}"
        if status < 0:
            return f"was killed by {signal.Signals(-status).name}{half}{said}"
        return f"ended with exit status {status}{half}{said}"

    def _shown(self) -> str:
        return repr(self.unread[:30].decode(errors="replace").strip())


def _end(process: "subprocess.Popen[bytes]", pipes: selectors.BaseSelector, owner: int) -> None:
    """Say quit, wait a moment, kill it with all that it started, and leave nothing behind."""
    pipes.close()
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    if os.getpid() == owner:  # and not a copy of that process
        with contextlib.suppress(OSError):
            os.write(process.stdin.fileno(), b"quit\n")
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    if os.getpid() != owner:
        return
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    _kill(process)
    process.wait()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
