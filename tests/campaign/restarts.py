"""Run of many tasks whose driver is killed at random moments and restarted until it is done.

It is killed by SIGKILL, alone or with its workers. After every kill the workers end by themselves,
every result that was there is there still, byte by byte, and no task runs again whose result was
there before.
"""

import contextlib
import os
import random
import signal
import time
from pathlib import Path
from typing import Any, Protocol

from .children import Child, workers_of
from .running import Log

GONE = 20.0  # seconds in which workers have noticed that their driver is gone, on a busy machine
TIME_LIMIT = 250.0  # seconds of a run that is not killed


class Run(Protocol):
    """Work that is killed and restarted."""

    results: Path  # the folder of results

    def drive(self) -> Any:
        """Do all unfinished tasks, in a process of its own."""

    def traces(self) -> dict[str, Any]:
        """Return, for each results file, what would change if its task ran again."""


def until_done(
    run: Run, kills: int, longest: float, said: Path, log: Log, rng: random.Random
) -> dict[str, Any]:
    """Start a run, kill and restart it; return the outcome of the last, undisturbed time.

    Args:
        run: the run.
        kills: at the most; fewer if it is done before.
        longest: seconds after which it is killed, at the most.
        said: a file for what the drivers write.
        log: for kills and failures.
        rng: draws the moments, who is killed, and whether the next driver starts at once.
    """
    outcome: dict[str, Any] = {}
    left: set[int] = set()  # workers whose driver is gone
    for more in reversed(range(kills + 1)):
        contents, traces = _contents(run.results), run.traces()
        child = Child(run.drive, said)
        if more and child.runs_for(rng.uniform(0, longest)):
            alone, at_once = rng.random() < 0.5, rng.random() < 0.5
            killed = _kill(child, alone)
            log.count("SIGKILL of the driver alone" if alone else "SIGKILL of all")
        else:
            at_once, killed = False, set()
        outcome = child.outcome(TIME_LIMIT)
        if not outcome and child.status == 0:  # the driver was a new Python
            outcome = {"value": None}
        left |= killed
        if not at_once or outcome:
            log.check(_gone(left), "workers outlive their driver", left)
            left = set()
        now = _contents(run.results)
        lost = [name for name, data in contents.items() if now.get(name) != data]
        log.check(not lost, "a finished task is lost", lost)
        log.count("results", len(now) - len(contents))
        later = run.traces()
        again = [name for name in contents if later.get(name) != traces[name]]
        log.check(not again, "a finished task runs again", again)
        if outcome:
            if more:
                log.count("ended before the last kill")
            break
    return outcome


def _kill(child: Child, alone: bool) -> set[int]:
    """Kill a driver, alone or with its workers; return the workers."""
    child.kill(signal.SIGSTOP)  # it starts no more of them
    workers = workers_of(child.pid)
    for number in [] if alone else workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    child.kill(signal.SIGKILL)
    return workers


def _gone(workers: set[int]) -> bool:
    """Return whether these processes end soon."""
    until = time.monotonic() + GONE
    while any(Path(f"/proc/{number}").exists() for number in workers):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _contents(folder: Path) -> dict[str, bytes]:
    """Return the results by file; the names of interrupted writes begin with a dot."""
    files = folder.glob("[0-9a-f]*.json")
    return {file.name: file.read_bytes() for file in files}
