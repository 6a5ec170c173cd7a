"""How a board looks in a window: tiles, stones, coordinates, hints and words, drawn by pygame."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pygame
from numpy.typing import NDArray

from tttenv.game.render import O_INK, PAPER, X_INK, marks, status
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards

Colour: TypeAlias = tuple[int, int, int]

BACKGROUND = (226, 230, 236)  # behind the tiles
SUPERSAMPLING = 4  # drawings are made so many times larger and then reduced, for smooth edges


@lru_cache(maxsize=256)
def tile(side: int, mark: str, ground: Colour, rim: Colour | None) -> pygame.Surface:
    """One cell with its stone, (side, side) pixels; a rim marks the last stone."""
    big = side * SUPERSAMPLING
    large = pygame.Surface((big, big))
    large.fill(BACKGROUND)
    box = pygame.Rect(0, 0, big, big).inflate(-big // 16, -big // 16)
    pygame.draw.rect(large, rim or ground, box, border_radius=big // 9)
    if rim:
        inner = box.inflate(-big // 16, -big // 16)
        pygame.draw.rect(large, ground, inner, border_radius=big // 12)
    middle, reach, thick = big / 2, big * 0.24, big * 0.105
    if mark == "X":
        for tilt in (1, -1):
            _stroke(large, (middle, middle), (reach, tilt * reach), thick / 2)
    elif mark == "O":
        centre, radius = (middle, middle), reach + thick / 2 + big * 0.02
        pygame.draw.circle(large, O_INK, centre, radius)
        pygame.draw.circle(large, ground, centre, radius - thick)
    return pygame.transform.smoothscale(large, (side, side))


def _stroke(
    tile: pygame.Surface, centre: tuple[float, float], arm: tuple[float, float], half: float
) -> None:
    """A straight stroke with round ends, to both sides of its centre."""
    one, other = pygame.Vector2(centre) - arm, pygame.Vector2(centre) + arm
    across = pygame.Vector2(arm).rotate(90).normalize() * half
    pygame.draw.polygon(tile, X_INK, (one + across, other + across, other - across, one - across))
    for end in (one, other):
        pygame.draw.circle(tile, X_INK, end, half)


def write(
    surface: pygame.Surface, text: str, size: int, colour: Colour, centre: tuple[int, int]
) -> None:
    """Write a line around its centre, smaller than `size` where the surface is too narrow."""
    large = _font(size * SUPERSAMPLING).render(
        text, True, colour
    )  # reduced, letters keep their distances
    factor = max(SUPERSAMPLING, large.get_width() / max(1, surface.get_width() - 8))
    small = int(large.get_width() / factor), int(large.get_height() / factor)
    drawn = pygame.transform.smoothscale(large, small)
    surface.blit(drawn, drawn.get_rect(center=centre))


@lru_cache(maxsize=32)
def _font(size: int) -> pygame.font.Font:
    """The font that comes with pygame, so that a window looks alike everywhere."""
    return pygame.font.Font(None, round(size * 1.35))


WORDS, FAINT = (44, 50, 60), (122, 130, 142)
WINNING_LINE = {
    "X": (200, 219, 250),
    "O": (253, 216, 196),
}  # tiles of the line that decided the game
VALUE_COLOURS = {1: (172, 222, 182), 0: (247, 231, 184), -1: (246, 184, 176)}  # win, draw, loss
VALUE_SIGNS = {1: "+", 0: "=", -1: "-"}  # for people who cannot distinguish the colours
LIKELY = (255, 196, 60)  # of probability one, if the values are not shown
LETTERS = "abcdefghijklmnopqrs"


@dataclass(frozen=True)
class Scene:
    """What a window shows."""

    board: Boards  # (cells,), seen by the side to move
    notes: tuple[str, ...] = ()  # lines below the board
    last: int | None = None  # the cell of the last stone, which is marked
    values: NDArray[Any] | None = None  # (cells,): 1, 0, -1 colours an empty cell, nan does not
    shares: NDArray[Any] | None = (
        None  # (cells,): a player's probabilities, as per cent on the cells
    )
    state: str | None = None  # the line above the board; None: whose turn it is or how it ended


class Layout:
    """Where everything is in a window of some size, in pixels."""

    def __init__(self, rules: Rules, width: int, height: int, notes: int) -> None:
        self.rules, self.notes = rules, notes
        self.unit = max(10, min(24, width // 30, height // 16))  # the size of small letters
        self.top, self.side, self.bottom = margins(self.unit, notes)
        room = (width - 2 * self.side) // rules.n, (height - self.top - self.bottom) // rules.m
        self.cell = max(8, min(room))
        self.left = (width - self.cell * rules.n) // 2
        spare = height - self.top - self.bottom - self.cell * rules.m
        self.top += max(0, spare // 2)

    def corner(self, cell: int) -> tuple[int, int]:
        """The top left corner of a cell."""
        row, column = divmod(cell, self.rules.n)
        return self.left + column * self.cell, self.top + row * self.cell

    def cell_at(self, x: int, y: int) -> int | None:
        """The cell at a point; None beside the board."""
        column, row = (x - self.left) // self.cell, (y - self.top) // self.cell
        inside = 0 <= column < self.rules.n and 0 <= row < self.rules.m
        return row * self.rules.n + column if inside else None


def margins(unit: int, notes: int) -> tuple[int, int, int]:
    """Pixels of text above, beside and below the board, by the size of letters in pixels."""
    return 5 * unit, 2 * unit + unit // 2, unit * 2 + notes * (unit + unit // 2)


def paint(surface: pygame.Surface, rules: Rules, scene: Scene, layout: Layout) -> None:
    """Draw all of the scene."""
    surface.fill(BACKGROUND)
    written = marks(rules, scene.board)
    decided = _decided(rules, scene.board)
    for cell, mark in enumerate(written):
        ground = WINNING_LINE[mark] if cell in decided else _ground(scene, cell, mark)
        rim = {"X": X_INK, "O": O_INK}.get(mark) if cell == scene.last else None
        surface.blit(tile(layout.cell, mark, ground, rim), layout.corner(cell))
        if mark == "_":
            _annotate(surface, scene, layout, cell)
    _rim(surface, layout)
    _words(surface, scene, layout, scene.state or said(rules, scene.board))


def said(rules: Rules, board: Boards) -> str:
    """Whose turn it is or how the game ended: "X to play", "O wins", "draw"."""
    return status(rules, board).replace("to move", "to play")


def _decided(rules: Rules, board: Boards) -> set[int]:
    """The cells in a row that won the game, if any did."""
    full = (board[rules.lines] == -1).all(axis=1)  # who won has just moved
    return set(rules.lines[full].ravel().tolist())


def _ground(scene: Scene, cell: int, mark: str) -> Colour:
    if mark == "_" and scene.values is not None:
        if np.isnan(scene.values[cell]):
            return PAPER
        return VALUE_COLOURS[int(scene.values[cell])]
    if mark == "_" and scene.shares is not None:
        share = float(scene.shares[cell]) ** 0.5
        low, high = PAPER, LIKELY
        return (
            round(low[0] + share * (high[0] - low[0])),
            round(low[1] + share * (high[1] - low[1])),
            round(low[2] + share * (high[2] - low[2])),
        )
    return PAPER


def _annotate(surface: pygame.Surface, scene: Scene, layout: Layout, cell: int) -> None:
    """Write the player's probability on an empty cell, and the sign of its value in a corner."""
    x, y = layout.corner(cell)
    size, middle = layout.cell, layout.cell // 2
    if scene.shares is not None:
        share = float(scene.shares[cell])
        if size >= 60 or share >= 0.005:
            text = f"{100 * share:.0f} %" if size >= 60 else f"{100 * share:.0f}"
            write(surface, text, max(9, size // 5), WORDS, (x + middle, y + middle))
    if scene.values is not None:
        value, at = scene.values[cell], (x + size * 5 // 6, y + size // 6)
        sign = "?" if np.isnan(value) else VALUE_SIGNS[int(value)]
        write(surface, sign, max(9, size // 5), WORDS, at)


def _rim(surface: pygame.Surface, layout: Layout) -> None:
    """The coordinates: letters above the columns, numbers from the top beside the rows."""
    half, away = layout.cell // 2, layout.unit
    for column in range(layout.rules.n):
        at = layout.left + column * layout.cell + half, layout.top - away
        write(surface, LETTERS[column], layout.unit, FAINT, at)
    for row in range(layout.rules.m):
        at = layout.left - away, layout.top + row * layout.cell + half
        write(surface, str(row + 1), layout.unit, FAINT, at)


def _words(surface: pygame.Surface, scene: Scene, layout: Layout, state: str) -> None:
    """The state above the board, in the colour of the side it is about; the notes below."""
    centre = surface.get_width() // 2
    ink = {"X": X_INK, "O": O_INK}.get(state[:1], WORDS)
    write(surface, state, layout.unit * 2, ink, (centre, layout.top - layout.unit * 3))
    y = layout.top + layout.cell * layout.rules.m + layout.unit + layout.unit // 2
    for line, note in enumerate(scene.notes):
        colour = WORDS if line == 0 else FAINT
        write(surface, note, layout.unit, colour, (centre, y + line * layout.unit * 3 // 2))
