"""Window: pictures without a screen, and play by events of a mouse and a keyboard."""

import os
import re
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from processes import run_script, surroundings

from tttenv import Rules, player
from tttenv.drawing.tiles import LIGHT
from tttenv.env.env import TicTacToe
from tttenv.utils.optional_dependencies import has_window

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame

from tttenv.cli.play import windowed
from tttenv.cli.play.advice import Adviser
from tttenv.cli.play.session import Session
from tttenv.drawing.window import Layout, Window

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
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    assert not pygame.display.get_init()


def test_who_closes_the_window_lets_the_games_go_on_unseen(unseen):
    env = gym.make("TicTacToe-v0", opponent="first", seat="X", render_mode="human").unwrapped
    env.metadata = env.metadata | {"render_fps": 50}
    env.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(4)
    assert not pygame.display.get_init()
    assert env.step(2)[1] == 0
    assert not pygame.display.get_init()


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


def test_without_a_display_there_is_one_clear_line():
    gone = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")
    env = {name: value for name, value in surroundings().items() if name not in gone}
    told = run_script("play.py", "first", "--window", env=env)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(r"play.py: there is no display [^\n]+\n", told.stderr), told.stderr


@pytest.mark.parametrize("installed", [True, False])
def test_gymnasium_checks_every_render_mode_in_silence(installed, monkeypatch, request):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
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


@pytest.fixture
def playing(unseen, monkeypatch):
    """Return a function that opens a game against `first` in a window that nobody sees."""
    monkeypatch.setattr(windowed, "Window", lambda *a, seen, **more: Window(*a, **more))

    def begin(seat, hints):
        rules = Rules()
        session = Session(rules, "first", player("first"), seat, 0)
        return windowed.Windowed(session, Adviser(rules), hints)

    return begin


def done(game, *actions):
    """Post clicks (cells) and keys, let the player answer, and return the board from then on."""
    for action in actions:
        if isinstance(action, int):
            x, y = game.window.layout.corner(action)
            event = pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x + 9, y + 9))
        else:
            event = pygame.event.Event(pygame.KEYDOWN, key=ord(action), unicode=action)
        pygame.event.post(event)
        for came in game.window.events():
            game._obey(came)
        game.due = 0.0
        game._let_player_move()
    return game.session.rules.format(game.session.board)


def test_games_are_played_with_mouse_and_keys(playing):
    game = playing(0, False)
    assert done(game, 4) == "O___X____"
    assert done(game, 4) == "O___X____"  # taken: nothing happens
    assert done(game, 2) == "OOX_X____"
    assert done(game, "u") == "O___X____"
    assert done(game, 2, 6, 0, 1) == "OOX_X_X__"  # it is over: nothing happens
    assert at(pygame.surfarray.array3d(game.window.surface), game.window.layout, 2, 0.5, 0.12) == (
        LIGHT.line("X")
    )
    assert done(game, "n") == "X________"  # the next game, seats swapped
    assert done(game, "s") == "XX__O____"  # as on the keyboard in the terminal
    assert done(game, "n") == "_________"
    assert game.scene()["lines"][0][0] == "you are X, first is O"


def test_hints_show_values_and_blunders(playing):
    def red():
        picture = pygame.surfarray.array3d(game.window.surface).astype(int)
        return bool((np.abs(picture - LIGHT.blunder).max(axis=2) < 4).any())

    game = playing(1, True)
    done(game, "?")
    picture = pygame.surfarray.array3d(game.window.surface)
    for cell, value in enumerate([0, -1, -1, -1, 0, -1, -1, -1, -1]):
        ground = at(picture, game.window.layout, cell, 0.15, 0.85)
        assert ground == (LIGHT.value(value) if cell else LIGHT.paper)
    assert not red()
    done(game, 1)
    assert red()
    done(game, "u")
    assert not red()
