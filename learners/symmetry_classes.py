"""Which positions a learner looks at, one of each symmetry class or all; tables over them."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tttenv.exact import Positions, Tabulated
from tttenv.game.symmetry import canonical, maps
from tttenv.kernels.types import Cells


class Shown:
    """The positions a learner looks at, each standing for all its images.

    Args:
        game: all positions.
        symmetric: look at one board of each class; False: at all boards.
    """

    def __init__(self, game: Positions, symmetric: bool) -> None:
        boards = game.boards
        which = np.zeros(len(game), np.int64)
        if symmetric:
            boards, which = canonical(game.rules, boards)
        self.standing_for = game.index(boards)  # (positions,): the position looked at instead
        self.turn = maps(game.rules)[which]  # (positions, cells): its cells as the position's own
        own = (self.standing_for == np.arange(len(game))) & ~game.over
        self.rows = [np.flatnonzero(own & (game.seats == seat)) for seat in (0, 1)]  # X's and O's

    def turned_back(self, cells: Cells) -> Cells:
        """Cells chosen on the positions looked at (positions,), as cells of every position."""
        seen = cells[self.standing_for]
        turned: Cells = np.take_along_axis(self.turn, seen[:, None], axis=1)[:, 0]
        return turned


def by_stones(game: Positions, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Positions (count,) as random stones make them: 0 to cells - 1 of a random order.

    A stone that would end the game is taken back, and no other follows. Boards with many stones
    come up less often than they are, those with X to move more often.
    """
    cells = game.rules.cells
    stones = rng.integers(0, cells, count)
    orders = rng.permuted(np.tile(np.arange(cells), (count, 1)), axis=1)
    at = np.zeros(count, np.int64)
    for ply in range(cells - 1):
        after = np.where(ply < stones, game.successors[at, orders[:, ply]], at)
        stones = np.where(game.over[after], ply, stones)
        at = np.where(game.over[after], at, after)
    return at


def values_after(after: Tensor, values: Tensor, entry: Tensor, none: float) -> Tensor:
    """What each move is worth by a table of positions, (positions, cells).

    Args:
        after: the positions that the moves make, (positions, cells), -1 for no move.
        values: the table, (positions,).
        entry: whose number stands for each position, (positions,).
        none: the worth of no move.
    """
    return torch.where(after >= 0, values[entry[after]], none)


def best_by_table(game: Positions, moves: Tensor) -> Tabulated:
    """The player of the move worth most by `moves` (positions, cells), the first of equals."""
    best = moves.argmax(dim=1, keepdim=True).cpu().numpy()
    return Tabulated.uniform_over(
        game.rules, (np.arange(game.rules.cells) == best) & (game.successors >= 0)
    )
