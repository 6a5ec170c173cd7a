"""Outcomes and rewards of both environments and all adapters, against plain rules."""

import inspect
import re

import gymnasium as gym
import numpy as np
import pytest
import torch

from tttenv import Outcome
from tttenv.adapters import pettingzoo, sb3, skrl, tianshou, torchrl
from tttenv.adapters.pettingzoo import AGENTS, raw_env
from tttenv.env.env import TicTacToe
from tttenv.game.rewards import ODDS, RESULTS, VALUES, Payoffs

# What each environment answers to an action where the board is 1,2,2 and O takes the first cell:
# the reward of a drawn game.


def one(make):
    def play(**kwargs):
        env = make(**kwargs)
        env.reset(seed=0)
        answer = env.step(1)
        assert answer[2]
        assert answer[4]["outcome"] == Outcome.DRAW
        return [answer[1]]

    return play


def many(**kwargs):
    env = gym.make_vec("TicTacToe-v0", num_envs=3, **kwargs)
    env.reset(seed=0)
    _, rewards, over, _, infos = env.step(np.ones(3, np.int64))
    assert over.all()
    assert infos["final_info"]["outcome"].tolist() == 3 * [Outcome.DRAW]
    return rewards


def by_sb3(**kwargs):
    env = sb3.VecEnv(3, **kwargs)
    env.reset()
    _, rewards, over, infos = env.step(np.ones(3, np.int64))
    assert over.all()
    assert [info["outcome"] for info in infos] == 3 * [Outcome.DRAW]
    assert rewards.dtype == np.float32
    return rewards


def by_torchrl(games):
    def play(**kwargs):
        env = torchrl.make_env(games, **kwargs)
        frame = env.reset()
        frame["action"] = torch.ones(env.batch_size, dtype=torch.int64)
        after = env.step(frame)["next"]
        assert after["done"].all()
        return after["reward"].reshape(-1).numpy()

    return play


def by_skrl(**kwargs):
    env = skrl.make_env(3, **kwargs)
    env.reset()
    _, rewards, over, _, _ = env.step(torch.ones(3, 1, dtype=torch.int64))
    assert over.all()
    return rewards.reshape(-1).numpy()


def by_pettingzoo(make):
    def play(opponent, seat, **kwargs):
        env = make(**kwargs)
        env.reset()
        env.step(1)
        env.step(0)
        assert all(env.terminations.values())
        return [env.rewards[agent] for agent in AGENTS]

    return play


ENVIRONMENTS = {
    "one": one(TicTacToe),
    "one by id": one(lambda **kwargs: gym.make("TicTacToe-v0", **kwargs)),
    "many": many,
    "sb3": by_sb3,
    "torchrl, one": by_torchrl(None),
    "torchrl, many": by_torchrl(3),
    "tianshou": one(tianshou.make_env),
    "skrl": by_skrl,
    "pettingzoo": by_pettingzoo(pettingzoo.env),
    "pettingzoo, raw": by_pettingzoo(raw_env),
}
every_environment = pytest.mark.parametrize("name", ENVIRONMENTS)
SMALL = {"m": 1, "n": 2, "k": 2, "opponent": "first", "seat": "X"}


@every_environment
def test_a_draw_pays_what_every_environment_is_told(name):
    for draw in (None, 0, 1, -1, 0.7, np.float32(0.5), np.int64(-1)):
        rewards = ENVIRONMENTS[name](**SMALL, **({} if draw is None else {"draw": draw}))
        assert np.array_equal(rewards, np.full(len(rewards), draw or 0.0).astype(np.float32)) or (
            list(rewards) == [float(draw)] * len(rewards)
        )


NO_DRAWS = (1.01, np.nan, -np.inf, True, "0.5", None, [0.5], 1j, 10**400)


@every_environment
def test_a_draw_beyond_a_win_or_a_loss_is_refused_in_one_line(name):
    for draw in NO_DRAWS:
        with pytest.raises(ValueError, match=r"^[^\n]*draw[^\n]*$"):
            ENVIRONMENTS[name](**SMALL, draw=draw)


def test_alone_a_draw_pays_the_mover_who_ends_the_game():
    env = TicTacToe(1, 2, 2, opponent=None, draw=0.6)
    env.reset()
    assert env.step(0)[1] == 0
    _, reward, over, _, info = env.step(1)
    assert (reward, over, info["outcome"]) == (0.6, True, Outcome.DRAW)


def test_names_of_outcomes_and_their_rewards():
    assert [outcome.name for outcome in Outcome] == ["GOING", "WIN", "DRAW", "LOSS", "ILLEGAL"]
    assert [Payoffs(0.7).each[outcome] for outcome in Outcome] == [0, 1, 0.7, -1, -1]
    assert Payoffs(0.7).many(np.arange(5, dtype=np.int8)).tolist() == [0, 1, 0.7, -1, -1]
    assert str(Payoffs(-0.0).each[Outcome.DRAW]) == "0.0"
    assert VALUES.tolist() == [0, 1, 0, -1, -1]
    assert dict(zip(RESULTS, np.eye(3).tolist(), strict=True)) == {
        Outcome(number).name.lower(): ODDS[number].tolist() for number in (1, 2, 3)
    }
    assert (ODDS[Outcome.ILLEGAL] == ODDS[Outcome.LOSS]).all()
    assert not ODDS[Outcome.GOING].any()
    rows = re.findall(r"^\| (\d) \| `(\w+)` \|", inspect.getdoc(TicTacToe), re.MULTILINE)
    assert {name: int(number) for number, name in rows} == {o.name: o for o in Outcome if o}
