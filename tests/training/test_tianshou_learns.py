"""Tianshou's DQN and PPO explore and learn with masks."""

import numpy as np
import pytest
from test_tianshou import dqn, games
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import tttenv
from tttenv.adapters.tianshou import policy
from tttenv.testing import check_policy

RULES = tttenv.Rules()

QUIET = {"test_in_training": False, "verbose": False, "show_progress": False}


def win_share_as_x(trained, **options):
    player = policy(trained, RULES, **options)
    check_policy(player, RULES)
    return tttenv.certify(RULES, player).vs_random["X"][0]


@pytest.mark.usefixtures("seeded")
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


@pytest.mark.usefixtures("seeded")
def test_exploring_takes_legal_cells_only():
    algorithm, envs = dqn(Net(state_shape=(27,), action_shape=9), explore=1.0), games(8)
    buffer = VectorReplayBuffer(800, 8)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=800)
    assert len(buffer) == 800
    assert buffer.obs.mask[np.arange(800), buffer.act].all()
