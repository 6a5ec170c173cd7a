"""Pictures with text: a policy for TensorBoard."""

import numpy as np
import pytest

from learners.training.loggers import LARGE, board_picture, policy_picture
from tttenv import Rules
from tttenv.drawing.tiles import LIGHT


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


def test_rims_and_rings_are_drawn_where_they_belong():
    rules = Rules()
    board = rules.parse("XO_______")
    more = {"rims": {1: LIGHT.blunder}, "rings": [4]}
    marked, plain = (
        board_picture(rules, board, LARGE, LIGHT, np.zeros(9), **m) for m in (more, {})
    )
    changed = {cell for cell in range(9) if (cell_of(marked, cell) != cell_of(plain, cell)).any()}
    assert changed == {1, 4}
    assert tuple(cell_of(marked, 1)[LARGE // 2, 4]) == LIGHT.blunder
    ring = cell_of(marked, 4)[LARGE // 2]
    assert (ring == LIGHT.words).all(axis=1).sum() >= 2
    assert tuple(ring[LARGE // 2]) == LIGHT.paper
