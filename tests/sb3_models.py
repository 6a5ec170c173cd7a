"""Small models of Stable-Baselines3 for tests, and a counter of their moves."""

import gymnasium as gym
import numpy as np
import pytest
import sb3_contrib
import stable_baselines3
from stable_baselines3.common.vec_env import (
    VecEnvWrapper,
)

from tttenv import Rules
from tttenv.adapters.sb3 import (
    VecEnv,
)

RULES = Rules()
KINDS = {
    "maskable_ppo": sb3_contrib.MaskablePPO,
    "ppo": stable_baselines3.PPO,
    "trpo": sb3_contrib.TRPO,
    "a2c": stable_baselines3.A2C,
    "qrdqn": sb3_contrib.QRDQN,
    "dqn": stable_baselines3.DQN,
    "ars": sb3_contrib.ARS,
}
SMALL = {name: {"buffer_size": 500} for name in ("dqn", "qrdqn")}
every_kind = pytest.mark.parametrize("kind", KINDS)


def made(kind, env=None, seed=0, **settings):
    """Return an untrained model."""
    env = VecEnv(2) if env is None else env
    name = "MultiInputPolicy" if isinstance(env.observation_space, gym.spaces.Dict) else "MlpPolicy"
    given = {"device": "cpu", "seed": seed, **SMALL.get(kind, {}), **settings}
    return KINDS[kind](name, env, **given)


def quick(env=None, seed=0, **settings):
    """Return a MaskablePPO that learns a little every 64 steps."""
    env = VecEnv(8) if env is None else env
    return made("maskable_ppo", env, seed, n_steps=64 // env.num_envs, batch_size=64, **settings)


class Counting(VecEnvWrapper):
    """Wrapper that counts moves, illegal moves and boards without a legal cell."""

    moves = illegal = stuck = 0

    def reset(self):
        """Start all games."""
        return self.venv.reset()

    def step_async(self, actions):
        """Inspect the moves, then make them."""
        masks = np.stack(self.venv.env_method("action_masks"))
        self.moves += len(actions)
        self.illegal += np.count_nonzero(~masks[np.arange(len(actions)), actions])
        self.stuck += np.count_nonzero(~masks.any(axis=1))
        self.venv.step_async(actions)

    def step_wait(self):
        """Return the results of the moves."""
        return self.venv.step_wait()


def recurrent():
    return sb3_contrib.RecurrentPPO("MlpLstmPolicy", VecEnv(2), device="cpu")
