"""Conversion between OpenSpiel states and our boards."""

from functools import lru_cache
from typing import Any

import numpy as np

from tttenv.adapters import wanted
from tttenv.game.rules import Rules
from tttenv.game.types import Boards

with wanted("pyspiel"):
    import pyspiel


@lru_cache(maxsize=8)
def game(rules: Rules) -> Any:
    """Return the OpenSpiel game for the rules, `tic_tac_toe` or `mnk`; its actions are our cells.

    It is always zero-sum: OpenSpiel pays both players 0 for a draw.
    """
    if rules == Rules():
        return pyspiel.load_game("tic_tac_toe")
    return pyspiel.load_game(f"mnk(m={rules.n},n={rules.m},k={rules.k})")  # columns first


def board_of(rules: Rules, state: Any) -> Boards:
    """Return the board (cells,) of an OpenSpiel state, from the mover's perspective."""
    board, cells = rules.start(), state.history()
    board[cells[::-2]] = -1  # the last stone is the other side's
    board[cells[-2::-2]] = 1
    return board


def state_of(rules: Rules, board: Boards) -> Any:
    """Return an OpenSpiel state with the given undecided board (cells,).

    States are identified by their histories. Of the many histories that lead to a board, this one
    places the stones of each side row by row; nobody wins on the way, since no part of an undecided
    board contains a line.
    """
    mover = int(rules.seat(board))
    stones = [np.flatnonzero(board == 1), np.flatnonzero(board == -1)]
    first, second = stones if mover == 0 else reversed(stones)
    state = game(rules).new_initial_state()
    for turn in range(np.count_nonzero(board)):
        state.apply_action(int((first, second)[turn % 2][turn // 2]))
    return state
