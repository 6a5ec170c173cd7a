"""Comparing root moves after an alpha-beta search, with a score and a variation for each.

An alpha-beta search only learns that the other moves are no better than the best one. Here they are
searched again with increasing depth, in windows that are open below, up to the depth that decided
the move. The transposition table of the search is reused.
"""

from typing import NamedTuple

import numpy as np

from tttenv.game.rules_kernel import completes, winning_cells
from tttenv.game.transposition_kernel import UPPER_BOUND
from tttenv.game.types import Boards
from tttenv.players.search.alphabeta_kernel import INFINITY, PROVEN, SearchState, put_board
from tttenv.players.search.search_budget import Budget, LimitError, Limits, score_move


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
        state: the kernel's arrays after a search of `board`.
        board: the root (cells,).
        limits: the limits on positions and seconds.
        moves: the moves that the search compared, the best first.
        depths: the depths that the search finished, in plies.
        best_score: of the best move at the last of them. No other has a higher one; where a
            selective search now finds one, the best score is shown as its upper bound.

    Returns:
        For each move, the result of its deepest completed search.
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

    Wins and blocks of threats, which the search takes for granted, are added at its end.

    Args:
        state: after a search of `board`; its hashes are changed.
        board: the root (cells,).
        move: on it.
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
