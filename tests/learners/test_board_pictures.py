"""Pictures with text: a policy for TensorBoard."""

import numpy as np
import pytest

from learners.training.loggers import LARGE, policy_picture
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
