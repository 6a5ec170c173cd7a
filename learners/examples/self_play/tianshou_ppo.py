"""Self-play with Tianshou 2: PPO against a pool of its past selves.

    python -m learners.examples.self_play.tianshou_ppo --seed 1

The agent takes both seats, and each reward is its own. The opponent is drawn from random moves and
frozen copies of the agent. Training ends when the exact certificate says "unbeatable".
"""

import random
from collections import deque
from typing import Any

import numpy as np
import torch
import tyro
from tianshou.algorithm.modelfree.ppo import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.torch_utils import policy_within_training_step
from torch import nn

from tttenv import Policy, Rules, certify
from tttenv.adapters.tianshou import Critic, MaskedActor, make_env, policy, set_opponent
from tttenv.certificates.certificate import Certificate

GAMES, TURNS, ROLLOUTS = 64, 64, 8  # side by side; moves in a rollout; rollouts for a certificate


def mlp(outputs: int) -> nn.Module:
    """Return a network with two hidden layers of 128 units."""
    return nn.Sequential(
        nn.Linear(27, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs)
    )


def train(seed: int = 0, steps: int = 1_000_000) -> Certificate:
    """Train until unbeatable, for at most `steps` moves of the agent; return the certificate."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # Tianshou shuffles its batches by this generator
    rules, rng = Rules(3, 3, 3), random.Random(seed)
    # Games start from random positions, so that replies to all moves are learned. A draw pays 0.7:
    # against opponents that err, an agent that is paid 0 takes risks and can then be beaten.
    options: dict[str, Any] = {"opening": 8, "draw": 0.7, "opponent": "random", "illegal": "raise"}
    games = DummyVectorEnv([lambda: make_env(**options)] * GAMES)
    games.seed(seed)
    algorithm = PPO(
        policy=DiscreteActorPolicy(
            actor=MaskedActor(mlp(9), 9), action_space=make_env().action_space
        ),
        critic=Critic(mlp(1)),
        optim=AdamOptimizerFactory(lr=3e-3),
        gamma=1.0,
        ent_coef=0.02,
        max_grad_norm=0.5,
        advantage_normalization=True,
    )
    played = VectorReplayBuffer(GAMES * TURNS, GAMES)
    collector: Any = Collector(algorithm, games, played)
    collector.reset()
    pool = deque[Policy](maxlen=10)
    for rollout in range(steps // (GAMES * TURNS) + 1):
        if rollout % ROLLOUTS == 0:
            found = certify(rules, policy(algorithm, rules, deterministic=True))
            print(f"{rollout * GAMES * TURNS} steps: worst case {found.worst_case}", flush=True)
            if found.unbeatable:
                break
            pool.append(policy(algorithm, rules))
        set_opponent(games, "random" if rng.random() < 0.25 else rng.choice(pool))
        with policy_within_training_step(algorithm.policy):
            collector.collect(n_step=GAMES * TURNS)
            algorithm.update(played, batch_size=1024, repeat=4)
        collector.reset_buffer(keep_statistics=True)
    return found


if __name__ == "__main__":
    tyro.cli(train)
