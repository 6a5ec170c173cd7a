"""Every reachable position of a small game, ply by ply, and where each move leads."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.rules import Rules
from tttenv.types import Boards, Mask

LARGEST = 4_000_000  # arrangements of stones up to which a game is enumerated


@dataclass(frozen=True)
class Positions:
    """Every position reachable from the empty board, ply by ply, in reading order within a ply.

    All arrays have one row a position; `plies[p] : plies[p + 1]` are those with p stones.
    """

    rules: Rules
    boards: Boards  # (positions, cells), seen by the side to move
    codes: NDArray[np.int64]  # (positions,), the board read as a number to base 3
    plies: tuple[int, ...]  # where each ply begins, and the end
    successors: NDArray[np.int32]  # (positions, cells): the position a move leads to, or -1
    lost: Mask  # (positions,): the side to move has just been beaten
    over: Mask  # (positions,): won or full

    def __len__(self) -> int:
        return len(self.boards)

    @cached_property
    def decisions(self) -> NDArray[np.int64]:
        """The numbers of the positions with a move, (decisions,)."""
        return np.flatnonzero(~self.over)

    @cached_property
    def seats(self) -> NDArray[np.int64]:
        """Who is to move: 0 for X, 1 for O, (positions,)."""
        stones = np.repeat(np.arange(len(self.plies) - 1), np.diff(self.plies))
        return stones % 2

    def ply(self, stones: int) -> slice:
        """The positions with so many stones."""
        return slice(self.plies[stones], self.plies[stones + 1])

    def index(self, boards: ArrayLike) -> NDArray[np.int64]:
        """The numbers of boards (..., cells) among the positions, (...).

        Raises:
            ValueError: if a board cannot be reached.
        """
        given = self.rules.boards(boards)
        codes = _codes(given)
        order, sorted_codes = self._by_code
        found = order[np.searchsorted(sorted_codes, codes).clip(max=len(order) - 1)]
        missing = self.codes[found] != codes
        if np.any(missing):
            board = given[missing][0] if given.ndim > 1 else given
            raise ValueError(f"unreachable board of {self.rules}: {board.tolist()}")
        return np.asarray(found)

    @cached_property
    def _by_code(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.codes)
        return order, self.codes[order]


def arrangements(rules: Rules) -> int:
    """In how many ways stones set in turn can stand on the board, reachable in play or not."""
    return sum(comb(rules.cells, s) * comb(s, s // 2) for s in range(rules.cells + 1))


def enumerable(rules: Rules) -> bool:
    """Whether the game is small enough for exact results: up to 15 cells."""
    return arrangements(rules) <= LARGEST


def require_enumerable(rules: Rules) -> None:
    """Let small games pass.

    Raises:
        ValueError: for larger ones, naming the sampled alternative.
    """
    if not enumerable(rules):
        raise ValueError(
            f"the game {rules} is too large for exact results, which certificates, minimax and "
            "some learners need and which end at 15 cells; "
            "tttenv.metrics.arena (certify.py --sampled) plays sampled games"
        )


@lru_cache(maxsize=8)
def positions(rules: Rules) -> Positions:
    """Every reachable position of `rules`; made once, then kept.

    Raises:
        ValueError: if the game is too large to enumerate.
    """
    require_enumerable(rules)
    powers = _powers(rules.cells)
    layers, links, starts = [_codes(rules.start(1))], [], [0]
    while len(layers[-1]):
        codes = layers[-1]
        starts.append(starts[-1] + len(codes))
        # A stone adds its power; the side to move then changes, which turns x into top - x.
        after = powers.sum() * 2 - (codes[:, None] + powers)
        legal = rules.legal(_decoded(codes, rules.cells))
        successors = np.full(legal.shape, -1, np.int32)
        reached, where = np.unique(after[legal], return_inverse=True)
        successors[legal] = starts[-1] + where
        links.append(successors)
        layers.append(reached)
    codes = np.concatenate(layers)
    boards = _decoded(codes, rules.cells)
    successors = np.concatenate(links)
    return Positions(
        rules, boards, codes, tuple(starts), successors, rules.lost(boards), rules.over(boards)
    )


def _powers(cells: int) -> NDArray[np.int64]:
    return 3 ** np.arange(cells - 1, -1, -1, dtype=np.int64)


def _codes(boards: Boards) -> NDArray[np.int64]:
    """Boards (..., cells) read as numbers to base 3 (...), 0 theirs, 1 empty, 2 mine."""
    codes: NDArray[np.int64] = (boards + np.int64(1)) @ _powers(boards.shape[-1])
    return codes


def _decoded(codes: NDArray[np.int64], cells: int) -> Boards:
    return (codes[:, None] // _powers(cells) % 3 - 1).astype(np.int8)
