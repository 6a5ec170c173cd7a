"""A pygame-ce window that draws a board, for play and for `render_mode="human"`."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from tttenv.drawing.render import picture, said
from tttenv.drawing.tiles import LIGHT, Colour
from tttenv.game.rules import COLUMNS, Rules
from tttenv.game.types import Boards

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame

UNIT = 17  # pixels of small letters in a new window
LARGEST, SMALLEST = 132, 34  # pixels of a cell in a new window
SUPERSAMPLING = 4  # letters are drawn this many times larger and then reduced, for smooth edges
POLL_SECONDS = 0.02  # between two checks for events
HEADLESS_DRIVERS = ("dummy", "offscreen")  # SDL's drivers without a visible window


class Event(NamedTuple):
    """A user action: closing the window, a key, or a click on a cell or beside the board."""

    kind: Literal["leave", "key", "click"]
    key: str = ""
    cell: int | None = None


class Window:
    """A window that shows a board, with lines of text below it."""

    def __init__(self, rules: Rules, title: str, notes: int = 0, seen: bool = False) -> None:
        """Open a window with an empty board.

        Args:
            rules: the game.
            title: the text of the title bar.
            notes: the number of lines below the board.
            seen: whether a display is required; if not, the window is drawn offscreen without one.

        Raises:
            OSError: if a display is required and there is none.
        """
        self.rules, self.notes = rules, notes
        self.scene = Scene(rules.start())
        try:
            with _stderr_silenced():  # SDL's helpers complain where there is no display
                self._open(seen)
        except pygame.error as error:
            self.close()
            raise OSError(f"there is no display to open a window on ({error})") from None
        pygame.display.set_caption(title)
        self.open = True
        self._draw()

    def show(self, board: Boards, **more: Any) -> None:
        """Show another board (cells,); `more` sets other fields of `Scene`."""
        self.scene = Scene(board, **more)
        self._draw()

    def events(self) -> Iterator[Event]:
        """Yield the events since the last call."""
        for event in pygame.event.get():
            key = event.key if event.type == pygame.KEYDOWN else None
            if event.type == pygame.QUIT or key == pygame.K_ESCAPE:
                yield Event("leave")
            elif key and event.unicode:
                yield Event("key", key=event.unicode.lower())
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
                yield Event("click", cell=self.layout.cell_at(*event.pos))
            elif event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                self._draw()

    def hold(self, seconds: float) -> bool:
        """Show the board for `seconds`; return False as soon as the window is closed."""
        end = time.monotonic() + seconds
        while not (closed := any(event.kind == "leave" for event in self.events())):
            if (left := end - time.monotonic()) <= 0:
                break
            time.sleep(min(POLL_SECONDS, left))
        return not closed

    def close(self) -> None:
        """Close the window; further calls do nothing."""
        self.open = False
        pygame.display.quit()

    def _open(self, seen: bool) -> None:
        """Create the surface to draw on, offscreen if there is no display and none is required."""
        pygame.font.init()
        try:
            pygame.display.init()
            self.surface = pygame.display.set_mode(self._size(), pygame.RESIZABLE)
            if seen and (driver := pygame.display.get_driver()) in HEADLESS_DRIVERS:
                raise pygame.error(f"SDL's driver is {driver}")
        except pygame.error:
            if seen or os.environ.get("SDL_VIDEODRIVER") in HEADLESS_DRIVERS:
                raise
            pygame.display.quit()
            os.environ["SDL_VIDEODRIVER"] = "dummy"  # for this process
            self._open(seen)

    def _size(self) -> tuple[int, int]:
        """Return the size of a new window in pixels, with cells as large as the screen allows."""
        top, side, bottom = margins(UNIT, self.notes)
        screen = pygame.display.get_desktop_sizes()[0]
        room = (
            (screen[0] * 9 // 10 - 2 * side) // self.rules.n,
            (screen[1] * 8 // 10 - top - bottom) // self.rules.m,
            560 // max(self.rules.m, self.rules.n, 4),
        )
        cell = max(SMALLEST, min(*room, LARGEST))
        least = 34 * UNIT  # for the words
        return (max(self.rules.n * cell + 2 * side, least), self.rules.m * cell + top + bottom)

    def _draw(self) -> None:
        width, height = self.surface.get_size()
        self.layout = Layout(self.rules, width, height, self.notes)
        paint(self.surface, self.rules, self.scene, self.layout)
        pygame.display.flip()


@contextmanager
def _stderr_silenced() -> Iterator[None]:
    """Discard everything that C libraries write to standard error in this block."""
    sys.stderr.flush()
    before = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


@dataclass(frozen=True)
class Scene:
    """The contents of a window: a board, what its cells say, and texts."""

    board: Boards  # (cells,), seen by the side to move
    last: int | None = None  # the cell of the last stone, which has a rim
    grounds: Mapping[int, Colour] = field(default_factory=dict)  # background colours by cell
    labels: Mapping[int, tuple[str, str]] = field(default_factory=dict)  # large and small, by cell
    blunders: Mapping[int, str] = field(default_factory=dict)  # marks of stones with a red rim
    state: str | None = None  # the line above the board; None: whose turn it is or how it ended
    lines: Sequence[tuple[str, Colour]] = ()  # below the board


class Layout:
    """Pixel positions in a window of a given size."""

    def __init__(self, rules: Rules, width: int, height: int, notes: int) -> None:
        self.rules, self.notes = rules, notes
        self.unit = max(10, min(24, width // 34, height // 16))  # the size of small letters
        self.top, self.side, self.bottom = margins(self.unit, notes)
        room = (width - 2 * self.side) // rules.n, (height - self.top - self.bottom) // rules.m
        self.cell = max(8, min(room))
        self.left = (width - self.cell * rules.n) // 2
        spare = height - self.top - self.bottom - self.cell * rules.m
        self.top += max(0, spare // 2)

    def corner(self, cell: int) -> tuple[int, int]:
        """Return the top left corner of a cell."""
        row, column = divmod(cell, self.rules.n)
        return self.left + column * self.cell, self.top + row * self.cell

    def cell_at(self, x: int, y: int) -> int | None:
        """Return the cell at a point, or None outside the board."""
        column, row = (x - self.left) // self.cell, (y - self.top) // self.cell
        inside = 0 <= column < self.rules.n and 0 <= row < self.rules.m
        return row * self.rules.n + column if inside else None


def margins(unit: int, notes: int) -> tuple[int, int, int]:
    """Return the margins above, beside and below the board, in pixels."""
    return 5 * unit, 2 * unit + unit // 2, unit * 2 + notes * (unit + unit // 2)


def paint(surface: pygame.Surface, rules: Rules, scene: Scene, layout: Layout) -> None:
    """Draw a scene on a surface."""
    surface.fill(LIGHT.ground)
    size, half = layout.cell, layout.cell // 2
    rims = dict.fromkeys(scene.blunders, LIGHT.blunder)
    drawn = picture(rules, scene.board, size, scene.last, scene.grounds, rims)
    column_first = drawn.transpose(1, 0, 2)  # as in pygame
    surface.blit(pygame.surfarray.make_surface(column_first), layout.corner(0))
    for cell, (large, small) in scene.labels.items():
        x, y = layout.corner(cell)
        high, low = (size * 3 // 8, size * 11 // 16) if large and small else (half, half)
        write(surface, large, max(9, size // 4), LIGHT.words, (x + half, y + high))
        write(surface, small, max(9, size // 6), LIGHT.words, (x + half, y + low))
    for cell, mark in scene.blunders.items():
        x, y = layout.corner(cell)
        at = x + size * 53 // 64, y + size * 5 // 32
        write(surface, mark, max(9, size // 6), LIGHT.blunder, at)
    away = layout.unit
    for column in range(rules.n):  # letters above the columns, numbers beside the rows
        at = layout.left + column * size + half, layout.top - away
        write(surface, COLUMNS[column], layout.unit, LIGHT.faint, at)
    for row in range(rules.m):
        at = layout.left - away, layout.top + row * size + half
        write(surface, str(row + 1), layout.unit, LIGHT.faint, at)
    centre, state = surface.get_width() // 2, scene.state or said(rules, scene.board)
    ink = LIGHT.ink(state[0]) if state[:1] in ("X", "O") else LIGHT.words
    write(surface, state, layout.unit * 2, ink, (centre, layout.top - layout.unit * 3))
    y = layout.top + size * rules.m + layout.unit + layout.unit // 2
    for line, (text, colour) in enumerate(scene.lines):
        write(surface, text, layout.unit, colour, (centre, y + line * layout.unit * 3 // 2))


def write(
    surface: pygame.Surface, text: str, size: int, colour: Colour, centre: tuple[int, int]
) -> None:
    """Write a centred line, shrinking the letters so that both edges stay free.

    Args:
        surface: what to write on.
        text: one line.
        size: height of the letters in pixels.
        colour: their colour.
        centre: x and y of the middle of the line.
    """
    # Reduced from a larger size, letters keep their distances.
    large = _font(size * SUPERSAMPLING).render(text, True, colour)
    factor = max(SUPERSAMPLING, large.get_width() / max(1, surface.get_width() - 4 * size))
    small = int(large.get_width() / factor), int(large.get_height() / factor)
    drawn = pygame.transform.smoothscale(large, small)
    surface.blit(drawn, drawn.get_rect(center=centre))


@lru_cache(maxsize=32)
def _font(size: int) -> pygame.font.Font:
    """Return the font bundled with pygame, so that windows look the same everywhere."""
    return pygame.font.Font(None, round(size * 1.35))
