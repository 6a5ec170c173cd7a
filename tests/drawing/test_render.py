"""Rendering of boards as text with the side to move, and as pictures."""

from itertools import combinations

import gymnasium as gym
import numpy as np
import pytest
from reference import mover, random_game, spell, windows, winner

from tttenv import Rules
from tttenv.drawing import tiles
from tttenv.drawing.render import CELL, LastStone, ansi, draw, rgb
from tttenv.drawing.tiles import LIGHT

BOARDS = ["_" * 9, "X________", "XXXOO____", "XX_OOOX__", "XXOOOXXOX"]
BOARDS += ["XXXOOXOXO"]  # full, yet won
RULES = [(3, 3, 3), (2, 4, 3), (1, 5, 3), (5, 5, 4)]


def tile(picture, cell, columns=3):
    row, column = divmod(cell, columns)
    return picture[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]


def shown(board, rules=(3, 3, 3), last=None):
    return rgb(Rules(*rules), Rules(*rules).parse(board), last)


def ground(picture, cell, columns=3):
    """Return the colour of a cell between its stone and its rim."""
    return tuple(tile(picture, cell, columns)[CELL // 2, 8].tolist())


def rim(picture, cell, columns=3):
    return tuple(tile(picture, cell, columns)[CELL // 2, 2].tolist())


@pytest.mark.parametrize("rules", RULES, ids=spell)
@pytest.mark.parametrize("seed", range(3))
def test_every_board_of_a_game_reads_as_it_was_played(rules, seed):
    for board in random_game(rules, seed)[0]:
        *rows, status = ansi(Rules(*rules), Rules(*rules).parse(board)).splitlines()
        assert "".join(rows).replace(" ", "").replace(".", "_") == board
        assert [len(row.split()) for row in rows] == [rules[1]] * rules[0]
        won = winner(rules, board)
        known = {None: f"{mover(board)} to move", "_": "draw", "X": "X wins", "O": "O wins"}
        assert status == known[won]


@pytest.mark.parametrize("rules", RULES, ids=spell)
def test_pictures_have_a_square_for_each_cell_and_differ_where_boards_do(rules):
    boards = random_game(rules, 0)[0]
    pictures = [shown(board, rules) for board in boards]
    for picture in pictures:
        assert picture.shape == (rules[0] * CELL, rules[1] * CELL, 3)
        assert picture.dtype == np.uint8
    for (one, first), (other, second) in combinations(zip(boards, pictures, strict=True), 2):
        for cell in range(len(one)):
            same = (tile(first, cell, rules[1]) == tile(second, cell, rules[1])).all()
            alike = (cell in won(rules, one)) == (cell in won(rules, other))
            assert same == (one[cell] == other[cell] and alike)


def won(rules, board):
    """Return the cells of the completed lines."""
    full = ("X" * rules[2], "O" * rules[2])
    lines = [line for line in windows(rules) if "".join(board[c] for c in line) in full]
    return {cell for line in lines for cell in line}


def test_marks_are_drawn_in_their_ink_in_the_middle_or_around_it():
    middle = CELL // 2
    x, o, empty = (tiles.tile(CELL, mark, LIGHT.paper, None) for mark in "XO_")
    assert x[middle, middle].tolist() == list(LIGHT.x)
    assert o[middle, middle].tolist() == list(LIGHT.paper)  # an O is hollow
    assert o[middle, middle + round(0.26 * CELL)].tolist() == list(LIGHT.o)
    assert empty[middle, middle].tolist() == list(LIGHT.paper)
    assert empty[0, 0].tolist() == list(LIGHT.ground)
    for drawn in (x.astype(int), o.astype(int), empty.astype(int)):
        for turned in (drawn[::-1], drawn[:, ::-1], drawn.transpose(1, 0, 2)):
            assert (drawn == turned).all()


@pytest.mark.parametrize("board", BOARDS)
def test_the_line_that_won_has_the_colour_of_its_winner(board):
    picture = shown(board)
    for cell, mark in enumerate(board):
        expected = LIGHT.line(mark) if cell in won((3, 3, 3), board) else LIGHT.paper
        assert ground(picture, cell) == expected


def test_the_last_stone_has_a_rim_in_its_ink():
    for last in range(9):
        picture = shown("XO_XO____", last=last)
        for cell, mark in enumerate("XO_XO____"):
            marked = cell == last and mark != "_"
            assert rim(picture, cell) == (LIGHT.ink(mark) if marked else LIGHT.paper)


@pytest.mark.parametrize("rules", RULES, ids=spell)
def test_coordinates_stand_in_the_first_row_and_the_first_column(rules):
    picture = shown("_" * (rules[0] * rules[1]), rules)
    texts = set()
    for cell in range(rules[0] * rules[1]):
        row, column = divmod(cell, rules[1])
        inked = (tile(picture, cell, rules[1]) == LIGHT.faint).all(axis=2)
        right, low = inked[:16, 48:], inked[48:, :16]
        assert right.any() == (row == 0)
        assert low.any() == (column == 0)
        assert inked.sum() == right.sum() + low.sum()
        texts |= {right.tobytes()} if row == 0 else set()
        texts |= {low.tobytes()} if column == 0 else set()
    assert len(texts) == sum(rules[:2])  # each of its own


@pytest.mark.parametrize("rules", RULES, ids=spell)
@pytest.mark.parametrize("both", [False, True])
def test_the_last_stone_is_found_from_the_boards_that_are_drawn(rules, both):
    found, game = LastStone(), Rules(*rules)
    for seed in range(4):  # one game after the other
        boards, cells = random_game(rules, seed)
        for stones in range(both and seed % 2, len(boards), 1 + both):
            last = found.of(game, game.parse(boards[stones]))
            assert last == (cells[stones - 1] if stones else None)
            assert found.of(game, game.parse(boards[stones])) == last  # drawn again


def test_a_last_stone_that_nobody_saw_is_not_guessed():
    found, game = LastStone(), Rules()
    assert found.of(game, game.parse("XOXO_____")) is None
    assert found.of(game, game.parse("XOXOX____")) == 4
    assert found.of(game, game.parse("_________")) is None
    assert found.of(game, game.parse("XOX______")) is None
    assert found.of(game, game.parse("XOX____OX")) == 8


def test_a_games_pictures_mark_the_answer_to_each_step():
    env = gym.make("TicTacToe-v0", opponent="first", seat="X", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    rims = []
    for cell in (4, 2, 6):
        env.render()
        env.step(cell)
        picture = env.render()
        rims.append([cell for cell in range(9) if rim(picture, cell) in (LIGHT.x, LIGHT.o)])
    assert rims == [[0], [1], [6]]
    assert [ground(picture, cell) == LIGHT.line("X") for cell in (2, 4, 6, 0)] == [True] * 3 + [
        False
    ]


def test_boards_and_numbered_games_are_drawn_side_by_side():
    rules, width = Rules(3, 4, 3), 4 * CELL
    board = rules.parse("OXX" + 9 * "_")
    whole = np.asarray(draw(rules, board, [1, 0, 2]))
    assert (whole[:, :width] == rgb(rules, board)).all()
    differ = (whole[:, width + CELL // 2 :] != rgb(rules, board, last=2)).any(axis=2)
    numbered = np.argwhere(differ) // CELL
    assert {tuple(cell) for cell in numbered.tolist()} == {(0, 0), (0, 1), (0, 2)}
