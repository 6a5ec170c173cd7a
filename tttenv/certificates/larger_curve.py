"""Learning curves stored in cards for boards too large to enumerate.

Each measure holds, from a certificate by reachable positions and for both seats: the number of
positions followed, the number of lost positions in an attack of fixed length, the length of the
shortest lost game found, and the worst case. Undecided values are None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tttenv.certificates.curve import MOST, require_measures, spaced

KEY = "larger_curve"  # in a card
LIMITS = {  # of the numbers; all are integers except the worst case
    "reached": (0, 1e12),
    "losing_leaves": (0, 1e6),
    "losing_line": (0, 361),  # 0: it forfeits on the empty board
    "worst_case": (-1, 1),
}
COUNTS = {f"{name}_{seat}": limits for name, limits in LIMITS.items() for seat in "XO"}
COLUMNS = ("steps", "seconds", *COUNTS)

Point = tuple[float | None, ...]  # one value per column


@dataclass(frozen=True)
class LargerCurve:
    """The measurements of a training run, in order."""

    steps: list[int]
    seconds: list[float]  # processor time since the first step
    counts: dict[str, list[float | None]]  # keys are the names in COUNTS


def point(step: int, numbers: Mapping[str, float]) -> Point | None:
    """Create a measurement from numbers by tag, or return None if no positions were counted."""
    counts = [numbers.get(f"exact/{name}") for name in COUNTS]
    if "exact/reached_X" not in numbers and "exact/reached_O" not in numbers:
        return None
    return (step, round(numbers["time/seconds"], 3), *counts)


def extended(points: Sequence[Point], added: Point, every: int) -> tuple[Point, ...]:
    """Append a point, then thin the points out evenly if there are too many.

    The selection depends only on the steps, so a resumed run keeps the same points.

    Args:
        points: the points so far.
        added: a later point.
        every: steps between measures.
    """
    whole = [*points, added]
    return tuple(whole[at] for at in spaced([int(one[0] or 0) for one in whole], every, MOST))


def for_card(points: Sequence[Point]) -> dict[str, list[float | None]]:
    """Return the points in the format of a card: a list of numbers per column."""
    columns = zip(*points, strict=True)
    return {
        name: [_shortened(number) for number in column]
        for name, column in zip(COLUMNS, columns, strict=True)
    }


def _shortened(number: float | None) -> float | None:
    return int(number) if number is not None and number == int(number) else number


def from_card(card: Mapping[str, Any]) -> LargerCurve | None:
    """Return the curve of an untrusted card, or None if it has none.

    Raises:
        ValueError: if the card's curve is invalid.
    """
    found = card.get(KEY)
    if found is None:
        return None
    limits = {"steps": (0, 1e12), "seconds": (0, 1e12)} | COUNTS
    whole = [name for name in COLUMNS if name != "seconds" and not name.startswith("worst_case")]
    require_measures(found, limits, whole, optional=COUNTS)
    counts = {name: list(found[name]) for name in COUNTS}
    return LargerCurve(found["steps"], list(map(float, found["seconds"])), counts)
