"""Attack by misbehaving external programs, and by ending players while their program is busy.

A case is one program and one way to end. Either this process asks it until it fails or answers,
and lets it go; or a player's process is ended by a signal while the program is busy: afterwards no
zombie, no process, no descriptor and no memory is left. Only what made itself a session of its own
may outlive its player; it is ended here. A program is known by a variable of its environment.
"""

import contextlib
import gc
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tttenv import Rules
from tttenv.players.external import external

from .children import Child
from .running import Log

MARK = "TTTENV_CAMPAIGN"  # a variable that all programs of a case inherit
TIME_LIMIT = 20.0  # seconds until all must have ended
MEMORY = 64.0  # megabytes that a program's answers may take
TIMEOUT = 0.3  # seconds for an answer
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)

PROGRAMS = {  # what they do once they are asked
    "answers": "while read a; do echo 4; done",
    "hangs": "read a; exec sleep 1000",
    "hangs at once": "exec sleep 1000",
    "ignores signals": "trap '' TERM INT HUP PIPE; read a; while :; do sleep 1; done",
    "ignores the end": "while :; do read a; sleep 0.01; done",
    "floods": "exec cat /dev/zero",
    "floods lines": "exec yes 4",
    "floods errors": "read a; yes oh >&2 & echo 4; read b; echo 5; sleep 1000",
    "long answer": "read a; head -c 300000 /dev/zero | tr '\\0' 4; echo; sleep 1000",
    "crashes": "read a; exit 3",
    "crashes by a signal": "read a; kill -SEGV $$",
    "ends at once": "exit 0",
    "closes its output": "read a; exec >&- <&-; sleep 1000",
    "forks": "sleep 1000 & sleep 1000 & read a; echo 4; read b; sleep 1000",
    "forks and ends": "sleep 1000 & read a; exit 5",
    "forks twice": "(sleep 1000 & sleep 1000 &) ; read a; echo 4; read b; sleep 1000",
    "stops itself": "read a; kill -STOP $$",
    "lies": "read a; echo 99; sleep 1000",
    "lies quietly": "read a; echo 0:0.5 1:0.1; sleep 1000",
    "talks rubbish": "read a; head -c 500 /dev/urandom; echo; sleep 1000",
    "answers twice": "read a; echo 4; echo 4; sleep 1000",
    "half a line": "read a; printf 4; sleep 1000",
    "a session of its own": "setsid sleep 1000 & read a; echo 4; read b; sleep 1000",
}
EXCUSED = ("a session of its own",)


class Bots:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log
        self.case_mark = ""
        for program in ("cat", "yes 4"):  # so that memory for what is needed once is taken now
            with contextlib.suppress(ValueError):
                external(Rules(), program, timeout=5)(Rules().start(1))
        Rules().play(Rules().start(1), np.array([0]))

    def case(self, number: int, rng: random.Random) -> None:
        """Run one program."""
        name = list(PROGRAMS)[number % len(PROGRAMS)]
        script = self.place / "bot"
        script.write_text(f"#!/bin/sh\n{PROGRAMS[name]}\n")
        script.chmod(0o755)
        self.case_mark = f"{os.getpid()}.{number}"
        os.environ[MARK] = self.case_mark
        self.log.count("programs")
        gc.collect()
        before, memory = _descriptors(), _memory()
        if rng.random() < 0.5:
            self._asked(name, script)
        else:
            self._ended(name, script, rng)
        gc.collect()
        os.environ.pop(MARK)
        self._nothing_is_left(name)
        after, grown = _descriptors(), _memory() - memory
        self.log.check(after == before, "descriptors leak", f"{name}: {before} to {after}")
        self.log.most("MB grown", grown)
        self.log.check(grown < MEMORY, "memory grows", f"{name}: {grown:.0f} MB")

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _asked(self, name: str, script: Path) -> None:
        """Query a program on some boards, then close it."""
        rules = Rules()
        program: Any = external(rules, str(script), timeout=TIMEOUT)
        boards = rules.start(1)
        begin = time.monotonic()
        for cell in (0, 1, 2):
            try:
                program(boards)
            except ValueError as error:
                self.log.count("verdicts")
                told = str(error)
                right = "\n" not in told and told.isprintable() and len(told) < 700
                self.log.check(right, "a verdict is not one short line", f"{name}: {told!r}")
            boards = rules.play(boards, np.array([cell]))
        taken = time.monotonic() - begin
        self.log.check(taken < TIME_LIMIT, "a program is waited for", f"{name}: {taken:.1f} s")
        if name == "answers":
            program.close()

    def _ended(self, name: str, script: Path, rng: random.Random) -> None:
        """End a player's process while it waits for its program, or a little earlier."""
        number = rng.choice(SIGNALS)
        child = Child(lambda: _play(script), self.place / "said")
        child.runs_for(0.05 + 0.4 * rng.random())
        child.kill(number)
        self.log.count(signal.Signals(number).name)
        begin = time.monotonic()
        child.outcome()
        taken = time.monotonic() - begin
        what = f"{name}, {signal.Signals(number).name}: {taken:.1f} s"
        self.log.check(taken < TIME_LIMIT, "a player ends late", what)

    def _nothing_is_left(self, name: str) -> None:
        until = time.monotonic() + TIME_LIMIT
        while (left := _marked(self.case_mark)) and time.monotonic() < until:
            if name in EXCUSED and all(_own_session(pid) for pid in left):
                break
            time.sleep(0.02)
        if name not in EXCUSED or not all(_own_session(pid) for pid in left):
            self.log.check(not left, "processes are left", f"{name}: {[_command(p) for p in left]}")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        zombies = _zombies()
        self.log.check(not zombies, "zombies are left", f"{name}: {zombies}")


def _play(script: Path) -> None:
    """Play as scripts do, including their handling of signals."""
    from tttenv.cli import console

    def main(args: list[str]) -> None:
        rules = Rules()
        program: Any = external(rules, str(script), timeout=60)
        boards = rules.start(1)
        while True:
            program(boards)
            program.cache.clear()

    sys.argv = ["play.py"]
    console.run(main, "play.py")


def _marked(mark: str) -> list[int]:
    """Return the processes that inherited the variable, except this one."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = Path(entry.path, "environ").read_bytes()
        except OSError:
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(entry.name))
    return found


def _own_session(pid: int) -> bool:
    """Return whether a process leads a session of its own, or has ended."""
    try:
        return os.getsid(pid) == pid and "sleep" in _command(pid)
    except ProcessLookupError:
        return True


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def _zombies() -> list[int]:
    """Return the ended child processes of this process that were not waited for."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] == "Z" and int(fields[1]) == os.getpid():
                found.append(int(entry.name))
    return found


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
