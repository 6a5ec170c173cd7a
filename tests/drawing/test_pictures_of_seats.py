"""Marks by seat in pictures of both environments: X is the side that opened, on all boards."""

import numpy as np
import pytest
from pairs import pairs
from reference import mover, put, view
from test_copies import last_cell

from tttenv.drawing.render import CELL
from tttenv.drawing.tiles import LIGHT
from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe

# Up to FEW cells games are kept as numbers of positions, beyond as boards: some on either side.
SIZES = [(3, 3, 3), (3, 4, 3), (1, 13, 3), (4, 4, 4)]
SEATS = ["X", "O", "random"]
PLAYERS = {"none": None, "function": last_cell, **{n: n for n in ("first", "random", "tactical")}}


def read_text(text):
    """Return the marks of a board drawn as text."""
    return "".join(text.splitlines()[:-1]).replace(" ", "").replace(".", "_")


def read_picture(rules, picture):
    """Return the marks of a picture, from the colours of the ink in each cell."""
    m, n, _ = rules
    assert picture.shape == (m * CELL, n * CELL, 3)
    tiles = picture.reshape(m, CELL, n, CELL, 3).swapaxes(1, 2).reshape(m * n, -1, 3)
    has = [[(tile == ink).all(axis=1).any() for ink in (LIGHT.x, LIGHT.o)] for tile in tiles]
    return "".join({(1, 0): "X", (0, 1): "O", (0, 0): "_"}[tuple(map(int, h))] for h in has)


def marks(env, rules, picture):
    """Return the marks that an environment shows as text, and as a picture if asked."""
    env.render_mode = "ansi"
    text = read_text(env.render())
    if picture:
        env.render_mode = "rgb_array"
        assert read_picture(rules, env.render()) == text
    return text


@pytest.mark.parametrize(("rules", "seat", "opponent"), pairs(SIZES, SEATS, PLAYERS))
def test_one_game_shows_x_as_the_side_that_opened(rules, seat, opponent):
    env = TicTacToe(*rules, PLAYERS[opponent], seat, render_mode="ansi")
    dice, start = np.random.default_rng(0), "_" * rules[0] * rules[1]
    for game, cell in enumerate((0, 5, 2, 1)):
        env.reset(seed=game)
        if game:  # from a board of as many stones
            env.reset(options={"board": start, "seat": mover(start)})
        over, turn = False, 0
        while not over:
            shown = marks(env, rules, picture=turn % 4 == 0)
            assert env.board.tolist() == view(shown)
            _, _, over, _, _ = env.step(int(dice.choice(np.flatnonzero(env.action_masks()))))
            turn += 1
        end = marks(env, rules, picture=True)
        own = mover(end) if PLAYERS[opponent] is None else mover(shown)
        assert env.board.tolist() == [{"_": 0, own: 1}.get(mark, -1) for mark in end]
        start = put(start, cell)


@pytest.mark.parametrize(("rules", "seat", "opponent"), pairs(SIZES, SEATS, PLAYERS))
def test_many_games_show_x_as_the_side_that_opened(rules, seat, opponent):
    env = VectorTicTacToe(5, *rules, PLAYERS[opponent], seat, render_mode="ansi")
    env.reset(seed=4)
    env.action_space.seed(4)
    for turn in range(20):
        env.render_mode = "ansi"
        texts = [read_text(text) for text in env.render()]
        assert env.boards.tolist() == [view(text) for text in texts]
        if turn % 10 == 0:
            env.render_mode = "rgb_array"
            assert [read_picture(rules, one) for one in env.render()] == texts
        env.step(env.sample_actions())
