"""From chance to legal cells, for a batch of games kept as numbers of positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.chance import spread
from tttenv.kernels.walk import Numbers, Picked
from tttenv.types import Cells

# What is looked up of an opponent: the cumulative probabilities of its moves (positions, cells) and
# its last cell with any (positions,); both empty for a random one.
Opponent = tuple[NDArray[np.float64], NDArray[np.int64]]
Playable = NDArray[np.int8]


@compiled
def fall(
    at: Numbers,
    which: NDArray[np.integer[Any]],
    dice: NDArray[np.float64],
    opponent: Opponent,
    playable: Playable,
    many: Playable,
    cells: Picked,
) -> None:
    """Write the opponent's cells on which the dice fall; see `dice.fall`.

    Args:
        at: the games' positions.
        which: the numbers of the games it is asked in.
        dice: from [0, 1), one for each of these.
        opponent: what is known of it.
        playable: the legal cells of each position first, (positions, cells).
        many: how many these are, (positions,).
        cells: written, one for each die.
    """
    reached, last = opponent
    if len(last):
        for j in range(len(which)):
            p = at[which[j]]
            end = np.uint64(last[p])
            goal = dice[j] * reached[p, end]
            cell = np.uint64(0)
            for c in range(reached.shape[1]):
                cell += reached[p, c] <= goal
            cells[j] = min(cell, end)
    else:
        for j in range(len(which)):
            p = at[which[j]]
            cells[j] = playable[p, np.uint64(dice[j] * many[p])]


@compiled
def choose(
    at: Numbers,
    key: np.uint64,
    playable: Playable,
    many: Playable,
    cells: Cells,
) -> None:
    """Write a random legal cell for each game (games,): game i's die is the key's i-th.

    `playable` and `many` are as for `fall`.
    """
    for i in range(len(at)):
        p = at[i]
        cells[i] = playable[p, np.uint64(spread(key, i, many[p]))]
