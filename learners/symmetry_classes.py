"""Symmetry classes of positions: one representative stands for all its images; tables over them."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tttenv.exact import Positions, Tabulated
from tttenv.game.symmetry import canonical, maps
from tttenv.game.types import Cells


class SymmetryClasses:
    """Every position's representative: one position of each class of mirror images and turns.

    Args:
        game: all positions.
        symmetric: use one representative for each class; False: each position is its own.
    """

    def __init__(self, game: Positions, symmetric: bool) -> None:
        boards = game.boards
        which = np.zeros(len(game), np.int64)
        if symmetric:
            boards, which = canonical(game.rules, boards)
        self.representative = game.index(boards)  # (positions,): the number of the representative
        self.cell_map = maps(game.rules)[which]  # (positions, cells): its cells, on the position
        own = (self.representative == np.arange(len(game))) & ~game.over
        # The numbers of the undecided representatives with X to move, and of those with O to move.
        self.rows = [np.flatnonzero(own & (game.seats == seat)) for seat in (0, 1)]

    def expand_cells(self, cells: Cells) -> Cells:
        """Cells chosen on the representatives (positions,) as cells of every position (positions,).

        Entries of positions that are no representatives are ignored.
        """
        chosen = cells[self.representative]
        mapped: Cells = np.take_along_axis(self.cell_map, chosen[:, None], axis=1)[:, 0]
        return mapped


def sample_by_play(game: Positions, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Numbers (count,) of positions reached by random moves, 0 to cells - 1 of them.

    A move that would end the game is not played, and no other follows. So boards with many stones
    are rarer than among all positions, and boards with X to move more frequent.
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


def move_values(after: Tensor, values: Tensor, representative: Tensor, illegal: float) -> Tensor:
    """The value of each move by a table of positions, (positions, cells).

    Args:
        after: the numbers of the positions that the moves lead to, (positions, cells); -1 for
            moves that are not legal.
        values: the table, (positions,).
        representative: the number of the position whose entry each position uses, (positions,).
        illegal: the value of moves that are not legal.
    """
    return torch.where(after >= 0, values[representative[after]], illegal)


def greedy_table(game: Positions, moves: Tensor) -> Tabulated:
    """The player of the move with the highest value (positions, cells), the first of equals."""
    best = moves.argmax(dim=1, keepdim=True).cpu().numpy()
    return Tabulated.uniform_over(
        game.rules, (np.arange(game.rules.cells) == best) & (game.successors >= 0)
    )
