"""A pygame-ce window that shows a board, for play and for `render_mode="human"`."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.utils.optional_dependencies import NO_WINDOW

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(NO_WINDOW, name=error.name) from None

from tttenv.drawing.board import Layout, Scene, margins, paint

UNIT = 17  # pixels of small letters in a new window
LARGEST, SMALLEST = 132, 34  # pixels of a cell in a new window
POLL_SECONDS = 0.02  # between two checks for events
HEADLESS_DRIVERS = ("dummy", "offscreen")  # SDL's drivers without a visible window


class Event(NamedTuple):
    """A user action: closing the window, a key, or a click on a cell or beside the board."""

    kind: Literal["leave", "key", "click"]
    key: str = ""
    cell: int | None = None


class Window:
    """A window that stays open until `close` and redraws itself when it is resized.

    Args:
        rules: the game of the board to show.
        title: the window's title.
        notes: the number of lines of text below the board.
        seen: raise an error if there is no display, instead of drawing offscreen as SDL does.

    Raises:
        OSError: if `seen` is set and there is no display.
    """

    def __init__(self, rules: Rules, title: str, notes: int = 0, seen: bool = False) -> None:
        self.rules, self.notes = rules, notes
        self.scene = Scene(rules.start())
        try:
            with _stderr_silenced():  # SDL's helpers complain where there is no display
                self._open(seen)
        except pygame.error as error:
            self.close()
            raise OSError(f"there is no display to open a window on ({error})") from None
        driver = pygame.display.get_driver()
        if seen and driver in HEADLESS_DRIVERS:
            self.close()
            raise OSError(f"there is no display to open a window on (SDL's driver is {driver})")
        pygame.display.set_caption(title)
        self.open = True
        self._draw()

    def show(self, board: Boards, **more: Any) -> None:
        """Show another board (cells,); `more` sets other fields of `drawing.Scene`."""
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
        while True:
            if any(event.kind == "leave" for event in self.events()):
                return False
            if (left := end - time.monotonic()) <= 0:
                return True
            time.sleep(min(POLL_SECONDS, left))

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
