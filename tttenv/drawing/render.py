"""Boards as text, and as images drawn with NumPy alone."""

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.drawing.tiles import LIGHT, Colour, Picture, tile
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import COLUMNS, Rules
from tttenv.game.types import Boards

CELL = 64  # pixels a side
INSET = 5  # pixels between a coordinate and the edge of its cell


def ansi(rules: Rules, board: Boards) -> str:
    """Return the board (cells,) as rows of X, O and dots, then the side to move or the result."""
    marks = rules.format(board).replace("_", ".")
    rows = (marks[at : at + rules.n] for at in range(0, rules.cells, rules.n))
    grid = "\n".join(map(" ".join, rows))
    return f"{grid}\n{status(rules, board)}\n"


def status(rules: Rules, board: Boards) -> str:
    """Return the status of a board (cells,), such as "X to move", "O wins" or "draw"."""
    mover, other = ("XO", "OX")[int(rules.seat(board))]
    ends = {Outcome.WIN: f"{mover} wins", Outcome.LOSS: f"{other} wins", Outcome.DRAW: "draw"}
    return ends.get(Outcome(int(rules.outcomes(board))), f"{mover} to move")


def said(rules: Rules, board: Boards) -> str:
    """Return the side to move or the result: "X to play", "O wins" or "draw"."""
    return status(rules, board).replace("to move", "to play")


def winning_cells(rules: Rules, board: Boards) -> set[int]:
    """Return the cells of all completed lines; the set is empty if there is none."""
    full = (board[rules.lines] == -1).all(axis=1)  # of the side that has just moved
    return set(rules.lines[full].ravel().tolist())


def picture(
    rules: Rules,
    board: Boards,
    side: int,
    last: int | None = None,
    grounds: Mapping[int, Colour] = {},
    rims: Mapping[int, Colour] = {},
) -> Picture:
    """Draw the cells of a board, with completed lines in their colour.

    Args:
        rules: the game.
        board: the board (cells,), seen by the side to move.
        side: pixels of a cell's side.
        last: the cell of the last stone, which has a rim in its ink.
        grounds: background colours by cell, elsewhere than in completed lines.
        rims: colours of other rims by cell.

    Returns:
        An image (side * m, side * n, 3) of uint8.
    """
    won, cells = winning_cells(rules, board), []
    for cell, mark in enumerate(rules.format(board)):
        ground = LIGHT.line(mark) if cell in won else grounds.get(cell, LIGHT.paper)
        rim = LIGHT.ink(mark) if cell == last and mark != "_" else None
        cells.append(tile(side, mark, ground, rims.get(cell, rim)))
    grid = np.array(cells).reshape(rules.m, rules.n, side, side, 3)
    return grid.swapaxes(1, 2).reshape(rules.m * side, rules.n * side, 3)


def rgb(rules: Rules, board: Boards, last: int | None = None) -> Picture:
    """Draw a board with coordinates.

    Args:
        rules: the game.
        board: the board (cells,), seen by the side to move.
        last: the cell of the last stone, which has a rim.

    Returns:
        An image (64 * m, 64 * n, 3) of uint8.
    """
    drawn = picture(rules, board, CELL, last=last)
    for column in range(rules.n):
        _write(drawn, COLUMNS[column], INSET, (column + 1) * CELL - INSET)
    for row in range(rules.m):
        text, top = str(row + 1), (row + 1) * CELL - INSET - HIGH
        _write(drawn, text, top, INSET + lettering(text).shape[1])
    return drawn


def _write(drawn: Picture, text: str, top: int, right: int) -> None:
    """Write digits or a letter that end at the column `right` of pixels."""
    pixels = lettering(text)
    drawn[top : top + HIGH, right - pixels.shape[1] : right][pixels] = LIGHT.faint


def draw(rules: Rules, *games: Boards | Sequence[int]) -> Any:
    """Draw boards side by side, as a Pillow image, which notebooks show (needs the extra `learn`).

    Args:
        rules: the game.
        games: each a board (cells,), seen by the side to move, or the cells of a game in the order
            of play, which are numbered.
    """
    from PIL import Image

    parts: list[Picture] = []
    for game in games:
        if isinstance(game, np.ndarray):
            drawn = rgb(rules, game)
        else:
            drawn = rgb(rules, reduce(rules.play, game, rules.start()), game[-1])
            for turn, cell in enumerate(game, start=1):
                row, column = divmod(cell, rules.n)
                top, right = CELL * (row + 1) - INSET - HIGH, CELL * (column + 1) - INSET
                _write(drawn, str(turn), top, right)
        parts += [drawn, np.full((len(drawn), CELL // 2, 3), 255, np.uint8)]
    return Image.fromarray(np.hstack(parts[:-1]))


class LastStone:
    """Finds the last stone by comparing successive boards."""

    def __init__(self) -> None:
        self.before: Boards | None = None  # seen by X
        self.cell: int | None = None

    def of(self, rules: Rules, board: Boards) -> int | None:
        """Return the cell of the last stone on a board (cells,); None if several were added."""
        stones = board * (1 if int(rules.seat(board)) == 0 else -1)
        before, self.before = self.before, stones.copy()
        if before is None or (before[before != 0] != stones[before != 0]).any():  # another game
            before, self.cell = np.zeros_like(stones), None
        if (stones != before).any():
            new = np.flatnonzero((before == 0) & (board == -1))  # of the side that has just moved
            self.cell = int(new[0]) if len(new) == 1 else None
        return self.cell


HIGH = 7  # pixels of a letter


def _glyphs() -> dict[str, NDArray[np.bool_]]:
    """Read the letters and digits of 5 by 7 pixels, for coordinates."""
    found: dict[str, NDArray[np.bool_]] = {}
    for block in Path(__file__).with_name("letters.txt").read_text("utf-8").split("\n\n"):
        letters, *rows = block.split("\n")
        pixels = np.array([[list(part) for part in row.split()] for row in rows if row]) == "#"
        found |= {letter: pixels[:, number] for number, letter in enumerate(letters)}
    return found


GLYPHS = _glyphs()


def lettering(text: str) -> NDArray[np.bool_]:
    """Return the pixels (7, width) of a text made of digits and the letters a to s."""
    parts = [GLYPHS[letter] for letter in text]
    between = np.zeros((HIGH, 1), np.bool_)
    return np.hstack([part for glyph in parts for part in (glyph, between)][:-1])
