"""Boards for people: as text, and as pictures drawn with NumPy alone."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards

Picture = NDArray[np.uint8]  # (height, width, 3)

CELL = 64  # pixels a side
PAPER, LINE = (250, 250, 248), (120, 124, 130)
X_INK, O_INK = (38, 92, 176), (200, 76, 40)
HEAT = np.array((255, 196, 60), np.float64)  # the colour of probability one


def marks(rules: Rules, board: Boards) -> list[str]:
    """The board's cells as "X", "O" or "_", row by row."""
    return list(rules.format(board))


def ansi(rules: Rules, board: Boards) -> str:
    """The board (cells,) as rows of X, O and dots, then the side to move or the result."""
    rows = np.array(marks(rules, board)).reshape(rules.m, rules.n)
    grid = "\n".join(" ".join(row).replace("_", ".") for row in rows)
    return f"{grid}\n{status(rules, board)}\n"


def status(rules: Rules, board: Boards) -> str:
    """The side to move on the board (cells,), "X to move", or the result, "O wins" or "draw"."""
    mover = "XO"[int(rules.seat(board))]
    other = "OX"[int(rules.seat(board))]
    if rules.lost(board):
        return f"{other} wins"
    if rules.over(board):
        return "draw"
    return f"{mover} to move"


def rgb(rules: Rules, board: Boards, heat: NDArray[np.float64] | None = None) -> Picture:
    """The board (cells,) as a picture (m * 64, n * 64, 3) of uint8.

    Args:
        rules: the game.
        board: seen by the side to move.
        heat: numbers in [0, 1] (cells,) that colour the cells, such as a policy's probabilities.
    """
    picture = np.empty((rules.m * CELL, rules.n * CELL, 3), np.uint8)
    shares = np.zeros(rules.cells) if heat is None else np.clip(heat, 0, 1)
    for cell, mark in enumerate(marks(rules, board)):
        row, column = divmod(cell, rules.n)
        tile = _tile(mark, (1 - shares[cell]) * np.array(PAPER) + shares[cell] * HEAT)
        picture[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL] = tile
    return picture


def _tile(mark: str, ground: NDArray[np.float64]) -> Picture:
    """One cell: ground, border and mark, with edges smoothed over a pixel."""
    axis = np.arange(CELL) - (CELL - 1) / 2
    down, right = np.abs(axis)[:, None], np.abs(axis)[None, :]
    tile = np.broadcast_to(ground, (CELL, CELL, 3)).copy()
    _ink(tile, np.maximum(down, right) - CELL / 2 + 1.5, LINE)
    if mark == "X":
        stroke = np.abs(down - right) / np.sqrt(2) - CELL * 0.05
        _ink(tile, np.minimum(CELL * 0.28 - np.maximum(down, right), -stroke), X_INK)
    elif mark == "O":
        _ink(tile, CELL * 0.055 - np.abs(np.hypot(down, right) - CELL * 0.26), O_INK)
    return tile.round().astype(np.uint8)


def _ink(tile: NDArray[np.float64], depth: NDArray[np.float64], colour: tuple[int, ...]) -> None:
    """Colour the tile inside a shape, where `depth`, in pixels from its edge, is positive."""
    cover = np.clip(depth + 0.5, 0, 1)[..., None]
    tile += cover * (np.array(colour) - tile)
