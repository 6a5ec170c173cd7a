"""Rows of published numbers: sources, the jobs that reproduce them, and tolerances."""

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

Numbers = tuple[float, ...]
Found = dict[str, Any]  # by key: numbers, or under "note KEY" what to add to that row's note
EXACT = 1e-9
PRINTED = 5.1e-5  # half a unit in the fourth digit after the point, of what is printed that way


class Row(NamedTuple):
    """A published number, or several of one kind; percentages are stored as fractions."""

    id: str  # the same in every run
    what: str
    job: str = ""  # of the source's JOBS, the one that finds it; none: not re-run
    key: str = ""  # under which the job returns it
    claimed: Numbers = ()  # as the source prints it; empty: it prints none
    known: Numbers = ()  # what the re-run has to give; empty: what is claimed
    within: float | None = EXACT  # how far off it may be; None: not judged, or a band is given
    band: tuple[Numbers, ...] = ()  # least and most of each number, for what is trained or timed
    unit: str = ""  # "%", "value", "weight" or "s"; else a count
    games: int = 0  # that the claim was sampled from, of each number
    repaired: str = ""  # LEARNER/KEY or PLAYER/KEY: the same number of our own player
    least: int = 0  # the budget from which it is judged
    main: bool = False  # one of the few that a README shows
    note: str = ""


class Task(NamedTuple):
    """A job with an amount of work and a seed."""

    source: str  # of SOURCES, or "repaired"
    job: str
    amount: int  # how much of it
    seed: int
    moves_csv: str | None  # the cookbook's file, where the user has it


Tell = Callable[[int, int], None]  # so much done, of so much
Run = Callable[[Task, Tell], Found]


class Job(NamedTuple):
    """A job that reproduces numbers; `run(task, tell)` returns them by key."""

    run: Run
    amounts: tuple[int, int, int] = (1, 1, 1)  # with --quick, as usual, with --full
    says: str = "all positions"  # the amount in words
    each: int = 1  # what one of the amount stands for in these words
    claimed: str = ""  # the source's own amount in words
    long: bool = False  # begin it before the others
    # Trainings with seeds counting up: a number is the median of theirs, as a single one ends
    # elsewhere on another type of CPU. With --quick there is one.
    seeds: int = 1

    def budget(self, amount: int, seeds: int = 1) -> str:
        """Describe the amount of work of the job."""
        once = self.says.format(amount * self.each)
        return once if seeds == 1 else f"{once}, {seeds} seeds"


def holds(row: Row, found: Numbers | None, amount: int) -> bool | None:
    """Return whether a reproduced number is within tolerance; None if it is not judged."""
    if found is None or amount < row.least:
        return None
    if row.band:
        ends = zip(found, row.band, strict=True)
        return all(low <= number <= high for number, (low, high) in ends)
    wanted = row.known or row.claimed
    if row.within is None or not wanted:
        return None
    pairs = zip(found, wanted, strict=True)
    return all(abs(number - other) <= row.within for number, other in pairs)


def tolerance(row: Row) -> str:
    """Describe the tolerance of a row."""
    if row.band:
        return "; ".join(f"{_end(low, row.unit)}..{_end(high, row.unit)}" for low, high in row.band)
    if row.within is None:
        return "not judged"
    return "exact" if row.within == 0 else f"{row.within:.0e}".replace("e-0", "e-")


def scores(row: Row, found: Numbers | None) -> list[float]:
    """Return the distance of each claimed fraction from the exact one, in standard errors.

    Only if the claim is about the same player, not about another one trained in the same way.
    """
    if not (row.games and found) or row.band or row.within is None:
        return []
    pairs = zip(found, row.claimed, strict=True)
    errors = [(sqrt(p * (1 - p) / row.games), claim - p) for p, claim in pairs]
    return [round(off / error, 2) if error > 1e-6 else round(off, 2) for error, off in errors]


def _end(number: float, unit: str) -> str:
    """Format a bound of a band; return an empty string if it is infinite."""
    if abs(number) == float("inf"):
        return ""
    return f"{100 * number:.6g}" if unit == "%" else f"{number:.4g}"
