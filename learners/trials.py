"""Algorithm A's trial of every cell, for all positions at once, by walking the successor table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Positions
from tttenv.kernels.types import Cells


class Trials(NamedTuple):
    """What comes of a stone on each cell of each position, (positions, cells), for its player.

    Cells that cannot be played hold zeros.
    """

    results: NDArray[np.int8]  # 1 win, 0 draw, -1 loss, if both sides then play greedily
    plies: NDArray[np.int16]  # how many more plies such a game takes
    chances: NDArray[np.float64]  # of a win, if the other side then moves at random instead


def trials(game: Positions, cells: Cells) -> Trials:
    """Try every legal cell of every position, then play on with `cells` (positions,) to the end."""
    size = game.boards.shape
    found = Trials(np.zeros(size, np.int8), np.zeros(size, np.int16), np.zeros(size))
    result = np.where(game.lost, -1, 0).astype(np.int8)  # of greedy play, for the side to move
    length = np.zeros(len(game), np.int16)
    # The greedy player's chance to win against a random one: with it to move, with the other.
    own, other = np.zeros(len(game)), game.lost.astype(np.float64)
    for stones in reversed(range(len(game.plies) - 1)):
        rows = np.arange(len(game))[game.ply(stones)][~game.over[game.ply(stones)]]
        after, legal = game.successors[rows], game.successors[rows] >= 0
        found.results[rows] = np.where(legal, -result[after], 0)
        found.plies[rows] = np.where(legal, length[after], 0)
        found.chances[rows] = np.where(legal, other[after], 0)
        chosen = cells[rows]
        result[rows] = found.results[rows, chosen]
        length[rows] = found.plies[rows, chosen] + 1
        own[rows] = found.chances[rows, chosen]
        other[rows] = np.where(legal, own[after], 0).sum(axis=1) / np.maximum(legal.sum(axis=1), 1)
    return found


def rated_by_length(game: Positions, tried: Trials) -> NDArray[np.float64]:
    """As published: a win .7 to 1, sooner is better; a draw or loss 0 to .4, later is better.

    With k plies after the trial and s stones before it on 9 cells, .7 + .3 * .5 ** (2k / (9 - s))
    and .4 * k / (9 - s): a draw and a loss by the last stone are worth the same.
    """
    left = np.count_nonzero(game.boards == 0, axis=1, keepdims=True)
    share = tried.plies / np.maximum(left, 1)
    return np.asarray(np.where(tried.results > 0, 0.7 + 0.3 * 0.5 ** (2 * share), 0.4 * share))


def rated_by_result(tried: Trials, draw: float, chance: float) -> NDArray[np.float64]:
    """A win 1, a draw `draw`, a loss 0, mixed with the chance against random by weight `chance`."""
    outcome = np.where(tried.results > 0, 1.0, np.where(tried.results == 0, draw, 0.0))
    return np.asarray((1 - chance) * outcome + chance * tried.chances)
