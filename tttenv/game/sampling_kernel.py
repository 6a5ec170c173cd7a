"""Sampling of moves from their probabilities, in kernels."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Probs
from tttenv.utils.compiled import compiled, inner


@inner
def sample_categorical(probs: NDArray[np.float64], die: float) -> int:
    """Return the first cell of `probs` (cells,) with a cumulative probability above `die`.

    The last cell with any probability stands in where rounding leaves the die beyond the sum.
    """
    total = 0.0
    for cell in range(probs.size):
        total += probs[cell]
    reached = 0.0
    last = -1
    for cell in range(probs.size):
        if probs[cell] > 0.0:
            reached += probs[cell]
            last = cell
            if reached > die * total:
                return cell
    return last


@compiled
def pick(probs: Probs, dice: NDArray[np.float64]) -> Cells:
    """Sample cells (batch,) from `probs` (batch, cells) with uniform `dice` (batch,) in [0, 1)."""
    cells = np.empty(len(probs), np.int64)
    for i in range(len(probs)):
        cells[i] = sample_categorical(probs[i], dice[i])
    return cells
