"""From chance to legal cells, for a batch of games kept as numbers of positions."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.chance import spread
from tttenv.kernels.walk import Numbers
from tttenv.types import Cells


@compiled
def pick(
    at: Numbers,
    waiting: NDArray[np.int64],
    dice: NDArray[np.float64],
    reached: NDArray[np.float64],
    last: NDArray[np.int64],
) -> Cells:
    """The cells (waiting,) on which the dice (waiting,) fall; see `dice.fall`.

    Args:
        at: the games' positions.
        waiting: the numbers of the games.
        dice: from [0, 1).
        reached: cumulative probabilities of the opponent's moves, (positions, cells).
        last: its last cell with any probability, (positions,).
    """
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        row = reached[at[waiting[j]]]
        end = last[at[waiting[j]]]
        goal = dice[j] * row[end]
        cell = 0
        for c in range(row.size):
            cell += row[c] <= goal
        cells[j] = min(cell, end)
    return cells


@compiled
def pick_uniform(
    at: Numbers,
    waiting: NDArray[np.int64],
    dice: NDArray[np.float64],
    playable: NDArray[np.int8],
    many: NDArray[np.int8],
) -> Cells:
    """As `pick`, for a random player.

    Args:
        at: the games' positions.
        waiting: the numbers of the games.
        dice: from [0, 1).
        playable: the legal cells of each position first, (positions, cells).
        many: how many these are, (positions,).
    """
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        p = at[waiting[j]]
        cells[j] = playable[p, int(dice[j] * many[p])]
    return cells


@compiled
def choose(
    at: Numbers,
    key: np.uint64,
    playable: NDArray[np.int8],
    many: NDArray[np.int8],
    cells: Cells,
) -> None:
    """Write a random legal cell for each game (games,): game i's die is the key's i-th.

    `playable` and `many` are as for `pick_uniform`.
    """
    for i in range(len(at)):
        p = at[i]
        cells[i] = playable[p, np.uint64(spread(key, i, many[p]))]
