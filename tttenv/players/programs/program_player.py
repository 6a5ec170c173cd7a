"""Programs that answer line by line: starting, querying and killing them, and players of them.

A player queries its program once per board and caches the answers. `external` sends the messages of
our own protocol, `gomocup` those that many engines know.
"""

import contextlib
import os
import re
import selectors
import shlex
import signal
import subprocess
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import numpy as np

from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Probs
from tttenv.policy import Player, Traits
from tttenv.utils.arrays import one_at_a_time

CHUNK = 4096  # bytes read at once
LONGEST_WAIT = 3600.0  # seconds of one system call, since systems limit it; waits are repeated
GRACE = 0.5  # seconds for a program to end by itself after its last line of input
GUARD = ["/bin/sh", "-c", "read line; kill -9 0"]  # kills its process group at the end of its input
FLUSH = " (does it flush its output after every line?)"
MOST_ANSWERS = 4_000_000  # that are cached: a gigabyte


class ProgramError(ValueError):
    """Failure of a program, described in one line."""


class Program:
    """A running program; it ends on `close`, on garbage collection or when Python exits.

    `write` writes lines, and each call of `read_line` reads the next line of the answer.

    The program runs in the process group of a shell that waits for the end of its input. That comes
    when this process ends, even by SIGKILL, and the shell kills the group.

    Args:
        command: the program and its arguments, split as a shell would, but no shell runs it.
        longest: maximum bytes of a line of output.
        ends: the pattern of its line ends.
        quit_command: the line of input that ends it.

    Raises:
        ProgramError: if it cannot be started.
    """

    def __init__(
        self, command: str, longest: int, ends: bytes = rb"\n", quit_command: str = "quit"
    ) -> None:
        try:
            self.process, self.guard = _started(shlex.split(command))
        except (OSError, ValueError, IndexError) as error:
            why = getattr(error, "strerror", None) or error
            hint = "; a script opens with a line like #!/bin/sh" if "format" in str(why) else ""
            raise ProgramError(f"cannot start {command!r}: {why}{hint}") from None
        self.longest, self.end_of_line = longest, re.compile(ends)
        self.unread, self.stderr, self.open = b"", b"", True
        self.pipes = selectors.DefaultSelector()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            os.set_blocking(pipe.fileno(), False)
            if pipe is not self.process.stdin:
                self.pipes.register(pipe, selectors.EVENT_READ)
        self.close = weakref.finalize(
            self, _end, self.process, self.guard, self.pipes, os.getpid(), quit_command
        )

    def available_lines(self) -> Iterator[str]:
        """Yield the complete lines that have arrived, as `read_line` does, without waiting."""
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
            lines: the text, with its line ends.
            seconds: the limit of the writing and all following calls of `read_line` together.

        Raises:
            ProgramError: if the program has ended, closed its input or reads too slowly.
        """
        self.limit, self.deadline = seconds, monotonic() + seconds
        data = lines.encode()
        while data:
            try:
                data = data[os.write(self.process.stdin.fileno(), data) :]
            except BlockingIOError:  # its input is full: it may be writing
                self._wait(0.01)
            except BrokenPipeError:
                raise ProgramError(self._ended("closed its input")) from None

    def read_line(self) -> str:
        """Return the next line of output, without its line ending and surrounding spaces.

        Raises:
            ProgramError: if there is none in time, or it is too long.
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
            _kill(self.guard)
        self.close()

    def _wait(self, seconds: float) -> None:
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
        last = self.stderr.decode(errors="replace").strip().splitlines()[-1:]
        half = f" in the middle of the line {self._shown()}" if self.unread else ""
        said = half + (f", saying {last[0][:200]!r}" if last else "")
        status = self.process.returncode
        if status is None:
            return f"{closed}{said}"
        if status < 0:
            return f"was killed by signal {-status}, {signal.strsignal(-status)}{said}"
        return f"ended with exit status {status}{said}"

    def _shown(self) -> str:
        return repr(self.unread[:30].decode(errors="replace").strip())


