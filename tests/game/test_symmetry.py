"""Symmetries of the board: they form a group and preserve the rules of the game."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import RULES, random_game, spell, view

from tttenv.exact import positions
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, inverses, maps, orbits

every_rules = pytest.mark.parametrize("rules", RULES, ids=spell)

# Rows 2 to 6 as a published data set lists them; the last two are the two diagonals.
SQUARE = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
    [2, 5, 8, 1, 4, 7, 0, 3, 6],
    [8, 7, 6, 5, 4, 3, 2, 1, 0],
    [6, 3, 0, 7, 4, 1, 8, 5, 2],
    [6, 7, 8, 3, 4, 5, 0, 1, 2],
    [2, 1, 0, 5, 4, 3, 8, 7, 6],
    [0, 3, 6, 1, 4, 7, 2, 5, 8],
    [8, 5, 2, 7, 4, 1, 6, 3, 0],
]


def test_the_eight_symmetries_of_the_square_stand_in_their_published_order():
    assert maps(Rules()).tolist() == SQUARE


def test_a_board_that_is_not_square_has_four_symmetries():
    assert maps(Rules(2, 3, 2)).tolist() == [
        [0, 1, 2, 3, 4, 5],
        [5, 4, 3, 2, 1, 0],
        [3, 4, 5, 0, 1, 2],
        [2, 1, 0, 5, 4, 3],
    ]


@every_rules
def test_the_symmetries_are_a_group_and_inverses_undo_them(rules):
    ours = Rules(*rules)
    images = [tuple(image) for image in maps(ours).tolist()]
    assert len(images) == (8 if ours.m == ours.n else 4)
    assert images[0] == tuple(range(ours.cells))
    together = {tuple(a[cell] for cell in b) for a in images for b in images}
    assert together == set(images)
    for image, inverse in zip(images, inverses(ours).tolist(), strict=True):
        assert [image[cell] for cell in inverse] == list(range(ours.cells))


@every_rules
def test_every_symmetry_carries_lines_to_lines(rules):
    ours = Rules(*rules)
    lines = {frozenset(line) for line in ours.lines.tolist()}
    for image in maps(ours):
        assert {frozenset(line) for line in image[ours.lines].tolist()} == lines


@every_rules
@given(seed=st.integers(0, 2**32))
def test_the_canonical_board_is_the_smallest_image_by_the_first_map_that_makes_it(rules, seed):
    ours = Rules(*rules)
    boards = np.array([view(text) for text in random_game(rules, seed)[0][:12]], np.int8)
    found, which = canonical(ours, boards)
    images = maps(ours).tolist()
    for board, best, number in zip(boards.tolist(), found.tolist(), which.tolist(), strict=True):
        turned = [[board[cell] for cell in image] for image in images]
        assert best == min(turned)
        assert number == turned.index(best)
        assert canonical(ours, np.array(turned, np.int8))[0].tolist() == [best] * len(images)


def test_the_classes_of_tic_tac_toe_are_as_many_as_is_known():
    rules, every = Rules(), positions(Rules())
    representatives, which = orbits(rules, every.boards)
    assert len(representatives) == 765
    assert (canonical(rules, every.boards)[0] == representatives[which]).all()
    over = rules.over(representatives)
    assert (~over).sum() == 627
    assert (rules.seat(representatives[~over]) == 1).sum() == 289
    lost, seat = rules.lost(representatives), rules.seat(representatives)
    assert ((lost & (seat == 1)).sum(), (lost & (seat == 0)).sum()) == (91, 44)
    assert (over & ~lost).sum() == 3
