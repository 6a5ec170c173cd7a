"""A program that answers a line by a line: started, asked within a time limit, and surely ended."""

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import sys
import weakref
from pathlib import Path
from time import monotonic

KEEPER = Path(__file__).with_name("keeper.py")
CHUNK = 4096  # bytes read at once
LONGEST_WAIT = 3600.0  # seconds, since systems know a longest one; who waits, waits again
GRACE = 0.5  # seconds that a program may take to end once it should
LAST_WAIT = 10.0  # seconds that the keeper may take to kill it
FLUSH = " (does it flush its output after every line?)"


class ProgramError(ValueError):
    """What a program did wrong, in one line."""


class Program:
    """A running program, asked by `ask`; it ends with `close`, with this object, or with Python.

    Between it and us stands a keeper, which ends it with all that it started also where we end
    without a word, as by SIGKILL; see `tttenv.opponents.keeper`. What it writes and reads passes
    through pipes that lead from here to the program itself.

    Args:
        command: the program and its arguments, split as a shell would; no shell runs it.
        longest: bytes that a line of its output may have.

    Raises:
        ProgramError: if there is no such program or it cannot be started.
    """

    def __init__(self, command: str, longest: int = 65_536) -> None:
        try:
            self.process, self.life = _started(shlex.split(command))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            hint = "; a script opens with a line like #!/bin/sh" if "format" in str(why) else ""
            raise ProgramError(f"cannot start {command!r}: {why}{hint}") from None
        self.longest = longest
        self.unread, self.complaint, self.open = b"", b"", True
        self.pipes = selectors.DefaultSelector()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None  # Popen was told so
            os.set_blocking(pipe.fileno(), False)
            self.pipes.register(pipe, selectors.EVENT_READ)
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self.close = weakref.finalize(self, _end, self.process, self.pipes, self.life, os.getpid())

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
        if len(answer) > self.longest:
            raise ProgramError(f"answered with a line of more than {self.longest} bytes")
        return answer.decode(errors="replace").strip()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        if self.close.alive:
            _kill(self.life)
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
        if len(self.unread) > self.longest:
            raise ProgramError(f"wrote more than {self.longest} bytes without an end of line")
        if left <= 0:
            half = f"; it wrote {self._shown()} without an end of line" if self.unread else FLUSH
            raise ProgramError(f"did not answer within {self.limit:g} s{half}")
        self._listen(min(left, seconds))

    def _listen(self, seconds: float) -> None:
        """Take in what it writes, waiting at most so long for the first of it."""
        for key, _ in self.pipes.select(min(seconds, LONGEST_WAIT)):
            data = os.read(key.fd, CHUNK)
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
            return f"was killed by {_name(-status)}{half}{said}"
        return f"ended with exit status {status}{half}{said}"

    def _shown(self) -> str:
        return repr(self.unread[:30].decode(errors="replace").strip())


def _started(command: list[str]) -> "tuple[subprocess.Popen[bytes], int]":
    """The keeper of a program that runs, and the file by which it is told to end the program.

    Raises:
        OSError: if the program cannot be started.
    """
    alive, life = os.pipe()
    news, tell = os.pipe()
    try:
        numbers = map(str, (alive, tell, os.getpid()))
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(KEEPER), *numbers, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=(alive, tell),
            start_new_session=True,  # keys pressed at our terminal are not meant for it
        )
    except BaseException:
        os.close(life)
        os.close(news)
        raise
    finally:
        os.close(alive)
        os.close(tell)
    try:
        with os.fdopen(news, "rb") as stream:
            told = stream.read()  # ends once the program runs
        if told != b"+":
            number = int(told.removeprefix(b"+") or 0)
            raise OSError(number, os.strerror(number) if number else "its keeper does not run")
    except BaseException:  # an interrupt too
        os.close(life)
        with process:  # closes its pipes
            process.wait()
        raise
    return process, life


def _end(
    process: "subprocess.Popen[bytes]", pipes: selectors.BaseSelector, life: int, owner: int
) -> None:
    """Say quit, wait a moment, kill it with all that it started, and leave nothing behind."""
    pipes.close()
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    ours = os.getpid() == owner  # and not a copy of that process
    if ours:
        with contextlib.suppress(OSError):
            os.write(process.stdin.fileno(), b"quit\n")
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    if ours:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        _kill(life)
        try:
            process.wait(LAST_WAIT)
        except subprocess.TimeoutExpired:  # somebody stopped the keeper
            process.kill()
            process.wait()
    os.close(life)


def _kill(life: int) -> None:
    """Tell the keeper to kill the program with all that it started, if both still run."""
    with contextlib.suppress(OSError):
        os.write(life, b"-")


def _name(number: int) -> str:
    """A signal's name, or its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
