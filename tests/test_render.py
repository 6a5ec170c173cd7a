"""Boards for people: as text with whose turn it is, and as pictures with heat."""

from itertools import combinations

import numpy as np
import pytest
from reference import mover, random_game, spell, winner

from tttenv import Rules
from tttenv.game.render import CELL, HEAT, O_INK, PAPER, X_INK, ansi, marks, rgb

BOARDS = {  # and what stands below them
    "_________": "X to move",
    "X________": "O to move",
    "XXXOO____": "X wins",
    "XX_OOOX__": "O wins",
    "XXOOOXXOX": "draw",
    "XXXOOXOXO": "X wins",  # full, yet won
}
RULES = [(3, 3, 3), (2, 4, 3), (1, 5, 3), (5, 5, 4)]


def tile(picture, cell, columns=3):
    row, column = divmod(cell, columns)
    return picture[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]


def shown(board, rules=(3, 3, 3), heat=None):
    return rgb(Rules(*rules), Rules(*rules).parse(board), heat)


@pytest.mark.parametrize("board", BOARDS)
def test_text_shows_the_marks_and_whose_turn_it_is_or_how_it_ended(board):
    rows = [" ".join(board[i : i + 3]).replace("_", ".") for i in (0, 3, 6)]
    text = ansi(Rules(), Rules().parse(board))
    assert text == "\n".join([*rows, BOARDS[board]]) + "\n"
    assert "".join(marks(Rules(), Rules().parse(board))) == board


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
            assert same == (one[cell] == other[cell])


def test_marks_are_drawn_in_their_ink_in_the_middle_or_around_it():
    picture, middle = shown("XO_______"), CELL // 2
    assert tile(picture, 0)[middle, middle].tolist() == list(X_INK)
    assert tile(picture, 1)[middle, middle].tolist() == list(PAPER)  # an O is hollow
    assert tile(picture, 1)[middle, middle + round(0.26 * CELL)].tolist() == list(O_INK)
    assert tile(picture, 2)[middle, middle].tolist() == list(PAPER)
    for cell in range(9):  # upright as well as turned or mirrored
        drawn = tile(picture, cell).astype(int)
        for turned in (drawn[::-1], drawn[:, ::-1], drawn.transpose(1, 0, 2)):
            assert (drawn == turned).all()


def test_heat_colours_the_cells_from_paper_to_full_and_no_further():
    heat = np.array([0, 0.25, 0.5, 0.75, 1, 2, -1, 0, 0])
    picture = shown("_________", heat=heat)
    for cell, share in enumerate(np.clip(heat, 0, 1)):
        expected = (1 - share) * np.array(PAPER) + share * HEAT
        np.testing.assert_allclose(tile(picture, cell)[20, 20], expected, atol=0.51)
    assert (shown("X________", heat=np.zeros(9)) == shown("X________")).all()
