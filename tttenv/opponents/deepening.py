"""Iterative deepening (Slate and Atkin, 1977): one alpha-beta search after another, ply by ply."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

from tttenv.kernels.alphabeta import NO_LIMIT, PROVEN, WIN, Search, advance, begin
from tttenv.opponents.found import Found, spread

SLICE = 20_000  # positions between two looks at the clock, and at Ctrl-C
AT_ONCE = 20  # with so few empty cells it searches to the end after a foretaste
FORETASTE = 4  # plies
GUESS = 1000.0  # the open-line score that counts as half a win
BELIEVED = 0.999  # a win or loss that the width of the search leaves unproven


@dataclass(frozen=True)
class Limits:
    """When to stop; None for no limit."""

    depth: int | None  # plies
    nodes: int | None  # positions
    time: float | None  # seconds


class LimitError(Exception):
    """A limit ends the search in the middle of a depth."""


class Deepening:
    """One search from one board, on which nobody wins at once and at most one threat stands.

    Args:
        search: made ready for the board.
        limits: when to stop.
        classes: the moves to choose from: the first of each class of equal moves, and the class.
        first: whether of equally good moves only the first, row by row, is wanted.
    """

    def __init__(
        self, search: Search, limits: Limits, classes: dict[int, list[int]], first: bool
    ) -> None:
        self.room, self.limits, self.classes, self.first = search, limits, classes, first
        self.empty = search.board.size - search.stones
        self.nodes = 0
        self.deadline = None if limits.time is None else monotonic() + limits.time

    def run(self) -> Found:
        """Search deeper and deeper, until a limit or all is known."""
        order = sorted(self.classes, key=lambda cell: (-self.room.lines.pull[cell], cell))
        order = order[: self.room.width]
        best, score = order[:1], 0
        try:
            for depth in self._depths():
                best, score = self._search(order, depth)
                order.sort(key=lambda cell: cell not in best)
                if abs(score) > PROVEN and WIN - abs(score) - self.room.stones <= depth:
                    break  # nothing quicker was out of sight
        except LimitError:
            pass
        moves = best[:1] if self.first else [c for cell in best for c in self.classes[cell]]
        return Found(spread(moves, self.room.board.size), self._value(score), self.nodes)

    def _depths(self) -> Iterator[int]:
        """One more ply at a time, but no longer where going to the end costs less than that."""
        last = min(self.limits.depth or self.empty, self.empty)
        steps = range(1, last)
        if last == self.empty:
            steps = range(1, FORETASTE + 1 if self.empty <= AT_ONCE else self.empty // 2)
        return iter([*steps[: last - 1], last])

    def _search(self, order: list[int], depth: int) -> tuple[list[int], int]:
        """The best of the moves at this depth and their score."""
        best: list[int] = []
        score = -NO_LIMIT
        for cell in order:
            # One less than the best so far still tells a tie from a worse move.
            ties = not self.first or not best or cell < best[0]
            found = self._score(cell, score - 1 if best and ties else score, depth)
            if found > score:
                best, score = [cell], found
            elif found == score and ties:
                best = [cell] if self.first else best + [cell]
        return best, score

    def _score(self, cell: int, alpha: int, depth: int) -> int:
        """The score of a move; if no higher than alpha, a bound of it."""
        self._check()
        self.nodes += 1
        begin(self.room, cell, alpha, NO_LIMIT, depth - 1)
        while self.room.ply[0] > 0:
            self._check()
            left = SLICE if self.limits.nodes is None else self.limits.nodes - self.nodes
            self.nodes += advance(self.room, min(SLICE, left))
        return -int(self.room.frames[1]["best"])

    def _check(self) -> None:
        spent = self.limits.nodes is not None and self.nodes >= self.limits.nodes
        if spent or (self.deadline is not None and monotonic() >= self.deadline):
            raise LimitError

    def _value(self, score: int) -> float:
        """A score as a value from -1 to 1."""
        if abs(score) > PROVEN:
            sure = 1.0 if self.room.width >= self.empty else BELIEVED
            return sure if score > 0 else -sure
        return score / (abs(score) + GUESS)
