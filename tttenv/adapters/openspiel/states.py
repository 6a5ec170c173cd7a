"""The same game in OpenSpiel: its states as our boards, and our boards as its states."""

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
    """OpenSpiel's game of these rules: `tic_tac_toe` or `mnk`; its actions are our cells.

    It is zero-sum, by OpenSpiel's own code: a draw pays both players 0, and nothing else.
    """
    if rules == Rules():
        return pyspiel.load_game("tic_tac_toe")
    return pyspiel.load_game(f"mnk(m={rules.n},n={rules.m},k={rules.k})")  # columns first


def board_of(rules: Rules, state: Any) -> Boards:
    """The board (cells,) of an OpenSpiel state, seen by the side to move."""
    board, cells = rules.start(), state.history()
    board[cells[::-2]] = -1  # the last stone is the other side's
    board[cells[-2::-2]] = 1
    return board


def state_of(rules: Rules, board: Boards) -> Any:
    """An OpenSpiel state with this undecided board (cells,), its stones put in reading order.

    States are known by their histories; of the many that lead to a board this is one in which X and
    O take turns and nobody wins on the way, as no part of an undecided board holds a line.
    """
    mover = int(rules.seat(board))
    stones = [np.flatnonzero(board == 1), np.flatnonzero(board == -1)]
    first, second = stones if mover == 0 else reversed(stones)
    state = game(rules).new_initial_state()
    for turn in range(np.count_nonzero(board)):
        state.apply_action(int((first, second)[turn % 2][turn // 2]))
    return state
