"""Budgets of an alpha-beta search, in positions and seconds, and the scoring of root moves.

An alpha-beta search only learns that the other moves are no better than the best one. To explain a
move they are searched again with increasing depth, in windows that are open below, up to the depth
that decided it. The transposition table of the search is reused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules_kernel import completes, winning_cells
from tttenv.game.transposition_kernel import UPPER_BOUND
from tttenv.game.types import Boards
from tttenv.players.search.alphabeta_kernel import (
    INFINITY,
    PROVEN,
    UNLIMITED,
    SearchState,
    begin_move,
    put_board,
    search_nodes,
)
from tttenv.utils.compile_time import now

SLICE = 20_000  # positions between two checks of the clock and of Ctrl-C


@dataclass(frozen=True)
class Limits:
    """Limits of a search; None means no limit."""

    depth: int | None  # plies
    nodes: int | None  # positions
    time: float | None  # seconds


class LimitError(Exception):
    """Raised to interrupt a search at its limit; the results of that depth are discarded."""


class Budget:
    """The remaining budget for one move; `left` is the kernel's counter (1,) of positions."""

    def __init__(self, left: NDArray[np.int64], limits: Limits) -> None:
        self.left, self.limits = left, limits
        self.total = UNLIMITED if limits.nodes is None else limits.nodes
        self.left[0] = self.total
        self.deadline = None if limits.time is None else now() + limits.time

    @property
    def spent(self) -> int:
        """Number of positions searched so far."""
        return self.total - int(self.left[0])

    def check(self) -> None:
        """Interrupt the search if a limit is reached.

        Raises:
            LimitError: if no positions or no time is left.
        """
        late = self.deadline is not None and now() >= self.deadline
        if late or self.left[0] <= 0:
            raise LimitError

    @contextmanager
    def part(self, share: float, nodes: int) -> Iterator[None]:
        """End a block, without an error, when its part of the budget is spent.

        Args:
            share: of the positions and seconds, from 0 to 1.
            nodes: positions, if neither is limited.
        """
        whole, deadline = int(self.left[0]), self.deadline
        part = whole if self.limits.time is not None else nodes
        if self.limits.nodes is not None:
            part = min(whole, int(share * self.limits.nodes))
        if self.limits.time is not None and deadline is not None:
            self.deadline = min(deadline, now() + share * self.limits.time)
        self.left[0] = part
        try:
            yield
        except LimitError:
            pass
        finally:
            self.left[0] = whole - (part - int(self.left[0]))
            self.deadline = deadline


def score_move(
    state: SearchState, budget: Budget, cell: int, alpha: int, depth: int, beta: int = INFINITY
) -> int:
    """Search a root move.

    Args:
        state: the search, whose board is the root.
        budget: what is left of the limits.
        cell: the move.
        alpha: a score of at most this is only an upper bound of the true one.
        depth: plies, the move counted.
        beta: a score of at least this is only a lower bound.

    Returns:
        The score for the side that makes the move.

    Raises:
        LimitError: if a limit is reached before.
    """
    budget.check()
    begin_move(state, cell, alpha, beta, depth - 1)
    while state.ply[0] > 0:
        budget.check()
        search_nodes(state, SLICE)
    return -int(state.frames[1]["best"])


class ScoredMove(NamedTuple):
    """A root move with its score at a given depth."""

    score: int
    at_most: bool  # whether the score is only an upper bound
    depth: int  # plies, the move counted
    line: tuple[int, ...]  # the principal variation, which begins with the move


def scored_moves(
    state: SearchState,
    board: Boards,
    limits: Limits,
    moves: list[int],
    depths: list[int],
    best_score: int,
) -> dict[int, ScoredMove]:
    """Search root moves one by one, with increasing depth until a limit is reached.

    Args:
        state: the search, whose table is used again.
        board: the root (cells,), seen by the side to move.
        limits: of this comparison.
        moves: those that the search compared, the best first.
        depths: those that it finished, in plies.
        best_score: its result. Where a selective search now finds a higher score for a move, this
            is shown as an upper bound.

    Returns:
        The scores of the moves that were searched, by cell.
    """
    put_board(state, board)
    budget, found, order = Budget(state.left, limits), dict[int, ScoredMove](), list(moves)
    try:
        for depth in depths:
            beta = best_score + 1 if depth == depths[-1] else INFINITY
            for move in order:
                score = score_move(state, budget, move, -INFINITY, depth, beta)
                line = principal_variation(state, board, move)
                found[move] = ScoredMove(score, False, depth, line)
                put_board(state, board)
            order[1:] = sorted(order[1:], key=lambda move: -found[move].score)
    except LimitError:
        pass
    for move, one in found.items():
        if one.score > best_score:
            found[move] = one._replace(score=best_score, at_most=True, depth=depths[-1])
    return found


def principal_variation(state: SearchState, board: Boards, move: int) -> tuple[int, ...]:
    """Return a root move and its best continuation in the transposition table.

    Wins and blocks, which the search takes for granted, are added.

    Args:
        state: the search; its board and hashes are changed.
        board: the root (cells,), seen by the side to move.
        move: a cell.

    Returns:
        The cells, the move first.
    """
    after, line, stone = board.copy(), [move], 1
    after[move] = stone
    while (after == 0).any() and not completes(after, line[-1], state.game):
        stone = -stone
        cell = _forced_cell(state, after, stone)
        if cell is None:
            cell = _table_move(state, after)
        if cell is None or after[cell] != 0:
            break
        after[cell] = stone
        line.append(cell)
    return tuple(line)


def _forced_cell(state: SearchState, board: Boards, stone: int) -> int | None:
    """Return the first cell that completes a line for `stone`, else for the other side."""
    for side in (stone, -stone):
        cells = np.flatnonzero(winning_cells(board[None], side, state.game)[0])
        if len(cells):
            return int(cells[0])
    return None


def _table_move(state: SearchState, board: Boards) -> int | None:
    """Return the table's move on a board in the root's view, or None if it has no usable one."""
    put_board(state, board)
    hashes, table = state.hashes, state.table
    image = int(hashes.current.argmin())
    key = hashes.current[image]
    slot = int(key & np.uint64(table.size - 1))
    for entry in (table[slot], table[slot ^ 1]):
        if entry["key"] == key and entry["age"] >= state.age[1]:
            failed_low = entry["bound"] == UPPER_BOUND and abs(entry["score"]) < PROVEN
            return None if failed_low else int(hashes.origins[image, entry["cell"]])
    return None
