"""The curve of a training on a board too large to list, as its card keeps it: bounded and checked.

A certificate by reachable positions says at each measure, for both seats: how many positions it
followed, how many lost games an attack of a fixed length finds, how many stones the shortest lost
game has that was found, and the worst case. What it leaves open is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tttenv.certificates.curve import MOST, require_measures, spaced

KEY = "larger_curve"  # of a card
LIMITS = {  # of the numbers, whole but for the worst case
    "reached": (0, 1e12),
    "losing_leaves": (0, 1e6),
    "losing_line": (1, 361),
    "worst_case": (-1, 1),
}
COUNTS = {f"{name}_{seat}": limits for name, limits in LIMITS.items() for seat in "XO"}
COLUMNS = ("steps", "seconds", *COUNTS)

Point = tuple[float | None, ...]  # of these columns


@dataclass(frozen=True)
class LargerCurve:
    """A training's measures, in order."""

    steps: list[int]
    seconds: list[float]  # of processor time since the first step
    counts: dict[str, list[float | None]]  # by the names in COUNTS


def point(step: int, numbers: Mapping[str, float]) -> Point | None:
    """A measure of a training by its tags; None where no certificate followed positions."""
    counts = [numbers.get(f"exact/{name}") for name in COUNTS]
    if "exact/reached_X" not in numbers and "exact/reached_O" not in numbers:
        return None
    return (step, round(numbers["time/seconds"], 3), *counts)


def extended(points: Sequence[Point], added: Point, every: int) -> tuple[Point, ...]:
    """The points and one more; of too many the first, the last, and some evenly between them.

    What stays depends on the steps alone, so that a training which was resumed keeps the same.

    Args:
        points: of earlier steps.
        added: of a later one.
        every: steps between measures.
    """
    whole = [*points, added]
    return tuple(whole[at] for at in spaced([int(one[0] or 0) for one in whole], every, MOST))


def for_card(points: Sequence[Point]) -> dict[str, list[float | None]]:
    """The points as a card keeps them: a list of numbers for each column."""
    columns = zip(*points, strict=True)
    return {
        name: [_shortened(number) for number in column]
        for name, column in zip(COLUMNS, columns, strict=True)
    }


def _shortened(number: float | None) -> float | None:
    return int(number) if number is not None and number == int(number) else number


def from_card(card: Mapping[str, Any]) -> LargerCurve | None:
    """The curve that a card holds, which may be a stranger's; None if it holds none.

    Raises:
        ValueError: if what it holds is no curve.
    """
    found = card.get(KEY)
    if found is None:
        return None
    limits = {"steps": (0, 1e12), "seconds": (0, 1e12)} | COUNTS
    whole = [name for name in COLUMNS if name != "seconds" and not name.startswith("worst_case")]
    require_measures(found, limits, whole, optional=COUNTS)
    counts = {name: list(found[name]) for name in COUNTS}
    return LargerCurve(found["steps"], list(map(float, found["seconds"])), counts)
