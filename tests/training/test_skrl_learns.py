"""skrl's PPO and DQN learn with masks."""

import pytest
from skrl.agents.torch.dqn import DQN, DQN_CFG
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from test_skrl import RULES, games

import tttenv
from tttenv.adapters.skrl import MaskedQ, policy
from tttenv.testing import check_policy


def trained(kind, env, models, turns, folder, **config):
    memory = RandomMemory(memory_size=config.pop("memory"), num_envs=env.num_envs)
    quiet = {"directory": str(folder), "write_interval": 0, "checkpoint_interval": 0}
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    settings = {PPO: PPO_CFG, DQN: DQN_CFG}[kind](experiment=quiet, **config)
    agent = kind(models=models, memory=memory, cfg=settings, **spaces)
    silent = {"disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": turns, **silent}).train()
    return agent


def win_share_as_x(found, **options):
    player = policy(found, RULES, **options)
    check_policy(player, RULES)
    return tttenv.certify(RULES, player).vs_random["X"][0]


@pytest.mark.usefixtures("seeded")
@pytest.mark.trained
def test_dqn_learns_with_masks(tmp_path, reached):
    env = games(32)
    models = {"q_network": MaskedQ(env), "target_q_network": MaskedQ(env)}
    models["target_q_network"].load_state_dict(models["q_network"].state_dict())
    untrained = win_share_as_x(models["q_network"])
    config = {"random_timesteps": 30, "learning_starts": 30, "discount_factor": 1.0}
    config |= {"batch_size": 256, "polyak": 0.1, "exploration_scheduler": lambda step, steps: 0.2}
    agent = trained(DQN, env, models, 1000, tmp_path, memory=1000, **config)
    reached("untrained", untrained, below=0.75)
    reached("wins as X", win_share_as_x(agent), above=0.8)
