"""Learning curves stored in cards: a bounded number of validated, exact measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tttenv.exact.evaluation import TOLERANCE
from tttenv.utils.untrusted import shown

MOST = 200  # maximum measures stored for a run
TIME = {"steps": (0, 1e12), "seconds": (0, 1e9)}  # limits of the first two columns
DIGITS = {"seconds": 3, "optimal_moves": 6}  # decimals stored in a card, of other numbers 12

Point = tuple[float | None, ...]  # one value per column; None is unknown


@dataclass(frozen=True)
class Curve:
    """The measurements of a training run, in order."""

    steps: list[int]
    seconds: list[float]  # processor time since the first step
    worst: dict[str, list[float]] = field(default_factory=dict)  # by seat: against a best response
    optimal: list[float] = field(default_factory=list)  # mean probability on optimal moves
    counts: dict[str, list[float | None]] = field(default_factory=dict)  # of a larger board

    @property
    def unbeatable_at(self) -> tuple[int, float] | None:
        """Step and time in seconds of the first unbeatable measurement, or None."""
        worst = zip(self.worst["X"], self.worst["O"], strict=True)
        safe = [at for at, pair in enumerate(worst) if _unbeatable(pair)]
        return (self.steps[safe[0]], self.seconds[safe[0]]) if safe else None


def _unbeatable(worst: Sequence[float | None]) -> bool:
    """Return whether the worst cases, as X and as O, are both the game's value.

    They are at most v and -v, so this is if and only if they sum to 0.
    """
    x, o = worst
    return x is not None and o is not None and x + o > -TOLERANCE


@dataclass(frozen=True)
class Kind:
    """What the curves of some games measure, and how they are stored.

    Attributes:
        key: where they stand in a card.
        numbers: the minimum and maximum of each column after the steps and the seconds; its tag
            begins with `exact/`.
        real: the columns, but for the seconds, that are not of integers.
        optional: whether a number may be unknown.
    """

    key: str
    numbers: dict[str, tuple[float, float]]
    real: tuple[str, ...]
    optional: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in order."""
        return (*TIME, *self.numbers)

    def point(self, step: int, numbers: Mapping[str, float]) -> Point | None:
        """Create a measurement from numbers by tag, or return None if they are of another kind."""
        found = [numbers.get(f"exact/{name}") for name in self.numbers]
        if found[0] is None or (None in found and not self.optional):
            return None
        return (step, numbers["time/seconds"], *found)

    def extended(self, points: Sequence[Point], added: Point, every: int) -> tuple[Point, ...]:
        """Append a point, then reduce the points to landmarks if there are too many.

        The selection depends only on the steps, so a resumed run keeps the same points.

        Args:
            points: the points so far.
            added: a later point.
            every: steps between measures.
        """
        whole = [*points, added]
        return tuple(whole[at] for at in self.landmarks(whole, every, MOST))

    def landmarks(self, points: Sequence[Point], every: int, most: int) -> list[int]:
        """Return the indices of at most `most` points, evenly spaced.

        The first, the last and the first unbeatable one are always included.

        Args:
            points: the run's points, in order.
            every: steps between measures.
            most: maximum number, at least 5.
        """
        at = self.columns.index("worst_case_X")
        safe = next((n for n, one in enumerate(points) if _unbeatable(one[at : at + 2])), 0)
        steps, apart = [int(one[0] or 0) for one in points], every
        while steps[-1] / apart > most - 4:
            apart *= 2
        ends = {0, safe, len(steps) - 1}
        return [n for n, step in enumerate(steps) if n in ends or step % apart == 0]

    def for_card(self, points: Sequence[Point]) -> dict[str, list[float | None]]:
        """Return the points in the format of a card: a list of rounded numbers per column."""
        columns = zip(self.columns, zip(*points, strict=True), strict=True)
        return {name: [self._rounded(name, one) for one in column] for name, column in columns}

    def _rounded(self, name: str, number: float | None) -> float | None:
        if number is None:
            return None
        if name in self.real or name == "seconds":
            return round(number, DIGITS.get(name, 12))  # a worst case is not rounded to a draw
        return int(number)

    def from_card(self, card: Mapping[str, Any]) -> Curve | None:
        """Return the curve of an untrusted card, or None if it has none."""
        found = card.get(self.key)
        if found is None:
            return None
        self._check(found)
        time = found["steps"], list(map(float, found["seconds"]))
        if self.optional:
            return Curve(*time, counts={name: list(found[name]) for name in self.numbers})
        worst = {seat: list(map(float, found[f"worst_case_{seat}"])) for seat in "XO"}
        return Curve(*time, worst, list(map(float, found["optimal_moves"])))

    def _check(self, found: Any) -> None:
        """Raise ValueError unless untrusted columns form a valid curve."""
        limits, what = TIME | self.numbers, "the curve in its card"
        if not isinstance(found, dict) or set(found) != set(limits):
            raise ValueError(f"{what} must have exactly the columns {', '.join(limits)}")
        lengths = {len(found[name]) if isinstance(found[name], list) else 0 for name in limits}
        if len(lengths) != 1 or not 0 < min(lengths) <= MOST:
            raise ValueError(f"{what} must have 1 to {MOST} measurements, as many in every column")
        for name, (least, most) in limits.items():
            kinds = int | float if name in self.real or name == "seconds" else int
            for one in found[name]:
                if one is None and self.optional and name in self.numbers:
                    continue
                if isinstance(one, bool) or not isinstance(one, kinds) or not least <= one <= most:
                    raise ValueError(f"{what} has an invalid {name}: {shown(repr(one), 60)}")
        for name in TIME:
            if found[name] != sorted(found[name]) or len(set(found["steps"])) < len(found["steps"]):
                raise ValueError(f"{what} has {name} that do not increase")


WORST_CASES = ("worst_case_X", "worst_case_O")
exact_curve = Kind(
    "curve",
    {**dict.fromkeys(WORST_CASES, (-1.001, 1.001)), "optimal_moves": (-0.001, 1.001)},
    real=(*WORST_CASES, "optimal_moves"),
    optional=False,
)
# On boards too large to enumerate, from certificates by reachable positions: the positions
# followed, the lost ones in an attack of fixed length, the stones of the shortest lost game (0: it
# forfeits on the empty board) and the worst case.
larger_curve = Kind(
    "larger_curve",
    {
        f"{name}_{seat}": limits
        for name, limits in {
            "reached": (0, 1e12),
            "losing_leaves": (0, 1e6),
            "losing_line": (0, 361),
            "worst_case": (-1, 1),
        }.items()
        for seat in "XO"
    },
    real=WORST_CASES,
    optional=True,
)
