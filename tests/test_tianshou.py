"""Tianshou 2: its masks are kept while it explores and plays, and its DQN and PPO learn."""

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import data_equivalence
from tianshou.algorithm import DQN, PPO
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams, OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from torch import nn

import tttenv
from tttenv.adapters.tianshou import Critic, MaskedActor, make_env, policy
from tttenv.testing import check_policy

RULES = tttenv.Rules()
CELLS = make_env().action_space
QUIET = {"test_in_training": False, "verbose": False, "show_progress": False}


def net(outputs, cells=9):
    return nn.Sequential(nn.Linear(3 * cells, 64), nn.ReLU(), nn.Linear(64, outputs))


def games(count):
    """Environments where an illegal move would end the test."""
    envs = DummyVectorEnv([lambda: make_env(opponent="random", illegal="raise")] * count)
    envs.seed(0)
    return envs


@pytest.fixture(autouse=True)
def seeded():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  # Tianshou explores with it


def win_share_as_x(trained, **options):
    player = policy(trained, RULES, **options)
    check_policy(player, RULES)
    return tttenv.certify(RULES, player).vs_random["X"][0]


def dqn(model, explore=0.2):
    mover = DiscreteQLearningPolicy(model=model, action_space=CELLS, eps_training=explore)
    optim = AdamOptimizerFactory(lr=1e-3)
    return DQN(policy=mover, optim=optim, gamma=1.0, target_update_freq=100)


def test_observations_are_those_of_the_environment():
    env, plain = (
        make_env(opponent="tactical"),
        tttenv.env.TicTacToe(opponent="tactical", obs="dict"),
    )
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


def test_exploring_takes_legal_cells_only():
    algorithm, envs = dqn(Net(state_shape=(27,), action_shape=9), explore=1.0), games(8)
    buffer = VectorReplayBuffer(800, 8)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=800)
    assert len(buffer) == 800
    assert buffer.obs.mask[np.arange(800), buffer.act].all()


@pytest.mark.trained
def test_dqn_learns_with_masks(reached):
    algorithm, envs = dqn(Net(state_shape=(27,), action_shape=9, hidden_sizes=(64,))), games(16)
    untrained = win_share_as_x(algorithm)
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, 16), exploration_noise=True)
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=2,
            epoch_num_steps=3000,
            collection_step_num_env_steps=64,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=256,
            **QUIET,
        )
    )
    reached("untrained", untrained, below=0.75)
    reached("wins as X", win_share_as_x(algorithm), above=0.8)


@pytest.mark.trained
def test_ppo_learns_with_a_masked_actor(reached):
    mover = DiscreteActorPolicy(actor=MaskedActor(net(9), 9), action_space=CELLS)
    optim = AdamOptimizerFactory(lr=3e-3)
    algorithm, envs = PPO(policy=mover, critic=Critic(net(1)), optim=optim, gamma=1.0), games(16)
    untrained = win_share_as_x(algorithm)
    collector = Collector(algorithm, envs, VectorReplayBuffer(2048, 16))
    collector.reset()
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=9000,
            collection_step_num_env_steps=1024,
            update_step_num_repetitions=4,
            batch_size=256,
            **QUIET,
        )
    )
    reached("untrained", untrained, below=0.65)
    reached("wins as X, drawn cells", win_share_as_x(algorithm), above=0.65)
    likeliest = win_share_as_x(algorithm, deterministic=True)
    reached("wins as X, likeliest cells", likeliest, above=0.8)


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
