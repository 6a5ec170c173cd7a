"""Learning curves stored in cards: a bounded number of validated, exact measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Annotated, Any, NamedTuple

from tttenv.exact.evaluation import TOLERANCE
from tttenv.utils.schema import Meta, checked

MOST = 200  # maximum measures stored for a run
WHAT = "the curve in its card"

Point = tuple[float | None, ...]  # one value per column; None is unknown


class Column(NamedTuple):
    """How the numbers of a curve's column are stored."""

    kind: type  # int or float
    least: float
    most: float
    digits: int = 12  # decimals, so that a worst case is not rounded to a draw


TIME = {"steps": Column(int, 0, 1e12), "seconds": Column(float, 0, 1e9, 3)}


@dataclass(frozen=True)
class Curve:
    """The measurements of a training run, in order."""

    steps: list[int]
    seconds: list[float]  # processor time since the first step
    worst: dict[str, list[float]] = field(default_factory=dict)  # by seat: against a best response
    optimal: list[float] = field(default_factory=list)  # mean probability on optimal moves
    counts: dict[str, list[float | None]] = field(default_factory=dict)  # of a larger board

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


def _unbeatable(worst: Sequence[float | None]) -> bool:
    """Return whether the worst cases, as X and as O, are both the game's value.

    They are at most v and -v, so this is if and only if they sum to 0.
    """
    x, o = worst
    return x is not None and o is not None and x + o > -TOLERANCE


def _perfect(optimal: Sequence[float | None]) -> bool:
    """Return whether the share of optimal moves, if the curve has it, is 1 as stored."""
    return bool(optimal) and round(optimal[0] or 0, 6) == 1


@dataclass(frozen=True)
class Kind:
    """What the curves of some games measure, and how they are stored."""

    key: str  # where they stand in a card
    numbers: dict[str, Column]  # after the steps and the seconds; their tags begin with `exact/`
    optional: bool  # whether these numbers may be unknown

    @property
    def columns(self) -> dict[str, Column]:
        """All columns, in order."""
        return TIME | self.numbers

    def point(self, step: int, numbers: Mapping[str, float]) -> Point | None:
        """Create a measurement from numbers by tag, or return None if they are of another kind."""
        found = [numbers.get(f"exact/{name}") for name in self.numbers]
        if found[0] is None or (None in found and not self.optional):
            return None
        return (step, numbers["time/seconds"], *found)

    def extended(self, points: Sequence[Point], added: Point, every: int) -> tuple[Point, ...]:
        """Append a later point, then keep only landmarks if there are too many."""
        whole = [*points, added]
        return tuple(whole[at] for at in self.landmarks(whole, every, MOST))

    def landmarks(self, points: Sequence[Point], every: int, most: int) -> list[int]:
        """Return the indices of at most `most` (6 or more) points, evenly spaced by their steps.

        The first, the last, the first unbeatable and the first perfect one are always included.
        """
        at = list(self.columns).index("worst_case_X")
        safe = next((n for n, one in enumerate(points) if _unbeatable(one[at : at + 2])), 0)
        perfect = next((n for n, one in enumerate(points) if _perfect(one[at + 2 :])), 0)
        steps, apart = [int(one[0] or 0) for one in points], every
        while steps[-1] / apart > most - 5:
            apart *= 2
        ends = {0, safe, perfect, len(steps) - 1}
        return [n for n, step in enumerate(steps) if n in ends or step % apart == 0]

    def for_card(self, points: Sequence[Point]) -> dict[str, list[float | None]]:
        """Return the points in the format of a card: a list of rounded numbers per column."""
        pairs = zip(self.columns.items(), zip(*points, strict=True), strict=True)
        return {
            name: [None if one is None else kind(round(one, digits)) for one in found]
            for (name, (kind, _, _, digits)), found in pairs
        }

    def from_card(self, card: Mapping[str, Any]) -> Curve | None:
        """Return the curve of an untrusted card, or None if it has none."""
        if (found := card.get(self.key)) is None:
            return None
        self._check(found)
        time = found["steps"], list(map(float, found["seconds"]))
        if self.optional:
            return Curve(*time, counts={name: list(found[name]) for name in self.numbers})
        worst = {seat: list(map(float, found[f"worst_case_{seat}"])) for seat in "XO"}
        return Curve(*time, worst, list(map(float, found["optimal_moves"])))

    def _check(self, found: Any) -> None:
        if not isinstance(found, dict) or found.keys() != self.columns.keys():
            raise ValueError(f"{WHAT} must have exactly the columns {', '.join(self.columns)}")
        for name, (kind, least, most, _) in self.columns.items():
            number: Any = Annotated[kind, Meta(ge=kind(least), le=kind(most))]
            number = number | None if self.optional and name in self.numbers else number
            column: Any = Annotated[list[number], Meta(min_length=1, max_length=MOST)]
            checked(column, found[name], f"{WHAT} has an invalid {name}")
        if len(set(map(len, found.values()))) > 1:
            raise ValueError(f"{WHAT} must have as many measurements in every column")
        steps, seconds = found["steps"], found["seconds"]
        if steps != sorted(set(steps)) or seconds != sorted(seconds):
            raise ValueError(f"{WHAT} has steps or seconds that do not increase")


WORST = {f"worst_case_{seat}": Column(float, -1.001, 1.001) for seat in "XO"}
exact_curve = Kind(
    "curve", {**WORST, "optimal_moves": Column(float, -0.001, 1.001, 6)}, optional=False
)
COUNTS = {  # on boards too large to enumerate
    "reached": Column(int, 0, 1e12),
    "losing_leaves": Column(int, 0, 1e6),
    "losing_line": Column(int, 0, 361),  # stones; 0: it forfeits on the empty board
}
larger_curve = Kind(
    "larger_curve",
    {f"{name}_{seat}": column for name, column in COUNTS.items() for seat in "XO"} | WORST,
    optional=True,
)
