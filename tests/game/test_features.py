"""Features of boards, compared with counts by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import RULES, random_game, spell, view, windows

from tttenv.game.features import line_counts, one_hot, rich, seven
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps

every_rules = pytest.mark.parametrize("rules", RULES, ids=spell)


@every_rules
@given(seed=st.integers(0, 2**32))
def test_one_hot_planes_say_mine_theirs_and_empty_in_this_order(rules, seed):
    boards = [view(text) for text in random_game(rules, seed)[0][:9]]
    planes = one_hot(np.array(boards, np.int8))
    assert planes.dtype == np.float32
    expected = [[float(stone == kind) for kind in (1, -1, 0) for stone in b] for b in boards]
    assert planes.tolist() == expected


@every_rules
@given(seed=st.integers(0, 2**32))
def test_line_counts_are_the_lines_that_one_side_alone_has_begun(rules, seed):
    boards = [view(text) for text in random_game(rules, seed)[0][-4:]]
    counts = line_counts(Rules(*rules), np.array(boards, np.int8))
    for board, found in zip(boards, counts.tolist(), strict=True):
        stones = [sorted(board[cell] for cell in line) for line in windows(rules)]
        k = rules[2]
        for side, name in ((0, 1), (1, -1)):
            expected = [stones.count(sorted([0] * (k - j) + [name] * j)) for j in range(1, k + 1)]
            assert found[side] == expected


@pytest.mark.parametrize("rules", [size for size in RULES if size[0] < 19], ids=spell)
@given(seed=st.integers(0, 2**32))
def test_features_that_learners_weigh_are_those_of_all_images(rules, seed):
    game = Rules(*rules)
    boards = np.array([view(text) for text in random_game(rules, seed)[0][-4:]], np.int8)
    for features in (seven, rich):
        found = features(game, boards)
        assert found.shape == (len(boards), found.shape[1])
        if game.m % 2 and game.n % 2:  # else the centre is one of several cells
            for turn in maps(game):
                assert (features(game, boards[:, turn]) == found).all()


@pytest.mark.parametrize("batch", [(), (0,), (2,), (2, 3)], ids=repr)
def test_features_keep_the_shape_of_the_batch(batch):
    rules = Rules(2, 5, 4)
    assert one_hot(rules.start(*batch)).shape == (*batch, 30)
    assert line_counts(rules, rules.start(*batch)).shape == (*batch, 2, 4)
