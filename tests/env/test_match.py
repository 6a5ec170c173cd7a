"""Games in progress: resets, keys and their random numbers, set boards, kept games, views."""

import numpy as np
import pytest

from tttenv import Rules, player
from tttenv.env.arguments import checked_boards
from tttenv.env.match import Match
from tttenv.policy import uniform

RULES = Rules()


class Keys:
    """Generator that returns these keys only."""

    def __init__(self, *keys):
        self.keys, self.bit_generator, self.state = list(keys), self, None

    def random_raw(self):
        """Return the next key."""
        assert self.keys, "more keys are drawn than documented"
        return self.keys.pop(0)


def every(games):
    return np.ones(games, np.bool_)


@pytest.mark.parametrize("games", [1, 3])
def test_an_opponent_that_comes_after_self_play_gets_a_key_of_its_own(games):
    match = Match(RULES, games)
    match.reset(every(games), Keys())
    match.step(np.zeros(games, np.int64), Keys())
    match.step(np.zeros(games, np.int64), Keys())  # a taken cell, which ends the game
    assert match.over.all()
    match.opponent = uniform
    match.reset(every(games), rng := Keys(5))
    assert rng.keys == []


def test_games_that_ended_begin_anew_by_the_key_of_their_last_step_once():
    match = Match(RULES, 2, uniform, "random")
    match.reset(every(2), Keys(1))
    match.set_boards(np.array([RULES.parse("XX_OO____"), RULES.parse("X___O____")]))
    match.step([2, 8], Keys(2))
    assert match.over.tolist() == [True, False]
    assert match.rewards.tolist() == [1, 0]
    first = np.array([True, False])
    match.reset(first, Keys())
    again = Match(RULES, 2, uniform, "random")
    again.reset(first, Keys(2))
    assert (match.boards[0] == again.boards[0]).all()
    match.reset(first, Keys(3))  # the second time by a key of its own
    match.step(match.legal().argmax(axis=1), Keys(4))
    assert not match.over.any()
    match.reset(every(2), Keys(5))  # nothing had ended


def test_one_board_for_each_of_several_games_is_not_taken_for_one_for_all():
    match = Match(RULES, 9, player("first"), "X")
    boards = [RULES.start(), *(-np.eye(9, dtype=np.int8)[cell] for cell in range(8))]
    match.set_boards(checked_boards(RULES, 9, boards, None))
    assert (match.boards == boards).all()
