"""Pictures with text: a policy for TensorBoard, and the game in the README."""

from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageSequence

from learners.training.board_pictures import LARGE, Annotations, board_picture, policy_picture
from scripts import pictures
from scripts.lib import game_gif
from tttenv import Rules, player
from tttenv.cli.play.advice import Advice
from tttenv.drawing.tiles import DARK, LIGHT
from tttenv.exact import solve


def cell_of(picture, cell, columns=3, side=LARGE):
    """Return the pixels of a cell of a board's picture."""
    row, column = divmod(cell, columns)
    return np.asarray(picture)[-side * (3 - row) :][:side, column * side : (column + 1) * side]


@pytest.mark.parametrize("text", ["_________", "X________", "X___O____"])
def test_a_policys_picture_says_who_is_to_move_and_every_chance(text):
    rules = Rules()
    board = rules.parse(text)
    free = np.flatnonzero(board == 0)
    shares = np.zeros(9)
    shares[free[:3]] = 0.7, 0.299, 0.001
    picture = policy_picture(rules, board, shares)
    assert picture.dtype == np.uint8
    assert picture.shape == (3 * LARGE + LARGE // 3, 3 * LARGE, 3)
    head = picture[: LARGE // 3].reshape(-1, 3)
    inks = [(head == ink).all(axis=1).any() for ink in (LIGHT.x, LIGHT.o)]
    assert inks == [text.count("_") % 2 == 1, text.count("_") % 2 == 0]
    for cell in free:
        drawn = cell_of(picture, cell)
        written = (np.abs(drawn.astype(int) - LIGHT.words).max(axis=2) < 30).any()
        assert written == (shares[cell] > 0)
        assert drawn[20, 20].tolist() == list(LIGHT.heat(shares[cell] ** 0.5))


def test_large_boards_have_small_cells_and_no_number_for_what_is_hardly_played():
    rules = Rules(15, 15, 5)
    picture = policy_picture(rules, rules.start(), np.full(225, 1 / 225))
    assert max(picture.shape) < 800
    assert not (np.abs(picture[40:].astype(int) - LIGHT.words).max(axis=2) < 30).any()


def test_rims_rings_labels_and_badges_are_drawn_where_they_belong():
    rules = Rules()
    board = rules.parse("XO_______")
    more = {"rims": {1: LIGHT.blunder}, "badges": {1: "??"}, "rings": [4], "labels": {8: "-3"}}
    marked, plain = (
        board_picture(rules, board, LARGE, LIGHT, Annotations(**m)) for m in (more, {})
    )
    changed = {cell for cell in range(9) if (cell_of(marked, cell) != cell_of(plain, cell)).any()}
    assert changed == {1, 4, 8}
    assert tuple(cell_of(marked, 1)[LARGE // 2, 4]) == LIGHT.blunder
    ring = cell_of(marked, 4)[LARGE // 2]
    assert (ring == LIGHT.words).all(axis=1).sum() >= 2
    assert tuple(ring[LARGE // 2]) == LIGHT.paper


def test_the_game_of_the_readme_has_one_blunder_that_loses_and_the_value_of_every_position():
    advice, solution = Advice(Rules()), solve(Rules())
    game = game_gif._found(0, advice)
    told = [
        advice.blunder(*each) is not None for each in zip(game.boards, game.cells, strict=False)
    ]
    assert [stone for stone, bad in enumerate(told) if bad] == [game.blunder] == [1]
    for board in game.boards:
        index = solution.positions.index(board)
        value, stones = game_gif._value(board)
        own = (1, -1)[int(Rules().seat(board))]
        assert value == own * solution.values[index]
        assert stones == (0 if value == 0 else (solution.distances[index] + 1) // 2)
    assert game_gif._standing(game.boards[-1]) == "X wins"
    assert game_gif._standing(game.boards[0]) == "draw"
    policy = player("selfplay", Rules())
    for board, cell in list(zip(game.boards, game.cells, strict=False))[::2]:
        assert policy(board[None])[0][cell] > 0


def test_gifs_are_made_light_and_dark_with_a_frame_for_every_stone():
    made = game_gif.pictures(0)
    grounds = {}
    for (_, scheme), data in made.items():
        frames = [
            np.asarray(f.convert("RGB")) for f in ImageSequence.Iterator(Image.open(BytesIO(data)))
        ]
        stones = len(game_gif._found(0, Advice(Rules())).cells)
        assert len(frames) == stones + 2  # the empty board, and what the answers are worth
        assert all((a != b).any() for a, b in pairwise(frames))
        grounds[scheme] = frames[0][-1, -1].astype(int)
    assert np.abs(grounds["light"] - LIGHT.ground).max() < 8
    assert np.abs(grounds["dark"] - DARK.ground).max() < 8


def test_the_names_of_dark_pictures():
    assert pictures.named("curve-td0.svg", "light") == "curve-td0.svg"
    assert pictures.named("curve-td0.svg", "dark") == "curve-td0-dark.svg"
