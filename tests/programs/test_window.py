"""Window: pictures without a screen, and play with a mouse on an X server of its own."""

import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from PIL import ImageGrab

from tttenv import Rules
from tttenv.drawing.tiles import LIGHT
from tttenv.env.env import TicTacToe
from tttenv.exact import solve
from tttenv.utils.optional_dependencies import has_window

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame

from tttenv.cli.play.windowed import LINES
from tttenv.drawing.board import Layout, Scene, paint
from tttenv.drawing.render import said
from tttenv.drawing.window import Window

ROOT = Path(__file__).parents[2]
WINDOWS = [
    ((3, 3, 3), (510, 565)),
    ((1, 5, 3), (320, 900)),
    ((6, 2, 3), (900, 400)),
    ((19, 19, 5), (60, 60)),
]  # pairs of rules and sizes in pixels


@pytest.fixture
def unseen(monkeypatch):
    """Set an invisible display."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def painted(rules, text, size=(510, 565), **more):
    """Return the pixels (width, height, 3) of a scene, and its layout."""
    pygame.font.init()
    surface, game = pygame.Surface(size), Rules(*rules)
    layout = Layout(game, *size, notes=len(more.get("notes", ())))
    paint(surface, game, Scene(game.parse(text), **more), layout)
    return pygame.surfarray.array3d(surface), layout


def at(picture, layout, cell, right=0.5, down=0.5):
    """Return the colour at a relative position within a cell."""
    x, y = layout.corner(cell)
    return tuple(picture[int(x + right * layout.cell), int(y + down * layout.cell)].tolist())


# Pictures


@pytest.mark.parametrize(("rules", "size"), WINDOWS, ids=str)
def test_every_point_of_a_cell_belongs_to_it_and_none_beside_the_board(rules, size):
    layout = Layout(Rules(*rules), *size, notes=2)
    for cell in range(Rules(*rules).cells):
        x, y = layout.corner(cell)
        for dx, dy in ((0, 0), (layout.cell - 1, 0), (0, layout.cell - 1), (layout.cell // 2,) * 2):
            assert layout.cell_at(x + dx, y + dy) == cell
    last = layout.corner(Rules(*rules).cells - 1)
    for x, y in (layout.corner(0), last):
        outside = (x - 1, y - 1) if (x, y) == layout.corner(0) else np.add(last, layout.cell)
        assert layout.cell_at(*outside) is None
    if min(size) > 300 and rules != (19, 19, 5):  # there is room: all of it is seen
        assert min(layout.corner(0)) >= 0
        assert last[0] + layout.cell <= size[0]
        assert last[1] + layout.cell <= size[1]


def test_stones_are_drawn_in_their_ink_and_the_last_has_a_rim():
    picture, layout = painted((3, 3, 3), "XO_______", last=1)
    assert at(picture, layout, 0) == LIGHT.x
    assert at(picture, layout, 1) == at(picture, layout, 2) == LIGHT.paper
    assert at(picture, layout, 1, right=0.76) == LIGHT.o
    assert at(picture, layout, 1, right=0.06) == LIGHT.o  # the rim
    assert at(picture, layout, 0, right=0.06) == at(picture, layout, 2, right=0.06) == LIGHT.paper
    assert tuple(picture[0, 0]) == LIGHT.ground


def test_hints_colour_empty_cells_by_value_or_by_probability():
    values, shares = np.array([0, 0, 1, 0, -1, 1, -1, 0, 0]), np.full(9, 1 / 7)
    picture, layout = painted((3, 3, 3), "XO_______", values=values, shares=shares)
    for cell in range(9):
        expected = LIGHT.paper if cell < 2 else LIGHT.value(values[cell])
        assert at(picture, layout, cell, right=0.15, down=0.85) == expected


def test_the_words_above_say_whose_turn_it_is_or_how_it_ended():
    known = {"_________": "X to play", "X________": "O to play", "XX_OOOX__": "O wins"}
    known |= {"XXOOOXXOX": "draw", "XXXOO____": "X wins"}
    for text, words in known.items():
        assert said(Rules(), Rules().parse(text)) == words


@pytest.mark.parametrize(("rules", "size"), WINDOWS, ids=str)
def test_any_board_fits_any_window_and_long_notes_stay_inside(rules, size):
    cells = Rules(*rules).cells
    notes = ("a rather long line " * 9, "another")
    more = {"notes": notes, "shares": np.full(cells, 1 / cells), "values": np.zeros(cells, int)}
    picture, _ = painted(rules, "_" * cells, size, **more)
    assert picture.shape == (*size, 3)
    if min(size) > 300:
        assert (picture[:2] == LIGHT.ground).all()  # the words end before the edge
        assert (picture[-2:] == LIGHT.ground).all()


# Windows


def test_human_mode_shows_each_board_and_returns_nothing(unseen):
    env = gym.make("TicTacToe-v0", opponent="first", seat="X", render_mode="human").unwrapped
    env.metadata = env.metadata | {"render_fps": 50}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.reset(seed=0)
        env.step(4)
        assert env.render() is None
    drawn = pygame.surfarray.array3d(pygame.display.get_surface())
    layout = env.window.layout
    assert at(drawn, layout, 4) == LIGHT.x
    assert at(drawn, layout, 0, right=0.76) == LIGHT.o
    env.close()
    env.close()
    assert not pygame.display.get_init()
    with pytest.raises(gym.error.ClosedEnvironmentError):
        env.reset()
    assert not pygame.display.get_init()


def test_a_step_that_is_interrupted_while_it_is_shown_can_be_tried_again(unseen, monkeypatch):
    env = gym.make("TicTacToe-v0", opponent="first", seat="X", render_mode="human").unwrapped
    env.metadata = env.metadata | {"render_fps": 50}
    env.reset(seed=0)

    def pressed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(env.window, "show", pressed)
        with pytest.raises(KeyboardInterrupt):
            env.step(4)
    assert not env.match.boards.any()
    env.step(4)
    assert np.count_nonzero(env.match.boards) == 2
    env.close()


def test_who_closes_the_window_lets_the_games_go_on_unseen(unseen):
    env = gym.make("TicTacToe-v0", opponent="first", seat="X", render_mode="human").unwrapped
    env.metadata = env.metadata | {"render_fps": 50}
    env.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(4)
    assert not pygame.display.get_init()
    assert env.step(2)[1] == 0
    assert not pygame.display.get_init()


def test_batches_have_no_window():
    with pytest.raises(ValueError, match="ansi, rgb_array"):
        gym.make_vec("TicTacToe-v0", num_envs=2, render_mode="human")


def test_a_resized_window_is_drawn_anew_and_clicks_follow(unseen):
    window = Window(Rules(), "a window", notes=2)
    before = window.layout.corner(8)
    pygame.display.set_mode((1000, 900), pygame.RESIZABLE)
    window.surface = pygame.display.get_surface()
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=(1000, 900), w=1000, h=900))
    assert not list(window.events())
    assert window.layout.corner(8) != before
    for cell in range(9):
        x, y = window.layout.corner(cell)
        click = {"button": 1, "pos": (x + 5, y + 5)}
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, click))
        (event,) = window.events()
        assert (event.kind, event.cell) == ("click", cell)
    window.close()


def without(*gone, **more):
    return {k: v for k, v in os.environ.items() if k not in gone} | {"PYTHONPATH": str(ROOT)} | more


def test_without_a_display_there_is_one_clear_line():
    command = [sys.executable, str(ROOT / "scripts" / "play.py"), "first", "--window"]
    env = without("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")
    told = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(r"play.py: there is no display [^\n]+\n", told.stderr), told.stderr


# A real screen


@pytest.fixture
def screen():
    """Yield the name of an invisible X server."""
    if not shutil.which("Xvfb") or not shutil.which("xdotool"):
        pytest.skip("needs Xvfb and xdotool (Debian: xvfb, xdotool)")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1000x900x24", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as told:
        yield f":{told.readline().strip()}"
    server.terminate()
    server.wait(20)


class Sitting:
    """Session of play.py in a window on a screen, with a mouse, a keyboard and a camera."""

    def __init__(self, screen, *arguments):
        self.screen, self.layout = screen, Layout(Rules(), 578, 640, notes=LINES)
        more = {"DISPLAY": screen, "SDL_VIDEODRIVER": "x11", "SDL_VIDEO_WINDOW_POS": "0,0"}
        self.child = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "play.py"), "--window", *arguments],
            env=without("WAYLAND_DISPLAY", **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        self.sees(lambda picture: tuple(picture[3, 3]) == LIGHT.ground)
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def shot(self):
        """Return the screen's pixels (width, height, 3)."""
        return np.asarray(ImageGrab.grab(xdisplay=self.screen).convert("RGB")).transpose(1, 0, 2)

    def do(self, *words):
        """Run xdotool."""
        subprocess.run(["xdotool", *words], env=without(DISPLAY=self.screen), check=True)

    def click(self, cell):
        """Click into the middle of a cell."""
        x, y = self.layout.corner(cell)
        half = self.layout.cell // 2
        self.do("mousemove", str(x + half), str(y + half), "click", "1")

    def sees(self, what):
        """Wait until the screen is as wanted."""
        end = time.monotonic() + 30
        while not what(self.shot()):
            assert self.child.poll() is None, self.child.communicate()
            assert time.monotonic() < end
            time.sleep(0.05)

    def sees_board(self, text, hints=None):
        """Wait for the stones of `text`, with hints (values) or none on the other cells."""

        def shown(picture):
            for cell, mark in enumerate(text):
                right = 0.76 if mark == "O" else 0.5
                ink = at(picture, self.layout, cell, right)
                ground = at(picture, self.layout, cell, 0.15, 0.85)
                if mark != "_" and ink != {"X": LIGHT.x, "O": LIGHT.o}[mark]:
                    return False
                if mark == "_" and ground != (
                    LIGHT.paper if hints is None else LIGHT.value(hints[cell])
                ):
                    return False
            return True

        self.sees(shown)


