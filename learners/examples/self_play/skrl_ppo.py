"""Self-play with skrl: PPO against a pool of its past selves.

    python -m learners.examples.self_play.skrl_ppo --seed 1

The agent takes both seats, and each reward is its own. The opponent is drawn from random moves and
frozen copies of the agent. Training ends when the exact certificate says "unbeatable".
"""

import random
import tempfile
from collections import deque

import tyro
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed

from tttenv import Policy, Rules, certify
from tttenv.adapters import skrl
from tttenv.certificates.certificate import Certificate

GAMES, TURNS, ROLLOUTS = 256, 16, 8  # side by side; moves in a rollout; rollouts for a certificate


def train(seed: int = 0, steps: int = 1_000_000) -> Certificate:
    """Train until unbeatable, for at most `steps` moves of the agent; return the certificate."""
    set_seed(seed)
    rules, rng = Rules(3, 3, 3), random.Random(seed)
    # Games start from random positions, so that replies to all moves are learned. A draw pays 0.7:
    # against opponents that err, an agent that is paid 0 takes risks and can then be beaten.
    games = skrl.make_env(GAMES, opening=8, draw=0.7, opponent="random", illegal="raise")
    # The masks are in the networks, so taken cells are never sampled and never reinforced.
    models = {
        "policy": skrl.MaskedPolicy(games, (128, 128)),
        "value": skrl.Value(games, (128, 128)),
    }
    config = PPO_CFG(
        rollouts=TURNS,
        learning_epochs=4,
        mini_batches=4,
        learning_rate=3e-3,
        discount_factor=1.0,
        entropy_loss_scale=0.02,
        experiment={"directory": tempfile.mkdtemp(), "write_interval": 0, "checkpoint_interval": 0},
    )
    agent = PPO(
        models=models,
        memory=RandomMemory(memory_size=TURNS, num_envs=GAMES),
        cfg=config,
        observation_space=games.observation_space,
        action_space=games.action_space,
    )
    settings = {"timesteps": TURNS, "disable_progressbar": True, "close_environment_at_exit": False}
    trainer = SequentialTrainer(env=games, agents=agent, cfg=settings)
    pool = deque[Policy](maxlen=10)
    for rollout in range(steps // (GAMES * TURNS) + 1):
        if rollout % ROLLOUTS == 0:
            found = certify(rules, skrl.policy(agent, rules, deterministic=True))
            print(f"{rollout * GAMES * TURNS} steps: worst case {found.worst_case}", flush=True)
            if found.unbeatable:
                break
            pool.append(skrl.policy(agent, rules))
        games.set_opponent("random" if rng.random() < 0.25 else rng.choice(pool))
        trainer.train()
    return found


if __name__ == "__main__":
    tyro.cli(train)
