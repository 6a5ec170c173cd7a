"""Self-play with RLlib: PPO against a pool of its past selves.

    python -m learners.examples.self_play.rllib_ppo --seed 1

The agent takes both seats, and each reward is its own. The opponent is drawn from random moves and
frozen copies of the agent. Training ends when the exact certificate says "unbeatable".

RLlib pins another version of Gymnasium: install the extra `rllib` in a separate virtual
environment.
"""

import random
from collections import deque

import ray
import tyro
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from tttenv import Policy, Rules, certify
from tttenv.adapters import rllib
from tttenv.certificates.certificate import Certificate

MOVES, ROLLOUTS = 4096, 8  # of the agent in a rollout; rollouts for a certificate


def train(seed: int = 0, steps: int = 1_000_000) -> Certificate:
    """Train until unbeatable, for at most `steps` moves of the agent; return the certificate."""
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    rllib.register()
    rules, rng = Rules(3, 3, 3), random.Random(seed)
    network = DefaultModelConfig(
        fcnet_hiddens=[128, 128], fcnet_activation="tanh", vf_share_layers=False
    )
    # Games start from random positions, so that replies to all moves are learned. A draw pays 0.7:
    # against opponents that err, an agent that is paid 0 takes risks and can then be beaten.
    config = (
        PPOConfig()
        .environment("TicTacToe-v0", env_config={"opening": 8, "draw": 0.7, "illegal": "raise"})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=64)
        .learners(num_learners=0)
        .rl_module(  # it masks occupied cells when it samples and when it learns
            rl_module_spec=RLModuleSpec(module_class=rllib.MaskedModule, model_config=network)
        )
        .training(
            train_batch_size_per_learner=MOVES,
            minibatch_size=1024,
            num_epochs=4,
            lr=3e-3,
            gamma=1.0,
            lambda_=0.95,
            clip_param=0.2,
            use_kl_loss=False,
            entropy_coeff=0.02,
            grad_clip=0.5,
        )
        .debugging(seed=seed, log_level="ERROR")
    )
    algorithm = config.build_algo()
    pool = deque[Policy](maxlen=10)
    for rollout in range(steps // MOVES + 1):
        if rollout % ROLLOUTS == 0:
            found = certify(rules, rllib.policy(algorithm, rules, deterministic=True))
            print(f"{rollout * MOVES} steps: worst case {found.worst_case}", flush=True)
            if found.unbeatable:
                break
            pool.append(rllib.policy(algorithm, rules))
        rllib.set_opponent(algorithm, "random" if rng.random() < 0.25 else rng.choice(pool))
        algorithm.train()
    algorithm.stop()
    ray.shutdown()
    return found


if __name__ == "__main__":
    tyro.cli(train)
