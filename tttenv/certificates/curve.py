"""Learning curves stored in cards: a bounded number of validated, exact measurements."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tttenv.exact.evaluation import TOLERANCE
from tttenv.utils.untrusted import shown

MOST = 200  # maximum measures stored for a run
TAGS = ("exact/worst_case_X", "exact/worst_case_O", "exact/optimal_moves")
KEY = "curve"  # in a card
COLUMNS = ("steps", "seconds", "worst_case_X", "worst_case_O", "optimal_moves")
LIMITS = ((0, 1e12), (0.0, 1e9), (-1.001, 1.001), (-1.001, 1.001), (-0.001, 1.001))
DIGITS = (0, 3, 12, 12, 6)  # decimals stored in a card; a worst case is not rounded to a draw

Point = tuple[float, ...]  # one value per column


@dataclass(frozen=True)
class Curve:
    """The exact measurements of a training run, in order."""

    steps: list[int]
    seconds: list[float]  # processor time since the first step
    worst: dict[str, list[float]]  # by seat: the value against a best response
    optimal: list[float]  # mean probability on optimal moves

    @property
    def unbeatable_at(self) -> tuple[int, float] | None:
        """Step and time in seconds of the first unbeatable measurement, or None."""
        for step, second, *worst in zip(
            self.steps, self.seconds, self.worst["X"], self.worst["O"], strict=True
        ):
            if _unbeatable(worst):
                return step, second
        return None


def _unbeatable(worst: Sequence[float]) -> bool:
    """Return whether the worst cases, as X and as O, are both the game's value.

    They are at most v and -v, so this is if and only if they sum to 0.
    """
    return sum(worst) > -TOLERANCE


def point(step: int, numbers: Mapping[str, float]) -> Point | None:
    """Create a measurement from numbers by tag, or return None if a tag is missing."""
    if not numbers.keys() >= set(TAGS):
        return None
    return (step, numbers["time/seconds"], *(numbers[tag] for tag in TAGS))


def extended(points: Sequence[Point], added: Point, every: int) -> tuple[Point, ...]:
    """Append a point, then reduce the points to landmarks if there are too many.

    The selection depends only on the steps, so a resumed run keeps the same points.

    Args:
        points: the points so far.
        added: a later point.
        every: steps between measures.
    """
    whole = [*points, added]
    return tuple(whole[at] for at in landmarks(whole, every, MOST))


def landmarks(points: Sequence[Point], every: int, most: int) -> list[int]:
    """Return the indices of at most `most` points: evenly spaced, and the first unbeatable one.

    The first, the last and the first unbeatable one are always included.

    Args:
        points: the run's points, in order.
        every: steps between measures.
        most: maximum number, at least 5.
    """
    safe = next((at for at, one in enumerate(points) if _unbeatable(one[2:4])), 0)
    return sorted({safe, *spaced([int(one[0]) for one in points], every, most)})


def spaced(steps: Sequence[int], every: int, most: int) -> list[int]:
    """Return the indices of the first step, the last step and evenly spaced ones in between.

    Args:
        steps: the run's steps, in order.
        every: steps between measures.
        most: maximum number, at least 5; one is reserved for another point.
    """
    apart, last = every, len(steps) - 1
    while steps[-1] / apart > most - 4:
        apart *= 2
    return [at for at, step in enumerate(steps) if at in (0, last) or step % apart == 0]


def for_card(points: Sequence[Point]) -> dict[str, list[float]]:
    """Return the points in the format of a card: a list of rounded numbers per column."""
    columns = zip(*points, strict=True)
    return {
        name: [round(number, digits) if digits else int(number) for number in column]
        for name, digits, column in zip(COLUMNS, DIGITS, columns, strict=True)
    }


def from_card(card: Mapping[str, Any]) -> Curve | None:
    """Return the curve of an untrusted card, or None if it has none.

    Raises:
        ValueError: if the card's curve is invalid.
    """
    found = card.get(KEY)
    if found is None:
        return None
    require_measures(found, dict(zip(COLUMNS, LIMITS, strict=True)), whole=("steps",))
    worst = {seat: list(map(float, found[f"worst_case_{seat}"])) for seat in "XO"}
    optimal = list(map(float, found["optimal_moves"]))
    return Curve(found["steps"], list(map(float, found["seconds"])), worst, optimal)


def require_measures(
    found: object,
    limits: Mapping[str, tuple[float, float]],
    whole: Collection[str],
    optional: Collection[str] = (),
) -> None:
    """Raise ValueError unless untrusted columns form a valid curve.

    Args:
        found: the card's content: a list of numbers for each column.
        limits: the minimum and maximum of each column, by name.
        whole: the columns of integers.
        optional: the columns in which a number may be None.
    """
    if not isinstance(found, dict) or set(found) != set(limits):
        raise ValueError(f"the curve in its card must have exactly the columns {', '.join(limits)}")
    lengths = {len(found[name]) if isinstance(found[name], list) else 0 for name in limits}
    if len(lengths) != 1 or not 0 < min(lengths) <= MOST:
        raise ValueError(
            f"the curve in its card must have 1 to {MOST} measurements, as many in every column"
        )
    for name, (least, most) in limits.items():
        for number in found[name]:
            if number is None and name in optional:
                continue
            if not _is_number(number, name in whole) or not least <= number <= most:
                raise ValueError(
                    f"the curve in its card has an invalid {name}: {shown(repr(number), 60)}"
                )
    for name in ("steps", "seconds"):
        if found[name] != sorted(found[name]) or len(set(found["steps"])) < len(found["steps"]):
            raise ValueError(f"the curve in its card has {name} that do not increase")


def _is_number(value: object, whole: bool) -> bool:
    return not isinstance(value, bool) and isinstance(value, int if whole else int | float)
