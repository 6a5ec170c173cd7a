"""Random numbers in kernels by splitmix64 (Steele, Lea and Flood, 2014), and sampling of moves.

They are drawn from a key and a count, or one after another from a state in an array.
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Probs, Stones
from tttenv.utils.compiled import bare, compiled, inner

STEP = np.uint64(0x9E3779B97F4A7C15)
USES = 3  # for which a game may need chance in one step
REPLY, SEAT, OPENING = range(USES)  # the opponent's stone; the agent's seat; the opponent's opening
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
UNIT = 2.0**-53  # turns the upper 53 bits of a number into a uniform number in [0, 1)


@inner
def splitmix64(z: np.uint64) -> np.uint64:
    """Return `z` mixed by splitmix64: every output bit depends on all bits of `z`."""
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


@inner
def keyed_bounded(key: np.uint64, i: int, limit: int) -> int:
    """Return the key's i-th integer from 0 to limit - 1, uniform to one part in four billion."""
    high = splitmix64(key + np.uint64(i) * STEP) >> np.uint64(32)
    return int(np.int64((high * np.uint64(limit)) >> np.uint64(32)))


@bare
def keyed(key: np.uint64, game: int, use: int) -> float:
    """Return a game's random number in [0, 1) for a given use, derived from the step's key.

    It is the output number `USES * game + use + 1` of splitmix64 seeded by the key, its upper 53
    bits as a fraction. So games depend on nothing but the key and their own number.
    """
    output = splitmix64(key + np.uint64(game * USES + use + 1) * STEP)
    return float((output >> np.uint64(11)) * UNIT)


@compiled
def keyed_uniforms(key: np.uint64, games: NDArray[np.int64], use: int) -> NDArray[np.float64]:
    """Return one random number in [0, 1) per game (games,), for a given use; see `keyed`."""
    uniforms = np.empty(len(games))
    for j in range(len(games)):
        uniforms[j] = keyed(key, games[j], use)
    return uniforms


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
