"""Execution of a campaign: cases in forked workers, summed figures, failures with their cases."""

import contextlib
import importlib
import json
import mmap
import os
import random
import select
import signal
import struct
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from . import Row

RESTARTS = 20  # of workers that died in a case, for each family
TOLD = 3  # cases of each kind of failure that are printed
EVERY = 60.0  # seconds after which a long run says how far it is


class Log:
    """Log of some cases: sums and maxima of figures, and failures."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.highest: dict[str, float] = {}
        self.failures: list[tuple[int, str, str]] = []  # case, kind, detail
        self.case = 0

    def count(self, name: str, number: int = 1) -> None:
        """Add to a figure."""
        self.counts[name] += number

    def most(self, name: str, value: float) -> None:
        """Keep the highest value of a figure."""
        self.highest[name] = max(value, self.highest.get(name, value))

    def fail(self, kind: str, detail: object = "") -> None:
        """Record the violation of an invariant.

        Args:
            kind: the law, the same text for all failures of its kind.
            detail: what happened in this case.
        """
        self.failures.append((self.case, kind, " ".join(str(detail).split())[:400]))

    def check(self, holds: object, kind: str, detail: object = "") -> bool:
        """Record a failure unless the invariant holds; return whether it does."""
        if not holds:
            self.fail(kind, detail)
        return bool(holds)


class Family(Protocol):
    """Family of cases; one object serves all cases that a worker runs."""

    total: int | None  # how many different cases there are; None: as many as one likes

    def __init__(self, place: Path, log: Log) -> None:
        """Prepare, in the empty folder `place`, which is this worker's own."""

    def case(self, number: int, rng: random.Random) -> None:
        """Run one case: count figures and record failures in the log."""

    def close(self) -> None:
        """End what the cases left running."""


@dataclass
class Result:
    """Summed results of a family's cases."""

    cases: int = 0
    total: int | None = None  # how many there are
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    highest: dict[str, float] = field(default_factory=dict)
    failures: list[tuple[int, str, str]] = field(default_factory=list)
    cut_off: bool = False  # by Ctrl-C, or a request to end

    def add(self, part: dict[str, Any]) -> None:
        """Add what a worker reports."""
        self.cases += part["cases"]
        self.total = part["total"]
        self.counts.update(part["counts"])
        for name, value in part["highest"].items():
            self.highest[name] = max(value, self.highest.get(name, value))
        self.failures += [tuple(failure) for failure in part["failures"]]


@dataclass(frozen=True)
class Order:
    """Order to a family: which cases to run, and for how long."""

    name: str
    row: Row
    seed: int
    seconds: float | None  # None: until `count`
    count: int | None  # None: until the time is up or there are no more
    only: int | None = None  # this case alone
    workers: int = 1


def dice(seed: int, family: str, case: int) -> random.Random:
    """Return the random generator of a case, the only source of its randomness."""
    return random.Random(f"{seed} {family} {case}")


def run(order: Order, place: Path) -> Result:
    """Run the cases of a family in worker processes, forked from this one.

    A worker that dies or hangs in a case is a failure of that case; another goes on after it.
    Ctrl-C ends them all; the result is then what they came to until a moment ago.
    """
    start, result = time.monotonic(), Result()
    end = None if order.seconds is None else start + order.seconds
    workers = [
        Worker(order, place, number, end)
        for number in range(order.workers if order.only is None else 1)
    ]
    try:
        _follow(workers, order, place, result, start)
    except KeyboardInterrupt:
        result.cut_off = True
    finally:
        for worker in workers:  # cut off
            worker.end()
    result.seconds = time.monotonic() - start
    return result


def _follow(
    workers: list["Worker"], order: Order, place: Path, result: Result, start: float
) -> None:
    """Collect the workers' reports until all are done, replacing those that died."""
    restarts, told = 0, start
    end = workers[0].until
    while workers:
        ready, _, _ = select.select([worker.pipe for worker in workers], [], [], 0.5)
        for worker in list(workers):
            if worker.pipe in ready and worker.listen(result):
                continue
            if worker.pipe not in ready and not worker.hangs():
                continue
            workers.remove(worker)
            status = worker.end()
            if worker.done:
                continue
            why = "a case hangs" if worker.hung else "a case ends the process"
            result.cases += 1
            result.failures.append((worker.at, why, f"status {status}"))
            restarts += 1
            if restarts <= RESTARTS and order.only is None:
                workers.append(Worker(order, place, worker.at + order.workers, end))
        if time.monotonic() - told > EVERY:
            told = time.monotonic()
            result.seconds = told - start
            print(f"so far: {figures(order.name, result)}", file=sys.stderr, flush=True)


