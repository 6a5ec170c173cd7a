"""How a game ends for one side: the outcomes, as an enum and as the numbers that kernels use."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Outcome(IntEnum):
    """The outcome of a game for one side; `info["outcome"]` holds these numbers as int8."""

    GOING = 0
    WIN = 1
    DRAW = 2
    LOSS = 3
    ILLEGAL = 4  # the side chose a taken cell, which ended the game


Outcomes = NDArray[np.int8]  # (games,)
GOING, WIN, DRAW, LOSS, ILLEGAL = (int(outcome) for outcome in Outcome)  # for compiled code
SEEN_BY_OTHER = np.array([GOING, LOSS, DRAW, WIN], np.int8)  # the same for the other side
