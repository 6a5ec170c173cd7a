"""Random numbers drawn one after another in kernels, by splitmix64 with its state in an array."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.random_kernel import STEP, splitmix64
from tttenv.game.types import Stones
from tttenv.utils.compiled import inner


@inner
def seed(state: NDArray[np.uint64], board: Stones, start: int) -> None:
    """Seed `state` (1,) from the stones of `board` (cells,) and the uint64 `start`."""
    state[0] = start
    for cell in range(board.size):
        state[0] = next_uint64(state) ^ np.uint64(board[cell] + 1)


@inner
def next_uint64(state: NDArray[np.uint64]) -> np.uint64:
    """Return the next uniformly distributed uint64, and advance `state` (1,)."""
    state[0] += STEP
    return splitmix64(state[0])


@inner
def bounded(state: NDArray[np.uint64], limit: int) -> int:
    """Return a random integer from 0 to limit - 1, uniform to within one part in four billion."""
    high = next_uint64(state) >> np.uint64(32)
    return int(np.int64((high * np.uint64(limit)) >> np.uint64(32)))
