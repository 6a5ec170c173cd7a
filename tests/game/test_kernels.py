"""The compiled loops: lines and threats by brute force, and a cache that never goes stale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import RULES, spell, windows

from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import completes

every_rules = pytest.mark.parametrize("rules", RULES, ids=spell)
fillings = given(seed=st.integers(0, 2**32), share=st.sampled_from([0.3, 0.5, 0.8, 0.95]))


def filling(rules, seed, share):
    """Return a board of arbitrary stones, `share` of them of one side, reachable or not."""
    rng = np.random.default_rng(seed)
    rest = 1 - share
    stones = rng.choice([1, -1, 0], rules[0] * rules[1], p=[share, rest * 0.7, rest * 0.3])
    return stones.astype(np.int8)


@every_rules
def test_the_lines_are_all_straight_windows_of_k_cells(rules):
    m, n, k = rules
    ours = [frozenset(line) for line in Rules(*rules).lines.tolist()]
    assert len(ours) == len(set(ours))
    across, down = max(n - k + 1, 0), max(m - k + 1, 0)
    assert len(ours) == m * across + n * down + 2 * across * down
    assert set(ours) == {frozenset(line) for line in windows(rules)}


@every_rules
@fillings
def test_a_stone_completes_a_line_if_and_only_if_some_line_through_it_is_of_its_kind(
    rules, seed, share
):
    board = filling(rules, seed, share)
    of_one_kind = [line for line in windows(rules) if abs(board[list(line)].sum()) == rules[2]]
    won = {cell for line in of_one_kind for cell in line}
    for cell in np.flatnonzero(board).tolist():
        assert completes(board, cell, Rules(*rules).game) == (cell in won)


@every_rules
@fillings
def test_a_board_is_lost_if_and_only_if_some_line_is_all_theirs(rules, seed, share):
    board = filling(rules, seed, share)
    for side in (board, -board):
        expected = any((side[list(line)] == -1).all() for line in windows(rules))
        assert Rules(*rules).lost(side) == expected
        assert Rules(*rules).over(side) == (expected or side.all())


@every_rules
@fillings
def test_a_threat_is_an_empty_cell_that_alone_is_missing_from_a_line(rules, seed, share):
    board = filling(rules, seed, share)
    before = board.copy()
    for side in (1, -1):
        # k - 1 stones of one side and a gap: nothing else sums to this
        near = [line for line in windows(rules) if board[list(line)].sum() == side * (rules[2] - 1)]
        gaps = {cell for line in near for cell in line if board[cell] == 0}
        assert set(np.flatnonzero(Rules(*rules).winning_cells(board, side)).tolist()) == gaps
    assert (board == before).all()
