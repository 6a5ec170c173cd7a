"""Images of cells, drawn with NumPy alone, and their colours.

The window, `rgb_array`, TensorBoard and the images in READMEs share this code. X and its winning
line are blue, O and its winning line orange; winning moves are green, drawing moves grey and losing
moves red, each of a different lightness; probabilities are yellow; a blunder has a red rim.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[int, int, int]
Picture: TypeAlias = NDArray[np.uint8]  # (height, width, 3)


@dataclass(frozen=True)
class Palette:
    """The colours of boards."""

    ground: Colour = (226, 230, 236)  # behind the cells
    paper: Colour = (250, 250, 248)  # an empty cell
    words: Colour = (44, 50, 60)
    faint: Colour = (96, 104, 116)  # words of less weight
    x: Colour = (38, 92, 176)
    o: Colour = (192, 74, 22)
    x_line: Colour = (200, 219, 250)  # the cells of the line that won
    o_line: Colour = (253, 216, 196)
    win: Colour = (205, 244, 214)  # what a move is worth
    draw: Colour = (206, 211, 218)
    loss: Colour = (240, 158, 148)
    chance: Colour = (255, 196, 60)  # of probability one
    blunder: Colour = (186, 24, 40)

    def ink(self, mark: str) -> Colour:
        """Return the colour of the mark "X" or "O"."""
        return self.x if mark == "X" else self.o

    def line(self, mark: str) -> Colour:
        """Return the background colour of cells in a line won by "X" or "O"."""
        return self.x_line if mark == "X" else self.o_line

    def value(self, value: int) -> Colour:
        """Return the background colour for a move of value 1, 0 or -1."""
        return {1: self.win, 0: self.draw, -1: self.loss}[value]

    def heat(self, share: float) -> Colour:
        """Return the background colour for a probability, clipped to [0, 1]."""
        part = min(max(share, 0.0), 1.0)
        one, two, three = (
            round((1 - part) * low + part * high)
            for low, high in zip(self.paper, self.chance, strict=True)
        )
        return one, two, three


LIGHT = Palette()

# Shares of a cell's side.
GAP = 1 / 32  # between the cell's edge and its ground
ROUNDING = 1 / 9  # the radius of the ground's corners
RIM = 1 / 32
REACH, HALF = 0.24, 0.0525  # of an X: how far its strokes go from the middle, and half their width
RADIUS = 0.26  # of an O, to the middle of its ring


@lru_cache(maxsize=512)
def tile(side: int, mark: str, ground: Colour, rim: Colour | None) -> Picture:
    """Draw a cell; cached.

    Args:
        side: pixels of its side.
        mark: "X" or "O"; any other is an empty cell.
        ground: the colour of the cell.
        rim: the colour of its frame, if it has one.

    Returns:
        A read-only image (side, side, 3).
    """
    axis = (np.arange(side) + 0.5) / side - 0.5
    down, right = np.abs(axis)[:, None], np.abs(axis)[None, :]
    picture = np.broadcast_to(np.array(LIGHT.ground, np.float64), (side, side, 3)).copy()
    _ink(picture, _box(down, right, 0.5 - GAP, ROUNDING), rim or ground)
    if rim:
        _ink(picture, _box(down, right, 0.5 - GAP - RIM, ROUNDING - RIM), ground)
    if mark == "X":
        along = np.clip((down + right) / 2, 0, REACH)
        _ink(picture, HALF - np.hypot(down - along, right - along), LIGHT.x)
    elif mark == "O":
        _ink(picture, HALF - np.abs(np.hypot(down, right) - RADIUS), LIGHT.o)
    drawn: Picture = picture.round().astype(np.uint8)
    drawn.setflags(write=False)
    return drawn


def _box(
    down: NDArray[np.float64], right: NDArray[np.float64], half: float, radius: float
) -> NDArray[np.float64]:
    """Return the depth of points inside a square with rounded corners; negative outside."""
    past_down, past_right = down - (half - radius), right - (half - radius)
    corner = np.hypot(np.maximum(past_down, 0), np.maximum(past_right, 0))
    return radius - corner - np.minimum(np.maximum(past_down, past_right), 0)


def _ink(picture: NDArray[np.float64], depth: NDArray[np.float64], colour: Colour) -> None:
    """Colour the inside of a shape, where `depth`, as a fraction of the side, is positive."""
    cover = np.clip(depth * len(picture) + 0.5, 0, 1)[..., None]
    picture += cover * (np.array(colour) - picture)
