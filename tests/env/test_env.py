"""Single environment: spaces, masks, rewards, options, bad input and both check_envs."""

import inspect
import re
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from pairs import pairs
from stable_baselines3.common.env_checker import check_env as sb3_check

from tttenv import Rules, player, worst_case
from tttenv.env.env import TicTacToe
from tttenv.players import PLAYERS
from tttenv.policy import OBSERVATIONS
from tttenv.testing import check_env

OBS = list(OBSERVATIONS)


@pytest.mark.parametrize(("name", "seat", "obs"), pairs(PLAYERS, ["X", "O", "random"], OBS))
def test_both_check_envs_are_silent(name, seat, obs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gym.make("TicTacToe-v0", opponent=name, seat=seat, obs=obs)
        gymnasium_check(made.unwrapped, skip_render_check=True)
        sb3_check(made, skip_render_check=False)  # which closes it, and then plays on


def test_the_empty_board_is_drawn_before_the_first_reset_as_a_benchmark_does():
    made = gym.make("TicTacToe-v0", render_mode="ansi")
    assert made.render() == ". . .\n" * 3 + "X to move\n"
    with pytest.raises(gym.error.ResetNeeded):
        made.step(0)


@pytest.mark.parametrize(
    ("rules", "illegal", "obs"),
    pairs([(3, 3, 3), (3, 4, 3), (5, 5, 4), (9, 9, 5)], ["lose", "raise"], OBS),
)
def test_masked_play_obeys_the_laws_of_an_environment(rules, illegal, obs):
    m, n, k = rules
    check_env(gym.make("TicTacToe-v0", m=m, n=n, k=k, illegal=illegal, obs=obs), games=20)


def test_registered_under_three_names_without_a_limit_of_steps():
    for name in ("TicTacToe-v0", "tttenv/TicTacToe-v0"):
        assert isinstance(gym.make(name).unwrapped, TicTacToe)
        assert gym.spec(name).max_episode_steps is None
    code = "import gymnasium; gymnasium.make('tttenv:TicTacToe-v0').reset()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_as_opponents_keep_the_spec_in_json():
    spec = gym.make("TicTacToe-v0", opponent="minimax:ties=first", seat="O").spec.to_json()
    again = gym.make(gym.envs.registration.EnvSpec.from_json(spec))
    assert again.unwrapped.match.seat == "O"


def test_a_board_to_start_from_is_seen_by_the_agent_who_is_to_move():
    env = gym.make("TicTacToe-v0", opponent="first", obs="board").unwrapped
    for board in (
        "X___O____",
        [1, 0, 0, 0, -1, 0, 0, 0, 0],
        np.array([[1, 0, 0], [0, -1, 0], [0, 0, 0]]),
    ):
        observed, _ = env.reset(options={"board": board, "seat": "X"})
        assert observed.tolist() == [1, 0, 0, 0, -1, 0, 0, 0, 0]
    observed, _ = env.reset(options={"board": "X___O___X", "seat": "O"})
    assert observed.tolist() == [-1, 0, 0, 0, 1, 0, 0, 0, -1]
    observed, reward, over, _, _ = env.step(1)
    assert observed.tolist() == [-1, 1, -1, 0, 1, 0, 0, 0, -1]
    assert (type(reward), type(over)) == (float, bool)


@pytest.mark.parametrize("seat", ["X", "O"])
def test_a_seat_alone_deals_this_one_game_that_seat(seat):
    env = gym.make("TicTacToe-v0", seat="X" if seat == "O" else "O").unwrapped
    env.reset(seed=0, options={"seat": seat})
    assert np.count_nonzero(env.board) == (seat == "O")
    env.reset()
    assert np.count_nonzero(env.board) == (seat == "X")


def test_the_manual_lists_the_arguments_with_their_defaults():
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \|", inspect.getdoc(TicTacToe), re.MULTILINE)
    signature = inspect.signature(TicTacToe).parameters
    listed = dict(rows)
    assert listed == {
        name: f'"{p.default}"' if isinstance(p.default, str) else str(p.default)
        for name, p in signature.items()
    }
    headings = re.findall(r"^## (.+)$", inspect.getdoc(TicTacToe), re.MULTILINE)
    assert {"Action Space", "Observation Space", "Rewards", "Arguments"} <= set(headings)


def test_the_reward_threshold_is_what_the_best_response_to_the_default_opponent_gets():
    worst = worst_case(Rules(), player("random"))
    best = -(worst["X"] + worst["O"]) / 2
    assert 0 <= best - gym.spec("TicTacToe-v0").reward_threshold < 1e-4
