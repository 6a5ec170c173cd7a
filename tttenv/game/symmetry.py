"""Symmetries of the board: 8 maps on square boards, 4 on others."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards


def maps(rules: Rules) -> NDArray[np.int64]:
    """Return the symmetries (8 or 4, cells): `boards[..., map]` is the image of the boards.

    Square boards have the identity, the quarter, half and three-quarter turn (counter-clockwise),
    the vertical and the horizontal mirror image, and these two after a quarter turn. Other boards
    have those of them that keep the board's shape.
    """
    grid = np.arange(rules.cells).reshape(rules.m, rules.n)
    turns = [np.rot90(grid, quarter) for quarter in range(4)]
    images = turns + [np.flipud(grid), np.fliplr(grid), np.flipud(turns[1]), np.fliplr(turns[1])]
    return np.array([image.ravel() for image in images if image.shape == grid.shape])


def inverses(rules: Rules) -> NDArray[np.int64]:
    """Return the inverses (8 or 4, cells) of `maps`, in the same order."""
    return np.argsort(maps(rules), axis=1)


def canonical(rules: Rules, boards: Boards) -> tuple[Boards, NDArray[np.int64]]:
    """Return the lexicographically first image of each board, and the map to it.

    Args:
        rules: the game.
        boards: boards (batch, cells).

    Returns:
        The images (batch, cells), and the rows of `maps` (batch,): the first to the image.
    """
    best, which, rows = boards.copy(), np.zeros(len(boards), np.int64), np.arange(len(boards))
    for number, image in enumerate(maps(rules)[1:], start=1):
        candidate = boards[:, image]
        differs = (candidate != best).argmax(axis=1)  # the first cell, or 0 if none does
        smaller = candidate[rows, differs] < best[rows, differs]
        best[smaller], which[smaller] = candidate[smaller], number
    return best, which


def orbits(rules: Rules, boards: Boards) -> tuple[Boards, NDArray[np.int64]]:
    """Return one canonical board per class (classes, cells), and each board's class (batch,)."""
    images, _ = canonical(rules, boards)
    representatives, which = np.unique(images, axis=0, return_inverse=True)
    return representatives, which.reshape(-1)