class ProgramPlayer(Player):
    """A player backed by a program; `close` ends the program, and the next query restarts it.

    Subclasses define the messages, whose failures raise `ProgramError`.

    Args:
        rules: the game.
        command: the program, for messages.
        launch: starts it.
        forfeits: whether an answer may be a forfeit.

    Raises:
        ValueError: for a variant of the game; when queried, if the program fails.
    """

    cached = True  # whether each board is queried once only

    def __init__(
        self, rules: Rules, command: str, launch: Callable[[], Program], forfeits: bool = False
    ) -> None:
        require_line_wins(rules, "a program")
        super().__init__(rules, Traits(searches=True, one_by_one=True, forfeits=forfeits))
        self.command, self.launch = command, launch
        self.program: Program | None = None
        self.cache: dict[bytes, list[int]] = {}  # cells by board

    def __getstate__(self) -> dict[str, Any]:
        """Support copying and pickling: a copy starts a program of its own when it is queried."""
        return vars(self) | {"program": None}

    def handshake(self, program: Program) -> None:
        """Send the messages that precede the first board, if any."""

    @abstractmethod
    def ask(self, program: Program, board: Boards) -> list[int]:
        """Query the program for its legal cells on a board, equally likely; [] is a forfeit."""

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        probs = np.zeros(boards.shape)
        for row, board in zip(probs, boards, strict=True):
            cells = self.answer(board)
            np.add.at(row, cells, 1 / max(len(cells), 1))
        return probs

    @one_at_a_time
    def answer(self, board: Boards) -> list[int]:
        """Return the program's cells on a board (cells,), cached if possible.

        Raises:
            ValueError: if it fails, or after `MOST_ANSWERS` boards.
        """
        if not self.cached:
            return self.query(board)
        key = np.asarray(board, np.int8).tobytes()
        if key not in self.cache:
            if len(self.cache) >= MOST_ANSWERS:
                raise ValueError(f"{self.command!r} has answered {MOST_ANSWERS:,} boards, the most")
            self.cache[key] = self.query(board)
        return self.cache[key]

    def close(self) -> None:
        """End the program if it is running, killing it if necessary."""
        if self.program is not None:
            self.program.close()
        self.program = None

    def query(self, board: Boards | None) -> list[int]:
        """Query the program; a failure ends it.

        Args:
            board: the board (cells,); None only starts the program.

        Raises:
            ValueError: if it fails, with the board.
        """
        try:
            if self.program is None:
                self.program = self.launch()
                self.handshake(self.program)
            return [] if board is None else self.ask(self.program, board)
        except BaseException as error:  # including an interrupt, since an answer would be pending
            if self.program is not None:
                self.program.kill()
            self.program = None
            if isinstance(error, ProgramError):
                verdict = f"{self.command!r} {error}"
                if board is not None:
                    side, shown = "XO"[int(self.rules.seat(board))], self.rules.format(board)
                    verdict += f": {side} to move on {shown}"
                raise ValueError(verdict) from None
            raise


def _started(command: list[str]) -> tuple[Any, Any]:
    """Start a program and the shell that leads its process group.

    Keys pressed at our terminal are not meant for that group. The shell's process is not waited for
    before the group is killed, so that no other group gets its number.
    """
    pipe, none = subprocess.PIPE, subprocess.DEVNULL
    guard = subprocess.Popen(GUARD, stdin=pipe, stdout=none, stderr=none, process_group=0)
    try:
        process = subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, process_group=guard.pid
        )
    except BaseException:
        _kill(guard)
        guard.communicate()
        raise
    return process, guard


def _end(process: Any, guard: Any, pipes: Any, owner: int, quit_command: str) -> None:
    """Write the quit command, wait `GRACE` seconds, kill the process group, close all pipes."""
    pipes.close()
    ours = os.getpid() == owner  # False in a forked copy of the process that started it
    if ours:
        with contextlib.suppress(OSError):
            os.write(process.stdin.fileno(), f"{quit_command}\n".encode())
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    if ours:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        _kill(guard)
        process.kill()  # if it has left the group
        process.wait()
        guard.wait()
    guard.stdin.close()


def _kill(guard: Any) -> None:
    with contextlib.suppress(OSError):
        os.killpg(guard.pid, signal.SIGKILL)
