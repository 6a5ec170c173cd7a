"""Measure the speed of environments, rollouts, searches, solving and certification."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from scripts.speed_rows import SpeedRow, Work
from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag
from tttenv.cli.text_tables import Column

PROG = "speed.py"


@dataclass(frozen=True)
class Arguments:
    """Measure throughput on one core, each row several times, and print the medians.

    With --peers, the public packages of the extra "peers" that are installed do the same work in
    turns with ours, and the median of the ratios is given. Two environments in two threads are
    measured on two cores, in turns with one environment in one thread.
    """

    peers: Flag = False  # also measure other packages
    rounds: int = 5  # measurements per row
    seconds: float = 0.3  # duration of each measurement
    only: str = ""  # only rows whose name contains this
    seed: int = 0  # random seed
    json: Flag = False  # print the results as JSON


@dataclass(frozen=True)
class Speed:
    """Median rates of a row's workloads, and the median ratios of ours to the peers'."""

    name: str
    unit: str
    ours: float
    peers: dict[str, float]
    ratios: dict[str, float]


def main(args: list[str]) -> None:
    """Measure all rows, and print the results."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    if given.rounds < 1 or not 0 < given.seconds < float("inf"):
        raise ValueError("--rounds must be at least 1 and --seconds above 0")
    pin(1)
    from scripts.speed_rows import ours

    rows = [row for row in ours.rows(given.seed) if given.only in row.name]
    if not rows:
        raise ValueError(f"no row's name contains {given.only!r}")
    results = []
    with console.bar(quiet=given.json) as progress:
        for row in progress.track(rows, description="measuring"):
            results.append(measure(row, given))
    if given.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    else:
        show(results)


def pin(cores: int) -> None:
    """Restrict this process to a number of cores, on systems that support it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(_ALLOWED[:cores]))


_ALLOWED = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def measure(row: SpeedRow, given: Arguments) -> Speed:
    """Measure our workload and the peers' alternately."""
    pin(row.cores)
    contestants = {"ours": row.make(), **{name: make() for name, make in row.beside}}
    if given.peers:
        from scripts.speed_rows import peers

        found = {name: peers.make(name, given.seed) for name in row.peers}
        contestants |= {name: work for name, work in found.items() if work is not None}
    for work in contestants.values():
        work()  # compiles
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(given.rounds):
        for name, work in contestants.items():
            rates[name].append(rate(work, given.seconds))
    pin(1)
    own = rates.pop("ours")
    ratios = {
        name: median(mine / theirs for mine, theirs in zip(own, rates[name], strict=True))
        for name in rates
    }
    medians = {name: median(numbers) for name, numbers in rates.items()}
    return Speed(row.name, row.unit, median(own), medians, ratios)


def rate(work: Work, seconds: float) -> float:
    """Return the amount of work per second."""
    done, start = 0.0, perf_counter()
    while (spent := perf_counter() - start) < seconds or not done:
        done += work()
    return done / spent


def show(results: list[Speed]) -> None:
    """Print the results as a table."""
    columns = [
        Column("", left=True),
        Column("per second"),
        Column("of", left=True),
        Column("beside", left=True, rank=1, below=True),
    ]
    rows = []
    for result in results:
        others = [
            f"{name} {short(speed)}, {result.ratios[name]:.3g}x"
            for name, speed in result.peers.items()
        ]
        rows.append([result.name, short(result.ours), result.unit, "; ".join(others)])
    compared = any(result.peers for result in results)
    text_tables.show(columns if compared else columns[:3], rows)
    if compared:
        text_tables.say("beside: how much of it others do per second; 2x: ours is twice as fast")


def short(number: float) -> str:
    """Format a number to three significant digits, with a word such as "million" if large."""
    for size, word in ((1e9, " billion"), (1e6, " million"), (1e3, " thousand")):
        if number >= size:
            return f"{number / size:.3g}{word}"
    return f"{number:.3g}"


if __name__ == "__main__":
    console.run(main, PROG)
