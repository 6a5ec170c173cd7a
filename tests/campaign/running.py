"""Execution of a campaign: each case in a fork of this process, figures, failures with commands."""

import itertools
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

SHOWN = 3  # cases of each kind of failure that are printed
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
        """Return "value", or "error" and "message", or nothing if it was killed, at its end."""
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


class Log:
    """Log of a case: sums of figures, and failures."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.failures: list[tuple[str, str]] = []  # kind, detail

    def count(self, name: str) -> None:
        """Add one to a figure."""
        self.counts[name] += 1

    def fail(self, kind: str, detail: object = "") -> None:
        """Record the violation of a law, `kind`, and what happened in this case."""
        self.failures.append((kind, " ".join(str(detail).split())[:400]))

    def check(self, holds: object, kind: str, detail: object = "") -> None:
        """Record a failure unless the invariant holds."""
        if not holds:
            self.fail(kind, detail)


class Family(Protocol):
    """Family of cases; each case runs in a copy of its object."""

    total: int | None  # how many different cases there are; None: as many as one likes

    def __init__(self, place: Path, log: Log) -> None:
        """Prepare, in the empty folder `place`, which is this family's own."""

    def case(self, number: int, rng: random.Random) -> None:
        """Run one case: count figures and record failures in the log."""


@dataclass(frozen=True)
class Order:
    """Order to a family: which cases to run, and for how long."""

    name: str
    seed: int
    seconds: float  # unless there is a count
    count: int | None = None
    only: int | None = None  # this case alone, in this process, for a debugger
    time_limit: float = 300.0  # seconds after which a case counts as hanging


def run(order: Order, make: Callable[[Path, Log], Family], place: Path) -> int:
    """Run the cases of a family and print its failures and its figures; return how many failed."""
    log = Log()
    family = make(place, log)
    start, done = time.monotonic(), 0
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for case in itertools.count() if order.only is None else [order.only]:
        if case == (family.total if order.count is None else order.count):
            break
        figures, failures = _outcome(order, family, log, case)
        counts.update(figures)
        done += 1
        for kind, detail in failures:
            kinds[kind] += 1
            if kinds[kind] <= SHOWN:
                again = f"python -m tests.campaign {order.name} --seed {order.seed} --case {case}"
                print(f"  FAILED {kind}: {detail}\n    {again}", flush=True)
        if order.count is None and time.monotonic() - start > order.seconds:
            break
    failed = kinds.total()
    shown = ", ".join([f"{done:,} cases", *(f"{n:,} {what}" for what, n in counts.items())])
    seconds = time.monotonic() - start
    print(f"{order.name:<14}{f'{failed:,} failed':<12}{shown}  ({seconds:.0f} s)", flush=True)
    return failed


def _outcome(order: Order, family: Family, log: Log, case: int) -> Any:
    """Run a case; return its figures and its failures."""
    rng = random.Random(f"{order.seed} {order.name} {case}")  # the only source of its randomness

    def work() -> Any:
        family.case(case, rng)
        return log.counts, log.failures

    if order.only is not None:
        return work()
    try:
        outcome = Child(work).outcome(order.time_limit)
    except TimeoutError as error:
        return {}, [("a case hangs", str(error))]
    if "value" in outcome:
        return outcome["value"]
    if "error" in outcome:
        return {}, [(f"{outcome['error']} in the campaign's own code", outcome["message"])]
    return {}, [("a case ends the process", "")]
