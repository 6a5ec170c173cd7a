"""From a die to a cell: the one place where chance becomes a move."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.types import Cells, Probs


@compiled
def fall(probs: NDArray[np.float64], die: float) -> int:
    """The first cell of `probs` (cells,) whose cumulative share exceeds `die`, from [0, 1).

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
    """`fall` for probabilities (batch, cells) and dice (batch,): cells (batch,)."""
    cells = np.empty(len(probs), np.int64)
    for i in range(len(probs)):
        cells[i] = fall(probs[i], dice[i])
    return cells
