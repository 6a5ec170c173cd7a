"""Boards as text, and as images drawn with NumPy alone."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.drawing.tiles import LIGHT, Picture, tile
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import COLUMNS, Rules
from tttenv.game.types import Boards

CELL = 64  # pixels a side
INSET = 5  # pixels between a coordinate and the edge of its cell


def marks(rules: Rules, board: Boards) -> list[str]:
    """Return the board's cells as "X", "O" or "_", row by row."""
    return list(rules.format(board))


def ansi(rules: Rules, board: Boards) -> str:
    """Return the board (cells,) as rows of X, O and dots, then the side to move or the result."""
    rows = np.array(marks(rules, board)).reshape(rules.m, rules.n)
    grid = "\n".join(" ".join(row).replace("_", ".") for row in rows)
    return f"{grid}\n{status(rules, board)}\n"


def status(rules: Rules, board: Boards) -> str:
    """Return the status of a board (cells,), such as "X to move", "O wins" or "draw"."""
    mover, other = ("XO", "OX")[int(rules.seat(board))]
    ends = {Outcome.WIN: f"{mover} wins", Outcome.LOSS: f"{other} wins", Outcome.DRAW: "draw"}
    return ends.get(Outcome(int(rules.outcomes(board))), f"{mover} to move")


def said(rules: Rules, board: Boards) -> str:
    """Return the side to move or the result: "X to play", "O wins" or "draw"."""
    return status(rules, board).replace("to move", "to play")


def percent(share: float) -> str:
    """Format a probability as the percentage shown in a cell; only certainty is 100 %."""
    if 0.995 < share < 1 - 1e-12:
        return ">99 %"
    return "<1 %" if share < 0.005 else f"{100 * share:.0f} %"


def winning_cells(rules: Rules, board: Boards) -> set[int]:
    """Return the cells of all completed lines; the set is empty if there is none."""
    full = (board[rules.lines] == -1).all(axis=1)  # of the side that has just moved
    return set(rules.lines[full].ravel().tolist())


def rgb(rules: Rules, board: Boards, last: int | None = None) -> Picture:
    """Draw the board (cells,) as an image (64 * m, 64 * n, 3) of uint8, with coordinates."""
    picture = np.empty((rules.m * CELL, rules.n * CELL, 3), np.uint8)
    won = winning_cells(rules, board)
    for number, mark in enumerate(marks(rules, board)):
        ground = LIGHT.line(mark) if number in won else LIGHT.paper
        rim = LIGHT.ink(mark) if number == last and mark != "_" else None
        row, column = divmod(number, rules.n)
        place = picture[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
        place[:] = tile(CELL, mark, ground, rim, LIGHT)
        if row == 0:
            letter = lettering(COLUMNS[column])
            place[INSET : INSET + HIGH, -INSET - letter.shape[1] : -INSET][letter] = LIGHT.faint
        if column == 0:
            digits = lettering(str(row + 1))
            place[-INSET - HIGH : -INSET, INSET : INSET + digits.shape[1]][digits] = LIGHT.faint
    return picture


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
            picture = rgb(rules, game)
        else:
            picture = rgb(rules, reduce(rules.play, game, rules.start()), game[-1])
            for turn, cell in enumerate(game, start=1):
                row, column = divmod(cell, rules.n)
                bottom, right = CELL * (row + 1) - INSET, CELL * (column + 1) - INSET
                digits = lettering(str(turn))
                place = picture[bottom - HIGH : bottom, right - digits.shape[1] : right]
                place[digits] = LIGHT.faint
        parts += [picture, np.full((len(picture), CELL // 2, 3), 255, np.uint8)]
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
