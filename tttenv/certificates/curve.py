"""Learning curves stored in cards: a bounded number of validated, exact measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Annotated, Any, NamedTuple

from tttenv.exact.evaluation import TOLERANCE
from tttenv.utils.schema import Meta, checked

KEY = "curve"  # where it stands in a card
MOST = 200  # maximum measures stored for a run
WHAT = "the curve in its card"

Point = tuple[float, ...]  # one value per column


class Column(NamedTuple):
    """Storage format of a column of a curve."""

    kind: type  # int or float
    least: float
    most: float
    digits: int = 12  # decimals, so that a worst case is not rounded to a draw


NUMBERS = {  # after the steps and the seconds; their tags begin with `exact/`
    "worst_case_X": Column(float, -1.001, 1.001),
    "worst_case_O": Column(float, -1.001, 1.001),
    "optimal_moves": Column(float, -0.001, 1.001, 6),
}
COLUMNS = {"steps": Column(int, 0, 1e12), "seconds": Column(float, 0, 1e9, 3)} | NUMBERS


@dataclass(frozen=True)
class Curve:
    """The measurements of a training run, in order."""

    steps: list[int]
    seconds: list[float]  # processor time since the first step
    worst: dict[str, list[float]]  # by seat: against a best response
    optimal: list[float]  # mean probability on optimal moves

    @classmethod
    def from_card(cls, card: Mapping[str, Any]) -> "Curve | None":
        """Return the curve of an untrusted card, or None if it has none."""
        if (found := card.get(KEY)) is None:
            return None
        _check(found)
        seconds, optimal = (list(map(float, found[name])) for name in ("seconds", "optimal_moves"))
        worst = {seat: list(map(float, found[f"worst_case_{seat}"])) for seat in "XO"}
        return cls(found["steps"], seconds, worst, optimal)

    @property
    def unbeatable(self) -> list[bool]:
        """Whether each measurement is unbeatable."""
        return [_unbeatable(pair) for pair in zip(self.worst["X"], self.worst["O"], strict=True)]

    @property
    def unbeatable_at(self) -> tuple[int, float] | None:
        """Step and time in seconds of the first unbeatable measurement, or None."""
        return self._first(self.unbeatable)

    @property
    def perfect_at(self) -> tuple[int, float] | None:
        """The same of the first one that plays optimal moves only, in all positions."""
        return self._first([number == 1 for number in self.optimal])

    def _first(self, having: Sequence[bool]) -> tuple[int, float] | None:
        return next(compress(zip(self.steps, self.seconds, strict=True), having), None)


def _unbeatable(worst: Sequence[float]) -> bool:
    """Return whether the worst cases, as X and as O, are both the game's value.

    They are at most v and -v, so this is if and only if they sum to 0.
    """
    return sum(worst) > -TOLERANCE


def point(step: int, numbers: Mapping[str, float]) -> Point | None:
    """Create a measurement from numbers by tag; None on boards that are not enumerated."""
    if "exact/optimal_moves" not in numbers:
        return None
    return (step, numbers["time/seconds"], *(numbers[f"exact/{name}"] for name in NUMBERS))


def extended(points: Sequence[Point], added: Point, every: int) -> tuple[Point, ...]:
    """Append a later point, then keep only landmarks if there are too many.

    Args:
        points: the earlier measurements, in order.
        added: the new one.
        every: the steps between two measurements.
    """
    whole = [*points, added]
    return tuple(whole[at] for at in landmarks(whole, every, MOST))


def landmarks(points: Sequence[Point], every: int, most: int) -> list[int]:
    """Return the indices of at most `most` (6 or more) points, evenly spaced by their steps.

    The first, the last, the first unbeatable and the first perfect one are always included.

    Args:
        points: measurements in order.
        every: the steps between two of them, at first.
        most: the limit, at least 6.
    """
    safe = next((n for n, (*_, x, o, _) in enumerate(points) if _unbeatable((x, o))), 0)
    perfect = next((n for n, one in enumerate(points) if round(one[-1], 6) == 1), 0)
    steps, apart = [int(one[0]) for one in points], every
    while steps[-1] / apart > most - 5:
        apart *= 2
    ends = {0, safe, perfect, len(steps) - 1}
    return [n for n, step in enumerate(steps) if n in ends or step % apart == 0]


def for_card(points: Sequence[Point]) -> dict[str, list[float]]:
    """Return the points in the format of a card: a list of rounded numbers per column."""
    pairs = zip(COLUMNS.items(), zip(*points, strict=True), strict=True)
    return {
        name: [kind(round(one, digits)) for one in found]
        for (name, (kind, _, _, digits)), found in pairs
    }


def _check(found: Any) -> None:
    if not isinstance(found, dict) or found.keys() != COLUMNS.keys():
        raise ValueError(f"{WHAT} must have exactly the columns {', '.join(COLUMNS)}")
    for name, (kind, least, most, _) in COLUMNS.items():
        number: Any = Annotated[kind, Meta(ge=kind(least), le=kind(most))]
        column: Any = Annotated[list[number], Meta(min_length=1, max_length=MOST)]
        checked(column, found[name], f"{WHAT} has an invalid {name}")
    if len(set(map(len, found.values()))) > 1:
        raise ValueError(f"{WHAT} must have the same number of measurements in every column")
    steps, seconds = found["steps"], found["seconds"]
    if steps != sorted(set(steps)) or seconds != sorted(seconds):
        raise ValueError(f"{WHAT} has steps or seconds that do not increase")
