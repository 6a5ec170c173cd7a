"""`obs="text"`: an environment that describes its game in English."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tttenv
from tttenv import text


def made(**more):
    return gym.make("TicTacToe-v0", obs="text", **more).unwrapped


@pytest.mark.filterwarnings("error")
def test_gymnasium_accepts_it():
    check_env(made(), skip_render_check=True)


@pytest.mark.parametrize(("size", "opponent"), [((3, 3, 3), "random"), ((2, 12, 3), None)])
def test_it_shows_what_the_board_shows_until_the_end(size, opponent):
    m, n, k = size
    env, rules = made(m=m, n=n, k=k, opponent=opponent), tttenv.Rules(m, n, k)
    ends = set()
    for seed in range(30):
        observed, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            board = env.match.games.board_to_move(0)
            assert observed == text.prompt(rules, board)
            np.testing.assert_array_equal(info["action_mask"], board == 0)
            assert observed in env.observation_space
            observed, _, over, _, info = env.step(env.sample_action())
        assert observed in env.observation_space
        assert not info["action_mask"].any()
        ends.add(observed.rpartition("The game is over: ")[2])
    assert ends <= {"X wins.", "O wins.", "draw."}
    assert len(ends) > 1


def test_an_illegal_move_is_named():
    env = made(opponent=None)
    env.reset()
    env.step(4)
    assert env.step(4)[0].endswith("The game is over: illegal move.")
