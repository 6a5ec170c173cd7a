"""Outcomes of a game for one side, and values of positions, as the numbers that kernels use.

A value is what a position is worth to one side under perfect play, which is also the reward that
`rewards` gives for a win, a draw and a loss: minus the value is that of the other side.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tttenv.utils.compiled import inner


class Outcome(IntEnum):
    """Outcome of a game for one side; `info["outcome"]` holds these numbers as int8."""

    GOING = 0
    WIN = 1
    DRAW = 2
    LOSS = 3
    ILLEGAL = 4  # the side chose a taken cell, which ended the game


Outcomes = NDArray[np.int8]  # (games,)
GOING, WIN, DRAW, LOSS, ILLEGAL = (int(outcome) for outcome in Outcome)  # for compiled code
SEEN_BY_OTHER = np.array([GOING, LOSS, DRAW, WIN], np.int8)  # the same for the other side

WON, DRAWN, LOST, UNPROVEN = 1, 0, -1, 2  # values, and the number in place of an unknown one


@inner
def proven_by_moves(values: NDArray[np.int8]) -> int:
    """Return a position's value by those of its moves (moves,): one wins, or all are proven."""
    best, every = LOST, True
    for i in range(values.size):
        if values[i] == WON:
            return WON
        if values[i] == UNPROVEN:
            every = False
        else:
            best = max(best, values[i])
    return best if every else UNPROVEN