class Worker:
    """Forked process that runs every `order.workers`-th case from `first` on."""

    def __init__(self, order: Order, place: Path, first: int, end: float | None) -> None:
        self.order, self.first, self.until = order, first, end
        self.shared = mmap.mmap(-1, 16)  # the case at hand and when it began
        self.done = self.hung = False
        self.unread = b""
        self.pipe, writing = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            os.setpgid(0, 0)  # ended with all that its cases started
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            status = 1
            try:
                self._work(place, writing)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        os.close(writing)

    @property
    def at(self) -> int:
        """Number of the current case."""
        return int(struct.unpack("d", self.shared[:8])[0])

    def listen(self, result: Result) -> bool:
        """Read the worker's reports; return False at its end."""
        data = os.read(self.pipe, 1 << 16)
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            part = json.loads(line)
            result.add(part)
            self.done |= part["done"]
        return bool(data)

    def hangs(self) -> bool:
        """Return whether the current case has exceeded its time."""
        since = struct.unpack("d", self.shared[8:])[0]
        self.hung = bool(since) and time.monotonic() - since > self.order.row.time_limit
        return self.hung

    def end(self) -> int:
        """Kill the process if it still runs; return its wait status."""
        os.close(self.pipe)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        return os.waitpid(self.pid, 0)[1]

    def _work(self, place: Path, writing: int) -> None:
        own = place / f"{self.order.name}-{self.first}-{os.getpid()}"
        own.mkdir()
        log = Log()
        module, kind = self.order.row.target.split(":")
        self._begin(self.first)
        made = getattr(importlib.import_module(f".{module}", __package__), kind)
        try:
            family: Family = made(own, log)
        except Exception as error:
            log.case = self.first
            log.fail("the family cannot begin", _where(error))
            _tell(writing, 0, None, log, done=True)
            return
        cases, last_shown, total = 0, time.monotonic(), family.total
        for case in self._cases(total):
            log.case = case
            self._begin(case)
            try:
                family.case(case, dice(self.order.seed, self.order.name, case))
            except Exception as error:
                log.fail(f"{type(error).__name__} in the campaign's own code", _where(error))
            cases += 1
            if log.failures or time.monotonic() - last_shown > 0.5:
                _tell(writing, cases, total, log)
                cases, last_shown = 0, time.monotonic()
        self._begin(self.at)
        family.close()
        _tell(writing, cases, total, log, done=True)

    def _cases(self, total: int | None) -> Iterator[int]:
        order, case = self.order, self.first
        if order.only is not None:
            yield order.only
            return
        while (order.count is None or case < order.count) and (total is None or case < total):
            yield case  # the first one whatever the time is
            case += order.workers
            if self.until is not None and time.monotonic() >= self.until:
                return

    def _begin(self, case: int) -> None:
        self.shared[:] = struct.pack("dd", case, time.monotonic())


def _tell(writing: int, cases: int, total: int | None, log: Log, done: bool = False) -> None:
    part = {
        "cases": cases,
        "total": total,
        "counts": log.counts,
        "highest": log.highest,
        "failures": log.failures,
        "done": done,
    }
    data = (json.dumps(part) + "\n").encode()
    while data:
        data = data[os.write(writing, data) :]
    log.counts, log.highest, log.failures = Counter(), {}, []


def _where(error: Exception) -> str:
    """Describe an error and the place in the campaign that it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-4:]]
    return f"{error!r} at {' < '.join(reversed(places))}"


def figures(name: str, result: Result) -> str:
    """Return a family's line of figures."""
    parts = [f"{number:,} {what}" for what, number in result.counts.items()]
    parts += [f"{what} {value:,.1f}" for what, value in result.highest.items()]
    failed = f"{len(result.failures):,} failed"
    of_all = "" if result.total is None else f" of {result.total:,}"
    shown = ", ".join([f"{result.cases:,}{of_all} cases", *parts])
    return f"{name:<14}{failed:<12}{shown}  ({result.seconds:.0f} s)"


def report_lines(name: str, seed: int, result: Result) -> Iterator[str]:
    """Yield the failures by kind, each with some of its cases and how to rerun them."""
    kinds: dict[str, list[tuple[int, str]]] = {}
    for case, kind, detail in result.failures:
        kinds.setdefault(kind, []).append((case, detail))
    for kind, cases in sorted(kinds.items(), key=lambda item: -len(item[1])):
        yield f"  FAILED {len(cases):,} times: {kind}"
        for case, detail in cases[:TOLD]:
            again = f"python -m tests.campaign {name} --seed {seed} --case {case}"
            yield f"    {again}  # {detail}" if detail else f"    {again}"
