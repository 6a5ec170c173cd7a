"""Self-play with TorchRL: PPO against a pool of its past selves.

    python -m learners.examples.self_play.torchrl_ppo --seed 1

The agent takes both seats, and each reward is its own. The opponent is drawn from random moves and
frozen copies of the agent. Training ends when the exact certificate says "unbeatable".
"""

import random
from collections import deque

import torch
import tyro
from tensordict.nn import InteractionType, TensorDictModule
from torch import nn
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from tttenv import Policy, Rules, certify
from tttenv.adapters.torchrl import make_env, policy
from tttenv.certificates.certificate import Certificate

GAMES, TURNS, ROLLOUTS = 256, 16, 8  # side by side; moves in a rollout; rollouts for a certificate


def train(seed: int = 0, steps: int = 1_000_000) -> Certificate:
    """Train until unbeatable, for at most `steps` moves of the agent; return the certificate."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rules, rng = Rules(3, 3, 3), random.Random(seed)
    # Games start from random positions, so that replies to all moves are learned. A draw pays 0.7:
    # against opponents that err, an agent that is paid 0 takes risks and can then be beaten.
    games = make_env(GAMES, opening=8, draw=0.7, opponent="random", illegal="raise")
    games.set_seed(seed)
    net = MLP(in_features=27, out_features=9, num_cells=[128, 128], activation_class=nn.Tanh)
    actor = ProbabilisticActor(
        TensorDictModule(net, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},  # when it samples and when it learns
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,  # sample, not the most likely cell
        return_log_prob=True,
    )
    critic = ValueOperator(
        MLP(in_features=27, out_features=1, num_cells=[128, 128], activation_class=nn.Tanh)
    )
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.02, normalize_advantage=True)
    optimiser = torch.optim.Adam(loss.parameters(), 3e-3)
    pool = deque[Policy](maxlen=10)
    for rollout in range(steps // (GAMES * TURNS) + 1):
        if rollout % ROLLOUTS == 0:
            found = certify(rules, policy(actor, rules, deterministic=True))
            print(f"{rollout * GAMES * TURNS} steps: worst case {found.worst_case}", flush=True)
            if found.unbeatable:
                break
            pool.append(policy(actor, rules))
        games.set_opponent("random" if rng.random() < 0.25 else rng.choice(pool))
        with torch.no_grad():
            played = games.rollout(TURNS, actor, break_when_any_done=False)
            played = advantage(played).reshape(-1)
        for rows in torch.cat([torch.randperm(len(played)) for _ in range(4)]).tensor_split(16):
            parts = loss(played[rows])
            optimiser.zero_grad()
            sum(parts[f"loss_{name}"] for name in ("objective", "critic", "entropy")).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimiser.step()
    return found


if __name__ == "__main__":
    tyro.cli(train)
