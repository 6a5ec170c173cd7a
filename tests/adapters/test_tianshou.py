"""Adapter to Tianshou 2: its environment's observations, and players that use the masks."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import data_equivalence
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.env import DummyVectorEnv
from tianshou.env.worker import SubprocEnvWorker
from torch import nn

import tttenv
from tttenv.adapters.tianshou import MaskedActor, make_env, policy, set_opponent

CELLS = make_env().action_space


pytestmark = pytest.mark.usefixtures("seeded")  # Tianshou explores with NumPy's


def net(outputs, cells=9):
    return nn.Sequential(nn.Linear(3 * cells, 64), nn.ReLU(), nn.Linear(64, outputs))


def games(count):
    """Return environments in which an illegal move would end the test."""
    envs = DummyVectorEnv([lambda: make_env(opponent="random", illegal="raise")] * count)
    envs.seed(0)
    return envs


def dqn(model, explore=0.2):
    mover = DiscreteQLearningPolicy(model=model, action_space=CELLS, eps_training=explore)
    optim = AdamOptimizerFactory(lr=1e-3)
    return DQN(policy=mover, optim=optim, gamma=1.0, target_update_freq=100)


def test_observations_are_those_of_the_environment():
    env = make_env(opponent="tactical")
    plain = tttenv.env.TicTacToe(opponent="tactical", obs="dict")
    assert env.action_space == plain.action_space
    for seed in range(5):
        (seen, _), (other, _) = env.reset(seed=seed), plain.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(seen)
            assert data_equivalence(seen["obs"], other["observation"])
            assert data_equivalence(seen["mask"], other["action_mask"])
            cell = int(np.flatnonzero(seen["mask"])[-1])
            seen, reward, over, *_ = env.step(cell)
            other, paid, *_ = plain.step(cell)
            assert reward == paid


@pytest.mark.parametrize("size", [(3, 3, 3), (5, 5, 4)])
def test_players_do_what_their_networks_say(size):
    rules = tttenv.Rules(*size)
    values = net(rules.cells, rules.cells)
    board = rules.start(1)
    board[0, 4] = -1
    seen = np.concatenate([board == 1, board == -1, board == 0], 1).astype(np.float32)
    numbers = values(torch.as_tensor(seen)).detach().masked_fill(torch.as_tensor(board) != 0, -9e9)
    space = make_env(m=rules.m, n=rules.n, k=rules.k).action_space
    mover = DiscreteActorPolicy(actor=MaskedActor(values, rules.cells), action_space=space)
    player = policy(mover, rules)
    assert player(board) == pytest.approx(numbers.softmax(1).numpy(), abs=1e-6)
    assert policy(mover, rules, deterministic=True)(board)[0, numbers.argmax()] == 1
    with torch.no_grad():
        values[-1].bias += torch.arange(rules.cells)
    assert player(board) == pytest.approx(numbers.softmax(1).numpy(), abs=1e-6), "it is frozen"


def test_games_have_openings_and_the_opponent_can_be_replaced():
    env = make_env(opening=8)
    assert len({int(env.reset(seed=seed)[0]["mask"].sum()) for seed in range(20)}) > 4
    envs = DummyVectorEnv([lambda: make_env(seat="X")] * 3)
    envs.reset()
    set_opponent(envs, "first")
    seen, *_ = envs.step(np.array([4, 4, 4]))
    assert all(one["obs"][9:18].nonzero()[0].tolist() == [0] for one in seen)


def test_games_in_other_processes_keep_their_opponent():
    envs = DummyVectorEnv([make_env])
    envs.workers = [SubprocEnvWorker.__new__(SubprocEnvWorker)]  # which starts no process
    with pytest.raises(ValueError, match="DummyVectorEnv"):
        set_opponent(envs, "first")


def test_a_policy_that_states_another_observation_space_is_refused():
    space = gymnasium.spaces.Box(-1, 1, (27,))
    mover = DiscreteQLearningPolicy(model=net(9), action_space=CELLS, observation_space=space)
    with pytest.raises(ValueError, match=r"^the model observes [^\n]*$"):
        policy(mover, tttenv.Rules())
