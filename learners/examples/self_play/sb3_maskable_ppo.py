"""Self-play with Stable-Baselines3: MaskablePPO against a pool of its past selves.

    python -m learners.examples.self_play.sb3_maskable_ppo --seed 1

The agent takes both seats, and each reward is its own. The opponent alternates between random moves
and frozen copies of the model. Training ends when the exact certificate says "unbeatable".
"""

import torch
import tyro
from sb3_contrib import MaskablePPO

from tttenv import Rules, certify
from tttenv.adapters.sb3 import ExactEvalCallback, SelfPlayCallback, VecEnv, policy
from tttenv.certificates.certificate import Certificate


def train(seed: int = 0, steps: int = 1_000_000) -> Certificate:
    """Train until unbeatable, for at most `steps` moves of the agent; return the certificate."""
    torch.set_num_threads(1)
    # Games start from random positions, so that replies to all moves are learned. A draw pays 0.7:
    # against opponents that err, an agent that is paid 0 takes risks and can then be beaten.
    games = VecEnv(256, opening=8, draw=0.7, opponent="random", illegal="raise")
    model = MaskablePPO(
        "MlpPolicy",  # sb3-contrib asks `games` for masks, when it samples and when it learns
        games,
        n_steps=16,
        batch_size=1024,
        n_epochs=4,
        learning_rate=3e-3,
        gamma=1.0,
        ent_coef=0.02,
        policy_kwargs={"net_arch": [128, 128]},
        seed=seed,
    )
    pool = SelfPlayCallback(every=32_768, keep=10, swap=4096, players=("random",))
    model.learn(steps, [pool, ExactEvalCallback(every=32_768, verbose=1)])
    rules = Rules(3, 3, 3)
    return certify(rules, policy(model, rules, deterministic=True))


if __name__ == "__main__":
    tyro.cli(train)
