"""Enumeration of all reachable positions of a small game, ply by ply, with their transitions."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.exact import enumeration_kernel as kernels
from tttenv.game.outcomes_kernel import Outcome, Outcomes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.utils.arrays import read_only
from tttenv.utils.untrusted import shown

# Largest number of `arrangements` for which a game is `solvable`, and `enumerable`.
SOLVABLE, ENUMERABLE = 11_000_000, 4_000_000
BLOCK = 2**17  # positions processed at once, which bounds the memory of intermediate arrays


@dataclass(frozen=True)
class Positions:
    """All positions reachable from the empty board, ply by ply, sorted within a ply.

    All arrays are read-only and have one row per position.
    """

    rules: Rules
    boards: Boards  # (positions, cells), seen by the side to move
    codes: NDArray[np.int64]  # (positions,): the board as a base-3 number
    plies: tuple[int, ...]  # index of each ply's first position, then the number of positions
    successors: NDArray[np.int32]  # (positions, cells): the position a move leads to, or -1
    outcomes: Outcomes  # (positions,): for the side to move

    def __post_init__(self) -> None:
        read_only((self.boards, self.codes, self.successors, self.outcomes))

    def __len__(self) -> int:
        return len(self.boards)

    @cached_property
    def decisions(self) -> NDArray[np.int64]:
        """Indices (decisions,) of the positions with a legal move."""
        return read_only(np.flatnonzero(~self.over))

    @cached_property
    def seats(self) -> NDArray[np.int64]:
        """Side to move (positions,) in each position: 0 for X, 1 for O."""
        stones = np.repeat(np.arange(len(self.plies) - 1), np.diff(self.plies))
        return read_only(stones % 2)

    @cached_property
    def lost(self) -> Mask:
        """Mask (positions,) of the positions that the side to move has lost."""
        return read_only(np.asarray(self.outcomes == Outcome.LOSS))

    @cached_property
    def over(self) -> Mask:
        """Mask (positions,) of the positions in which the game is won or drawn."""
        return read_only(np.asarray(self.outcomes != Outcome.GOING))

    def ply(self, stones: int) -> slice:
        """Return the indices of the positions with `stones` stones."""
        return slice(self.plies[stones], self.plies[stones + 1])

    def blocks(self, rows: slice | None = None) -> Iterator[slice]:
        """Yield the indices of all positions, or of `rows`, in slices of at most `BLOCK`."""
        start, stop = (0, len(self)) if rows is None else (rows.start, rows.stop)
        for first in range(start, stop, BLOCK):
            yield slice(first, min(first + BLOCK, stop))

    def index(self, boards: ArrayLike) -> NDArray[np.int64]:
        """Return the indices (...) of boards (..., cells).

        Args:
            boards: seen by their sides to move.

        Raises:
            ValueError: if a board has another shape or cannot be reached.
        """
        given = self.rules.boards(boards)
        codes = _codes(given)
        order, sorted_codes = self._by_code
        found = order[np.searchsorted(sorted_codes, codes).clip(max=len(order) - 1)]
        missing = (self.boards[found] != given).any(axis=-1)  # invalid boards have no valid code
        if np.any(missing):
            board = given[missing][0] if given.ndim > 1 else given
            raise ValueError(f"unreachable board of {self.rules}: {board.tolist()}")
        return np.asarray(found)

    @cached_property
    def _by_code(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.codes)
        return read_only((order, self.codes[order]))


@lru_cache(maxsize=64)
def arrangements(rules: Rules) -> int:
    """Count the boards with equally many X and O or one more X, reachable or not."""
    return sum(comb(rules.cells, s) * comb(s, s // 2) for s in range(rules.cells + 1))


def solvable(rules: Rules) -> bool:
    """Return whether the game is small enough for exact results: up to 16 cells."""
    return arrangements(rules) <= SOLVABLE


def enumerable(rules: Rules) -> bool:
    """Return whether the game is small enough for tables of all positions: up to 15 cells."""
    return arrangements(rules) <= ENUMERABLE


def require_rules(rules: object) -> None:
    """Refuse anything but a `Rules` object.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(rules, Rules):
        raise ValueError(f"rules must be tttenv.Rules(m, n, k), not {shown(repr(rules), 60)}")


def require_solvable(rules: Rules) -> None:
    """Raise ValueError unless the game is small enough for exact results.

    Raises:
        ValueError: if it has more than 16 cells, with what is possible there.
    """
    require_rules(rules)
    if not solvable(rules):
        raise ValueError(
            f"the game {rules} is too large for exact results on all positions, which minimax and"
            " such certificates need: up to 16 cells; on larger boards alphabeta plays,"
            " tttenv certify follows the positions that a player reaches, and"
            " tttenv.certificates.metrics.arena samples games"
        )


LEARNERS = "the learners alphazero, dqn, maskable_ppo, patterns and reinforce take any board"


def require_enumerable(rules: Rules, instead: str = LEARNERS) -> None:
    """Raise ValueError unless the game is small enough for tables of all positions: 15 cells.

    Args:
        rules: the game.
        instead: what can be done on larger boards, which ends the message.

    Raises:
        ValueError: if the game is larger.
    """
    if not enumerable(rules):
        raise ValueError(
            f"the game {rules} is too large for tables of all positions: up to 15 cells; {instead}"
        )


@lru_cache(maxsize=8)
def positions(rules: Rules) -> Positions:
    """Return all reachable positions of a game of up to 16 cells; cached.

    Raises:
        ValueError: if the game is larger.
    """
    require_solvable(rules)
    cells, most, powers = rules.cells, arrangements(rules), _powers(rules.cells)
    codes, numbers = np.empty(most, np.int64), np.full(3**cells, kernels.UNKNOWN, np.int32)
    boards, successors = np.empty((most, cells), np.int8), np.empty((most, cells), np.int32)
    outcomes = np.empty(most, np.int8)
    start = int(_codes(rules.start()))
    codes[0], numbers[start], starts, found = start, 0, [0], 1
    while found:
        starts.append(starts[-1] + found)
        ply, end = slice(*starts[-2:]), starts[-1]
        kernels.decode_boards(codes[ply], boards[ply])
        outcomes[ply] = rules.outcomes(boards[ply])
        here = codes[ply], boards[ply], outcomes[ply], powers, numbers
        found = kernels.add_ply(*here, end, codes[end:], successors[ply])
    every = slice(0, starts[-1])  # the operating system never allocated the rest
    found_boards = boards[every], codes[every], tuple(starts)
    return Positions(rules, *found_boards, successors[every], outcomes[every])


def _powers(cells: int) -> NDArray[np.int64]:
    return 3 ** np.arange(cells - 1, -1, -1, dtype=np.int64)


def _codes(boards: Boards) -> NDArray[np.int64]:
    """Encode boards (..., cells) as base-3 numbers (...): digit 0 theirs, 1 empty, 2 mine."""
    return (boards + np.int64(1)) @ _powers(boards.shape[-1])
