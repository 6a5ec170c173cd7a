"""Tree search of S1: 4,000 games from the empty board by UCT, without play-outs.

All images of a board share a node; the parent visits in UCT are summed over all boards from which a
node was reached; a draw counts as a win. The search is deterministic.
"""

from collections import defaultdict
from math import inf, log, sqrt
from typing import Any

import numpy as np

from learners.symmetry_classes import SymmetryClasses
from tttenv import Rules
from tttenv.exact import Tabulated, positions


class Node:
    """A class of boards: its visits, and games not lost by the side that moved last."""

    def __init__(self) -> None:
        self.visits, self.good = 0, 0
        self.parents: dict[int, Node] = {}

    def worth(self) -> float:
        """Return the fraction of games won or drawn by the side that moved to this board."""
        return self.good / self.visits if self.visits else 0.0

    def promise(self) -> float:
        """Return the upper confidence bound, which UCT maximizes."""
        if not self.visits:
            return inf
        around = sum(parent.visits for parent in self.parents.values())
        return self.worth() + sqrt(2) * sqrt(log(around) / self.visits)


class TreeSearch:
    """A search that adds nodes game by game."""

    def __init__(self) -> None:
        self.game = positions(Rules())
        self.kind = SymmetryClasses(self.game, symmetric=True).representative.tolist()
        self.after = [[q for q in row if q >= 0] for row in self.game.successors.tolist()]
        self.nodes: defaultdict[int, Node] = defaultdict(Node)

    def play(self) -> None:
        """Play one game from the empty board, and update all boards on its path."""
        at, path = 0, [0]
        while self.after[at]:
            here = self.nodes[self.kind[at]]
            for after in self.after[at]:
                self.nodes[self.kind[after]].parents.setdefault(self.kind[at], here)
            at = max(self.after[at], key=lambda after: self.nodes[self.kind[after]].promise())
            path.append(at)
        for plies, board in enumerate(reversed(path)):
            node = self.nodes[self.kind[board]]
            node.visits += 1
            node.good += not (self.game.lost[at] and plies % 2 == 1)

    def policy(self) -> Tabulated:
        """Return the player whose moves maximize the fraction of games won or drawn."""
        worth: Any = np.full(self.game.successors.shape, -1.0)
        for at, cell in zip(*np.nonzero(self.game.successors >= 0), strict=True):
            worth[at, cell] = self.nodes[self.kind[self.game.successors[at, cell]]].worth()
        best = np.arange(worth.shape[1]) == worth.argmax(axis=1)[:, None]
        return Tabulated.uniform_over(Rules(), best & (self.game.successors >= 0))
