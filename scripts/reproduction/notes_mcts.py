"""Tree search from the lecture notes, including its mistakes.

The position at which an iteration stops selecting is counted twice; the child to expand is any
child, not a new one; and all paths to a position share its counts, since one map is used for all
games.
"""

from math import log, sqrt

import numpy as np

from tttenv import Rules
from tttenv.exact import positions

C = 1.4142135623730951


class NotesSearch:
    """A growing search tree, with positions indexed as in `tttenv.exact.positions`."""

    def __init__(self, rng: np.random.Generator) -> None:
        game = positions(Rules())
        self.rng = rng
        self.after = [[q for q in row if q >= 0] for row in game.successors.tolist()]
        self.lost, self.seats = game.lost.tolist(), game.seats.tolist()
        self.visits: dict[int, int] = {}
        self.points: dict[int, float] = {}  # for the side whose stone made the position
        self.dice: list[float] = []

    def search(self, root: int, iterations: int = 500) -> int:
        """Run a search, and return the most visited child of `root`, the first if tied.

        Raises:
            ValueError: as published, if the root is new and all its children are known.
        """
        self.visits.setdefault(root, 0)
        self.points.setdefault(root, 0.0)
        for _ in range(iterations):
            path = self._select(root)
            path.append(path[-1])  # the mistake
            if self.after[path[-1]]:
                path.append(self._any(self.after[path[-1]]))
            self._count(path)
        return int(max(self.after[root], key=lambda child: self.visits.get(child, -1)))

    def _select(self, at: int) -> list[int]:
        """Descend from `at` to a final position or a position with an unexplored child."""
        path = [at]
        while self.after[at] and all(child in self.visits for child in self.after[at]):
            root = C * sqrt(log(self.visits[at]))
            at = max(self.after[at], key=lambda child: self._promise(child, root))
            path.append(at)
        return path

    def _promise(self, child: int, root: float) -> float:
        visits = self.visits[child]
        return self.points[child] / visits + root / sqrt(visits)

    def _count(self, path: list[int]) -> None:
        """Play random moves to the end, and add the result to all positions on the path."""
        at = path[-1]
        while self.after[at]:
            at = self._any(self.after[at])
        for position in path:
            made_by_winner = self.seats[position] == self.seats[at]
            point = float(made_by_winner) if self.lost[at] else 0.5
            self.visits[position] = self.visits.get(position, 0) + 1
            self.points[position] = self.points.get(position, 0.0) + point

    def _any(self, children: list[int]) -> int:
        if not self.dice:
            self.dice = self.rng.random(4096).tolist()
        return children[int(self.dice.pop() * len(children))]
