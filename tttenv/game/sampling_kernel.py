"""Sampling of moves from their probabilities, in kernels."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Probs
from tttenv.utils.compiled import compiled, inner


@inner
def sample_categorical(probs: NDArray[np.float64], uniform: float) -> int:
    """Return the first cell of `probs` (cells,) with a cumulative probability above `uniform`.

    The last cell with any probability stands in where rounding leaves `uniform` beyond the sum.
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
            if reached > uniform * total:
                return cell
    return last


@compiled
def pick(probs: Probs, uniforms: NDArray[np.float64]) -> Cells:
    """Sample cells (batch,) from `probs` (batch, cells) by `uniforms` (batch,) in [0, 1)."""
    cells = np.empty(len(probs), np.int64)
    for i in range(len(probs)):
        cells[i] = sample_categorical(probs[i], uniforms[i])
    return cells
