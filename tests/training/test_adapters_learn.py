"""DQN of skrl and Tianshou, and PPO of TorchRL, learn with masks."""

import numpy as np
import pytest
import test_skrl
import test_tianshou
import test_torchrl
import torch
from skrl.agents.torch.dqn import DQN, DQN_CFG
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from torchrl.modules import ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import tttenv
from tttenv.adapters import skrl, tianshou, torchrl
from tttenv.testing import check_policy

RULES = tttenv.Rules()
pytestmark = pytest.mark.usefixtures("seeded")


def with_skrl(folder):
    """Yield DQN's network untrained, and the agent that has learned with it."""
    env = test_skrl.games(32)
    models = {name: skrl.MaskedQ(env) for name in ("q_network", "target_q_network")}
    models["target_q_network"].load_state_dict(models["q_network"].state_dict())
    yield models["q_network"]
    settings = DQN_CFG(
        experiment={"directory": str(folder), "write_interval": 0, "checkpoint_interval": 0},
        random_timesteps=30,
        learning_starts=30,
        discount_factor=1.0,
        batch_size=256,
        polyak=0.1,
        exploration_scheduler=lambda step, steps: 0.2,
    )
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    memory = RandomMemory(memory_size=1000, num_envs=env.num_envs)
    agent = DQN(models=models, memory=memory, cfg=settings, **spaces)
    silent = {"disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": 1000, **silent}).train()
    yield agent


def with_tianshou(folder):
    """Yield DQN untrained, and trained."""
    algorithm = test_tianshou.dqn(Net(state_shape=(27,), action_shape=9, hidden_sizes=(64,)))
    envs, buffer = test_tianshou.games(16), VectorReplayBuffer(20_000, 16)
    yield algorithm
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=2,
            epoch_num_steps=3000,
            collection_step_num_env_steps=64,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=256,
            test_in_training=False,
            verbose=False,
            show_progress=False,
        )
    )
    yield algorithm


def with_torchrl(folder):
    """Yield PPO's actor untrained, and trained."""
    env = torchrl.make_env(64, opponent="random", illegal="raise")  # which would end the test
    env.set_seed(0)
    actor, critic = test_torchrl.actor_of(test_torchrl.net(9)), ValueOperator(test_torchrl.net(1))
    yield actor
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    optimiser = torch.optim.Adam(loss.parameters(), 3e-3)
    for _ in range(50):
        with torch.no_grad():
            frames = advantage(env.rollout(16, actor, break_when_any_done=False)).reshape(-1)
        for rows in torch.randperm(len(frames)).repeat(4).split(256):
            parts = loss(frames[rows])
            optimiser.zero_grad()
            sum(parts[f"loss_{name}"] for name in ("objective", "critic", "entropy")).backward()
            optimiser.step()
    yield actor


TRAININGS = {  # with the adapter, and the share of wins as X: at most untrained, at least trained
    "skrl": (with_skrl, skrl, 0.75, 0.8),
    "tianshou": (with_tianshou, tianshou, 0.75, 0.8),
    "torchrl": (with_torchrl, torchrl, 0.65, 0.7),
}


@pytest.mark.trained
@pytest.mark.parametrize("library", TRAININGS)
def test_it_learns_with_masks(library, tmp_path, reached):
    train, adapter, most, least = TRAININGS[library]
    shares = []
    for trained in train(tmp_path):
        player = adapter.policy(trained, RULES)
        check_policy(player, RULES)
        shares.append(tttenv.certify(RULES, player).vs_random["X"][0])
    reached("untrained", shares[0], below=most)
    reached("wins as X", shares[1], above=least)
    if library == "torchrl":  # which draws its moves
        likeliest = adapter.policy(trained, RULES, deterministic=True)
        check_policy(likeliest, RULES)
        found = tttenv.certify(RULES, likeliest).vs_random["X"][0]
        reached("wins as X, likeliest cells", found, above=0.85)


def test_exploring_takes_legal_cells_only():
    algorithm = test_tianshou.dqn(Net(state_shape=(27,), action_shape=9), explore=1.0)
    buffer = VectorReplayBuffer(800, 8)
    collector = Collector(algorithm, test_tianshou.games(8), buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=800)
    assert len(buffer) == 800
    assert buffer.obs.mask[np.arange(800), buffer.act].all()
