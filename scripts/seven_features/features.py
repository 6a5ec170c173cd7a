"""Greedy linear players: the seven features, further ones, and constraints on the weights.

A greedy linear player moves to the board with the highest value, weights times features. Only the
order of the boards matters: each choice requires that differences of features, times the weights,
are above zero, or at least zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import SEATS, Positions, Tabulated, positions, solve
from tttenv.game.features import forks, line_counts, seven
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.utils.arrays import read_only

RULES = Rules()
EDGES, CORNERS, CENTRE = [1, 3, 5, 7], [0, 2, 6, 8], 4

# Features one could add: boards (batch, cells), seen by who has just moved -> numbers (batch,).
ADDED: dict[str, Callable[[Boards], NDArray[Any]]] = {
    "their_forks": lambda boards: forks(RULES, -boards),
    "their_fork": lambda boards: forks(RULES, -boards) > 0,
    "my_forks": lambda boards: forks(RULES, boards),
    "my_fork": lambda boards: forks(RULES, boards) > 0,
    "they_can_win": lambda boards: line_counts(RULES, boards)[:, 1, 1] > 0,
    "i_threaten": lambda boards: line_counts(RULES, boards)[:, 0, 1] > 0,
    "i_threaten_twice": lambda boards: line_counts(RULES, boards)[:, 0, 1] > 1,
    "their_lines_begun": lambda boards: line_counts(RULES, boards)[:, 1, 0],
    "their_centre": lambda boards: boards[:, CENTRE] == -1,
    "their_corners": lambda boards: (boards[:, CORNERS] == -1).sum(1),
    "my_edges": lambda boards: (boards[:, EDGES] == 1).sum(1),
    "their_edges": lambda boards: (boards[:, EDGES] == -1).sum(1),
}

ABOUT = {"their_forks": "on how many empty cells a stone of theirs makes two threats"}

TIES = {
    "first": "the first of equals in reading order is played, as the source does",
    "mixed": "each of equals may be played",
    "distinct": "no two boards of different features are worth the same; other ties are kind",
}


@lru_cache(maxsize=32)
def features(added: tuple[str, ...] = ()) -> NDArray[np.int64]:
    """Return the seven and the added features (positions, 7 + added) of all positions.

    A position is seen by the side that has just moved, which chose it.
    """
    boards = -positions(RULES).boards
    columns = [seven(RULES, boards), *(ADDED[name](boards) for name in added)]
    return read_only(np.column_stack(columns).astype(np.int64))


def player(weights: Sequence[float], added: tuple[str, ...] = ()) -> Tabulated:
    """Return the greedy linear player with the given weights; ties go to the lowest cell."""
    after, worth = positions(RULES).successors, features(added) @ np.asarray(weights)
    moves = np.where(after >= 0, worth[after], -np.inf)
    best = np.arange(RULES.cells) == moves.argmax(axis=1)[:, None]
    return Tabulated.uniform_over(RULES, best & (after >= 0))


@dataclass(frozen=True)
class Question:
    """A question: is some greedy linear player good enough in a seat?"""

    seat: str = "O"  # X or O
    ties: str = "first"  # a row of TIES
    added: tuple[str, ...] = ()  # rows of ADDED, beside the seven
    losing_below: Fraction | None = None  # share lost against random; None asks for unbeatable

    def __post_init__(self) -> None:
        if self.seat not in SEATS or self.ties not in TIES or set(self.added) - set(ADDED):
            raise ValueError(f"no such question: {self}")

    @cached_property
    def game(self) -> Positions:
        """All positions of the game."""
        return positions(RULES)

    @cached_property
    def seen(self) -> list[list[int]]:
        """The features of every position, as Python integers."""
        return [list(map(int, row)) for row in features(self.added)]

    @cached_property
    def after(self) -> list[dict[int, int]]:
        """The successors of every position, by cell."""
        return [
            {cell: int(to) for cell, to in enumerate(row) if to >= 0}
            for row in self.game.successors
        ]

    @cached_property
    def keeping(self) -> list[list[int]]:
        """The moves of every position that keep its value."""
        return [[int(cell) for cell in np.flatnonzero(row)] for row in solve(RULES).optimal]

    def open_to(self, at: int) -> list[int]:
        """Return the moves allowed at `at`: only optimal ones if the player must be unbeatable."""
        return self.keeping[at] if self.losing_below is None else list(self.after[at])

    @cached_property
    def begin(self) -> list[int]:
        """The positions in which the player may make its first move."""
        return [0] if self.seat == "X" else list(self.after[0].values())

    def replies(self, at: int, cell: int) -> list[int]:
        """Return the positions in which the player may move next after playing `cell` at `at`."""
        return [to for to in self.after[self.after[at][cell]].values() if self.after[to]]

    def demand(self, at: int, cell: int, other: int) -> tuple[list[int], bool] | None:
        """Return the constraint on the weights for choosing `cell` over `other` at `at`.

        Returns:
            Differences of features that, times the weights, must be at least zero, and whether they
            must be above zero; None if there is no constraint.
        """
        liked, spurned = self.seen[self.after[at][cell]], self.seen[self.after[at][other]]
        difference = [mine - theirs for mine, theirs in zip(liked, spurned, strict=True)]
        if self.ties == "first":
            return difference, other < cell
        if self.ties == "mixed":
            return difference, other not in self.keeping[at]
        return (difference, True) if any(difference) else None
