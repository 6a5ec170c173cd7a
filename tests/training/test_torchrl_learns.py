"""TorchRL's PPO learns with masks."""

import pytest
import torch
from test_torchrl import RULES, actor_of, net
from torchrl.modules import ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import tttenv
from tttenv.adapters.torchrl import make_env, policy
from tttenv.testing import check_policy


@pytest.mark.trained
def test_ppo_learns_with_masks(seeded, reached):
    env = make_env(64, opponent="random", illegal="raise")  # an illegal move would end the test
    env.set_seed(0)
    actor, critic = actor_of(net(9)), ValueOperator(net(1))
    untrained = tttenv.certify(RULES, policy(actor, RULES)).vs_random["X"][0]
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
    player = policy(actor, RULES, deterministic=True)
    check_policy(player, RULES)
    likeliest = tttenv.certify(RULES, player).vs_random["X"][0]
    drawn = tttenv.certify(RULES, policy(actor, RULES)).vs_random["X"][0]
    reached("untrained", untrained, below=0.65)
    reached("wins as X, likeliest cells", likeliest, above=0.85)
    reached("wins as X, drawn cells", drawn, above=0.7)
