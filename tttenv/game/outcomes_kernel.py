"""The outcome of a game for one side, as a number, and the rewards for outcomes."""

import numpy as np
from numpy.typing import NDArray

from tttenv.utils.compiled import compiled

# GOING: the game is not over. ILLEGAL: the side chose a taken cell, which ended the game.
GOING, WIN, DRAW, LOSS, ILLEGAL = range(5)
SEEN_BY_OTHER = np.array([GOING, LOSS, DRAW, WIN], np.int8)  # the same for the other side
Outcomes = NDArray[np.int8]  # (games,)


@compiled
def pay(outcomes: Outcomes, payoffs: NDArray[np.float64], rewards: NDArray[np.float64]) -> None:
    """Write the rewards (games,) for these outcomes (games,); `payoffs` (5,) has one for each."""
    for i in range(len(outcomes)):
        rewards[i] = payoffs[np.uint64(outcomes[i])]
