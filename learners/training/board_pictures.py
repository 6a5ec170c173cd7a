"""Board images with text, drawn with Pillow, for TensorBoard and READMEs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tttenv.drawing.render import marks, percent, said, winning_cells
from tttenv.drawing.tiles import LIGHT, Colour, Palette, Picture, ringed, tile
from tttenv.game.rules import COLUMNS, Rules
from tttenv.game.types import Boards

LARGE, SMALL, BOARD = 112, 40, 720  # pixels of a cell at most and at least, and of a board
ROOMY = 60  # pixels of a cell from which on every probability is written
READABLE = 9  # pixels of letters that can be read


def policy_picture(rules: Rules, board: Boards, shares: NDArray[np.float64]) -> Picture:
    """Draw a policy's probabilities on a board, with the side to move above it.

    Args:
        rules: the game.
        board: (cells,), seen by the side to move.
        shares: (cells,), the probabilities.

    Returns:
        An image (height, width, 3) of uint8.
    """
    cell = min(LARGE, max(SMALL, BOARD // max(rules.m, rules.n)))
    drawn = board_picture(rules, board, cell, LIGHT, Annotations(shares=shares))
    head = cell // 3
    whole = Image.new("RGB", (drawn.width, drawn.height + head), LIGHT.ground)
    whole.paste(drawn, (0, head))
    words = said(rules, board)
    ink = LIGHT.ink(words[0]) if words[0] in "XO" else LIGHT.words
    write(whole, words, head * 2 // 3, ink, (drawn.width // 2, head // 2), "mm")
    return np.array(whole)


@dataclass(frozen=True)
class Annotations:
    """Annotations drawn on a board image in addition to the stones, by cell."""

    shares: NDArray[np.float64] | None = None  # (cells,): probabilities, as colours and per cent
    rims: Mapping[int, Colour] = field(default_factory=dict)  # frames
    rings: Sequence[int] = ()  # empty cells with a ring around the middle


def board_picture(
    rules: Rules, board: Boards, cell: int, palette: Palette, notes: Annotations = Annotations()
) -> Any:
    """Draw a board as a Pillow image.

    Args:
        rules: the game.
        board: (cells,), seen by the side to move.
        cell: the side of a cell in pixels.
        palette: the colours.
        notes: annotations in addition to the stones.
    """
    whole = Image.new("RGB", (rules.n * cell, rules.m * cell), palette.ground)
    won, shares = winning_cells(rules, board), notes.shares
    for number, mark in enumerate(marks(rules, board)):
        row, column = divmod(number, rules.n)
        ground, label = palette.line(mark) if number in won else palette.paper, ""
        if mark == "_":
            share = 0.0 if shares is None else float(shares[number])
            ground = palette.heat(share**0.5)  # as in the window
            shown = share > (0 if cell >= ROOMY else 0.005)
            label = percent(share) if shown else ""
        picture = tile(cell, mark, ground, notes.rims.get(number), palette)
        if number in notes.rings:
            picture = ringed(picture, palette.words)
        x, y = column * cell, row * cell
        whole.paste(Image.fromarray(picture), (x, y))
        write(whole, label, cell // 5, palette.words, (x + cell // 2, y + cell // 2), "mm")
    return whole


def coordinates(
    picture: Any, rules: Rules, corner: tuple[int, int], cell: int, ink: Colour
) -> None:
    """Write column letters above and row numbers beside a board."""
    (x, y), size = corner, cell // 7
    for column in range(rules.n):
        at = x + column * cell + cell // 2, y - size
        write(picture, COLUMNS[column], size, ink, at, "mm")
    for row in range(rules.m):
        write(picture, str(row + 1), size, ink, (x - size, y + row * cell + cell // 2), "mm")


def write(
    picture: Any, text: str, size: int, ink: Colour, at: tuple[int, int], anchor: str = "la"
) -> None:
    """Write a line of text, or nothing if `size` is too small to read.

    Args:
        picture: the Pillow image.
        text: the text.
        size: the font size in pixels.
        ink: the colour.
        at: the position of the anchor.
        anchor: the text anchor, as in Pillow: "la" is the upper left corner.
    """
    if text and size >= READABLE:
        font = ImageFont.load_default(size)
        ImageDraw.Draw(picture).text(at, text, ink, font, anchor)