@pytest.mark.parametrize(("installed", "display"), [(True, True), (True, False), (False, False)])
def test_gymnasium_checks_every_render_mode_in_silence(installed, display, monkeypatch, request):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if display:
        monkeypatch.setenv("DISPLAY", request.getfixturevalue("screen"))
    if not installed:
        monkeypatch.setitem(sys.modules, "pygame", None)
        monkeypatch.delitem(sys.modules, "tttenv.drawing.window")
    has_window.cache_clear()
    request.addfinalizer(has_window.cache_clear)
    monkeypatch.setitem(TicTacToe.metadata, "render_fps", 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("TicTacToe-v0").unwrapped
        gymnasium_check(env)
        assert ("human" in env.metadata["render_modes"]) == installed
        if not installed:
            with pytest.raises(gym.error.DependencyNotInstalled, match=r"tttenv\[window\]"):
                gym.make("TicTacToe-v0", render_mode="human")


def test_human_mode_needs_no_display_even_where_sdl_has_no_driver_for_that(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.setitem(TicTacToe.metadata, "render_fps", 50)
    env = gym.make("TicTacToe-v0", render_mode="human")
    env.reset(seed=0)
    assert pygame.display.get_driver() == "dummy"
    assert os.environ["SDL_VIDEODRIVER"] == "x11"
    env.close()


def test_games_are_played_with_mouse_and_keys(screen):
    rules, solution = Rules(), solve(Rules())
    with Sitting(screen, "first") as sitting:
        sitting.click(4)
        sitting.sees_board("O___X____")
        sitting.click(4)  # taken: nothing happens
        sitting.do("key", "h")
        sitting.sees_board("O___X____", hints=[0] * 9)
        sitting.click(2)
        worth = np.sign(solution.move_ranks[solution.positions.index(rules.parse("OOX_X____"))])
        sitting.sees_board("OOX_X____", hints=worth.tolist())
        sitting.do("key", "u")
        sitting.sees_board("O___X____", hints=[0] * 9)
        sitting.do("key", "h")
        sitting.click(2)
        sitting.sees_board("OOX_X____")
        sitting.click(6)
        sitting.sees_board("OOX_X_X__")
        assert at(sitting.shot(), sitting.layout, 2, 0.5, 0.12) == LIGHT.line("X")
        end = sitting.shot()
        for cell in (0, 1, 8):  # the game is over: nothing happens
            sitting.click(cell)
        time.sleep(0.5)
        assert (sitting.shot() == end).all()
        sitting.do("key", "n")  # the next game, seats swapped
        sitting.sees_board("X________")
        sitting.do("key", "s")  # as on the keyboard in the terminal
        sitting.sees_board("XX__O____")
        sitting.do("key", "r")
        sitting.do("key", "n")
        sitting.sees_board("_________")
        sitting.do("key", "Escape")
        out, complaint = sitting.child.communicate(timeout=30)
        assert (sitting.child.returncode, complaint) == (0, "")
        assert out == "you (X) 1   draws 0   first (O) 1\n"


def test_hints_tell_blunders_in_the_window(screen):
    def red(picture):
        return np.abs(picture.astype(int) - LIGHT.blunder).max(axis=2) < 4

    with Sitting(screen, "minimax:ties=first", "--seat", "O", "--hints") as sitting:
        sitting.sees_board("X________", hints=[0, -1, -1, -1, 0, -1, -1, -1, -1])
        assert not red(sitting.shot()).any()
        sitting.click(1)
        sitting.sees(lambda picture: at(picture, sitting.layout, 1, 0.06) == LIGHT.blunder)
        below = sitting.layout.corner(6)[1] + sitting.layout.cell
        assert red(sitting.shot()[:, below:]).any()  # the sentence
        sitting.do("key", "u")
        sitting.sees_board("X________", hints=[0, -1, -1, -1, 0, -1, -1, -1, -1])
        assert not red(sitting.shot()).any()
        sitting.click(4)
        time.sleep(1)
        assert not red(sitting.shot()).any()
