"""PettingZoo environment: PettingZoo's own tests without output, and the game of `Rules`."""

import copy
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state as state_test
from pettingzoo.test.state_test import test_state_space as state_space_test

import tttenv
from tttenv.adapters.pettingzoo import AGENTS, env, raw_env

SIZES = pytest.mark.parametrize("size", [(3, 3, 3), (3, 4, 3), (9, 9, 5)])


@SIZES
@pytest.mark.parametrize("make", [env, raw_env])
def test_pettingzoos_own_tests_pass_in_silence(make, size, capsys):
    m, n, k = size
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api_test(make(m=m, n=n, k=k), num_cycles=300)
        seed_test(lambda: make(m=m, n=n, k=k), num_cycles=50)
        state_space_test(make(m=m, n=n, k=k))
    assert capsys.readouterr().err == ""


def test_its_tests_of_pictures_and_states_pass(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render_test(env)
        state_test(env(), num_cycles=20)  # moves at random, illegal ones too


def test_it_is_registered():
    game = pettingzoo.make("aec", "tttenv/TicTacToe-v0", m=4, n=5, k=3)
    assert game.action_space("player_1").n == 20


@SIZES
def test_random_games_are_those_of_the_rules(size):
    rules, rng = tttenv.Rules(*size), np.random.default_rng(0)
    game = env(m=rules.m, n=rules.n, k=rules.k)
    for _ in range(30):
        game.reset()
        board, turn = rules.start(), 0
        while not rules.over(board):
            assert game.agent_selection == AGENTS[turn % 2]
            observation, _, terminated, truncated, _ = game.last()
            assert not terminated
            assert not truncated
            assert (observation["action_mask"] == (board == 0)).all()
            mine, theirs, empty = observation["observation"].reshape(3, -1)
            assert (mine - theirs == board).all()
            assert (empty == (board == 0)).all()
            other = game.observe(AGENTS[(turn + 1) % 2])
            assert (np.subtract(*other["observation"].reshape(3, -1)[:2]) == -board).all()
            assert not other["action_mask"].any()
            cell = rng.choice(np.flatnonzero(board == 0))
            game.step(cell)
            board, turn = rules.play(board, cell), turn + 1
        won = float(rules.lost(board))  # by who moved last
        assert game.terminations == dict.fromkeys(AGENTS, True)
        assert game.rewards == {AGENTS[(turn - 1) % 2]: won, AGENTS[turn % 2]: -won}
        assert all(type(paid) is float for paid in game.rewards.values())
        assert not game.observe(AGENTS[turn % 2])["action_mask"].any()
        assert (game.state() == (board if turn % 2 == 0 else -board)).all()
        for _ in AGENTS:
            game.step(None)
        assert game.agents == []


@pytest.mark.parametrize("make", [env, raw_env])
def test_an_illegal_move_loses(make, capfd):
    game = make(draw=0.3)
    game.reset()
    game.step(4)
    game.step(4)
    assert game.terminations == dict.fromkeys(AGENTS, True)
    assert game.rewards == {"player_1": 0, "player_2": -1}
    assert not game.observe("player_1")["action_mask"].any()
    assert not game.observe("player_2")["action_mask"].any()


@pytest.mark.parametrize("make", [env, raw_env])
def test_or_it_raises_and_changes_nothing(make):
    game = make(illegal="raise")
    game.reset()
    game.step(4)
    with pytest.raises(ValueError, match="taken"):
        game.step(4)
    assert game.agent_selection == "player_2"
    assert not any(game.terminations.values())
    assert game.unwrapped.board.sum() == -1


def test_a_game_goes_on_from_a_board_and_from_a_copy():
    game = raw_env()
    game.reset(options={"board": "XX_OO____"})
    assert game.agent_selection == "player_1"
    twin = copy.deepcopy(game)
    twin.step(2)
    assert twin.rewards == {"player_1": 1, "player_2": -1}
    game.step(8)
    game.step(5)
    assert game.rewards == {"player_1": -1, "player_2": 1}
