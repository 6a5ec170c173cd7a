"""External programs that answer line by line: starting, querying and killing them."""

import contextlib
import os
import re
import selectors
import shlex
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

WATCHDOG = Path(__file__).with_name("watchdog.py")
CHUNK = 4096  # bytes read at once
LONGEST_WAIT = 3600.0  # seconds of one system call, since systems limit it; waits are repeated
GRACE = 0.5  # seconds for a program to end by itself after its last line of input
LAST_WAIT = 10.0  # seconds for the watchdog to kill it
LINE_ENDS = {"LF": re.compile(rb"\n"), "LF, CR LF or CR": re.compile(rb"[\r\n]")}
FLUSH = " (does it flush its output after every line?)"


class ProgramError(ValueError):
    """Failure of a program, described in one line."""


class Program:
    """A running program; it ends on `close`, on garbage collection or when Python exits.

    `ask` writes a line and reads the answer. Where an answer may have several lines, `write` writes
    and each call of `read_line` reads the next one.

    A watchdog process kills the program and its process group even if this process is killed, for
    example by SIGKILL; see `tttenv.players.programs.watchdog`. The pipes for reading and writing
    connect this process to the program directly.

    Args:
        command: the program and its arguments, split as a shell would; no shell runs it.
        longest: maximum length of a line of its output, in bytes.
        ends: line end of its output, a key of `LINE_ENDS`.
        quit_command: the line that ends it.

    Raises:
        ProgramError: if there is no such program or it cannot be started.
    """

    def __init__(
        self, command: str, longest: int = 65_536, ends: str = "LF", quit_command: str = "quit"
    ) -> None:
        try:
            self.process, self.life = _started(shlex.split(command))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            hint = "; a script opens with a line like #!/bin/sh" if "format" in str(why) else ""
            raise ProgramError(f"cannot start {command!r}: {why}{hint}") from None
        self.longest, self.end_of_line = longest, LINE_ENDS[ends]
        self.unread, self.stderr, self.open = b"", b"", True
        self.pipes = selectors.DefaultSelector()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None  # since Popen made pipes
            os.set_blocking(pipe.fileno(), False)
            self.pipes.register(pipe, selectors.EVENT_READ)
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self.close = weakref.finalize(
            self, _end, self.process, self.pipes, self.life, os.getpid(), quit_command
        )

    def ask(self, line: str, seconds: float) -> str:
        """Write a line, and return the answer without its line ending.

        Args:
            line: without its end.
            seconds: how long that may take.

        Raises:
            ProgramError: if it takes longer, the program ends, or its output is not a line.
        """
        self._listen(0)
        if self.unread:
            raise ProgramError(f"wrote {self._shown()} before it was queried")
        self.write(f"{line}\n", seconds)
        return self.read_line()

    def available_lines(self) -> Iterator[str]:
        """Yield the complete lines that have arrived, as `read_line` returns them, without waiting.

        Raises:
            ProgramError: if its output is not a line.
        """
        while True:
            while self.end_of_line.search(self.unread):
                yield self.read_line()
            before = len(self.unread)
            self._listen(0)
            if len(self.unread) == before or before > self.longest:
                return

    def write(self, lines: str, seconds: float) -> None:
        """Write lines, and start the clock for the program to read and answer them.

        Args:
            lines: each with its end.
            seconds: how long the writing and all following calls of `read_line` may take together.

        Raises:
            ProgramError: if the writing takes longer, or the program ends.
        """
        self.limit, self.deadline = seconds, monotonic() + seconds
        self._write(lines.encode())

    def read_line(self) -> str:
        """Return the next line of output, without its line ending and surrounding spaces.

        Raises:
            ProgramError: if the time limit is reached, the program ends, or its output is no line.
        """
        while (end := self.end_of_line.search(self.unread)) is None:
            self._wait(self.limit)
        answer, self.unread = self.unread[: end.start()], self.unread[end.end() :]
        if len(answer) > self.longest:
            raise ProgramError(f"answered with a line of more than {self.longest} bytes")
        return answer.decode(errors="replace").strip()

    def kill(self) -> None:
        """Kill the program and its process group immediately."""
        if self.close.alive:
            _kill(self.life)
        self.close()

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        while data:
            try:
                data = data[os.write(self.process.stdin.fileno(), data) :]
            except BlockingIOError:  # its input is full: it may be writing
                self._wait(0.01)
            except BrokenPipeError:
                raise ProgramError(self._ended("closed its input")) from None

    def _wait(self, seconds: float) -> None:
        """Wait at most `seconds` for output.

        Raises:
            ProgramError: if the time limit is reached, it has ended or its line is too long.
        """
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
        """Read output, waiting at most `seconds` for the first byte."""
        for key, _ in self.pipes.select(min(seconds, LONGEST_WAIT)):
            data = os.read(key.fd, CHUNK)
            if not data:
                self.pipes.unregister(key.fileobj)
            if key.fileobj is not self.process.stdout:
                self.stderr = (self.stderr + data)[-4096:]
            elif data:
                self.unread += data
            else:
                self.open = False

    def _ended(self, closed: str) -> str:
        """Describe how the program ended, with the last line of its standard error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)
        with contextlib.suppress(OSError):
            self._listen(0)
        status = self.process.returncode
        last = self.stderr.decode(errors="replace").strip().splitlines()[-1:]
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
    """Start a program under a watchdog; return its process and the pipe that, when closed, ends it.

    Raises:
        OSError: if the program cannot be started.
    """
    life_in, life_pipe = os.pipe()
    status_in, status_out = os.pipe()
    try:
        numbers = map(str, (life_in, status_out, os.getpid()))
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(WATCHDOG), *numbers, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=(life_in, status_out),
            start_new_session=True,  # keys pressed at our terminal are not meant for it
        )
    except BaseException:
        os.close(life_pipe)
        os.close(status_in)
        raise
    finally:
        os.close(life_in)
        os.close(status_out)
    try:
        with os.fdopen(status_in, "rb") as stream:
            status_text = stream.read()  # ends once the program runs
        if status_text != b"+":
            number = int(status_text.removeprefix(b"+") or 0)
            raise OSError(number, os.strerror(number) if number else "its watchdog does not run")
    except BaseException:  # an interrupt too
        os.close(life_pipe)
        with process:  # closes its pipes
            process.wait()
        raise
    return process, life_pipe


def _end(
    process: "subprocess.Popen[bytes]",
    pipes: selectors.BaseSelector,
    life_pipe: int,
    owner: int,
    quit_command: str,
) -> None:
    """Write the quit command, wait `GRACE` seconds, kill the process group, close all pipes."""
    pipes.close()
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    ours = os.getpid() == owner  # False in a forked copy of the process that started it
    if ours:
        with contextlib.suppress(OSError):
            os.write(process.stdin.fileno(), f"{quit_command}\n".encode())
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    if ours:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        _kill(life_pipe)
        try:
            process.wait(LAST_WAIT)
        except subprocess.TimeoutExpired:  # the watchdog was stopped by a signal
            process.kill()
            process.wait()
    os.close(life_pipe)


def _kill(life_pipe: int) -> None:
    """Make the watchdog, if it still runs, kill the program's process group."""
    with contextlib.suppress(OSError):
        os.write(life_pipe, b"-")


def _name(number: int) -> str:
    """Return a signal's name, or its number if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
