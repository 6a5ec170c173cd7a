"""Random numbers in kernels, by splitmix64 (Steele, Lea and Flood, 2014)."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Stones
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
def keyed_bounded(key: np.uint64, i: int, limit: int) -> int:
    """Return the i-th random integer of a key, from 0 to limit - 1, as uniform as `bounded`."""
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
