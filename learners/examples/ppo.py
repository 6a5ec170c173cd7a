"""PPO with action masks in one file, in the style of CleanRL: to read, copy and change.

    python -m learners.examples.ppo --opponent tactical --seed 1
    tensorboard --logdir runs

Schulman et al., arXiv 1707.06347 (2017); its details as in Huang et al., "The 37 Implementation
Details of Proximal Policy Optimization" (ICLR Blog Track 2022); masks as in Huang and Ontanon,
arXiv 2006.14171. Unlike other PPO scripts it ends with the exact certificate of its player.
"""

import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium
import torch
import tyro
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from tttenv import Rules, certify
from tttenv.certificates import metrics
from tttenv.exact import enumerable
from tttenv.policy import Policy, from_observations


@dataclass(frozen=True)
class Args:
    """Masked PPO on TicTacToe-v0."""

    rules: str = "3,3,3"  # m rows, n columns, k in a row
    opponent: str = "random"  # any player: random, tactical, minimax, a checkpoint's folder, ...
    draw: float = 0.0  # reward for a draw; 1 for a win, -1 for a loss; 0.7 teaches not to lose
    seed: int = 0  # seeds the weights, the games and all random numbers
    steps: int = 60_000  # total moves of the agent
    games: int = 64  # games played in parallel
    turns: int = 16  # moves per game in a rollout
    epochs: int = 4  # passes over a rollout
    minibatches: int = 4  # gradient steps per epoch
    lr: float = 3e-3  # learning rate, falling to zero
    gamma: float = 1.0  # discount
    gae: float = 0.95  # lambda of the advantages
    clip: float = 0.2  # clip range of the probability ratio
    entropy: float = 0.01  # weight of the entropy bonus
    value: float = 0.5  # weight of the value loss
    norm: float = 0.5  # maximum norm of the gradient
    hidden: int = 64  # width of both hidden layers
    every: int = 10  # rollouts between points on the exact curves
    folder: str = "runs/ppo-example"  # folder for TensorBoard's event files


class Agent(nn.Module):
    """Policy and value networks on one-hot boards."""

    def __init__(self, cells: int, hidden: int) -> None:
        super().__init__()
        self.actor = mlp(3 * cells, hidden, cells, gain=0.01)
        self.critic = mlp(3 * cells, hidden, 1, gain=1.0)

    def log_probs(self, planes: Tensor, masks: Tensor) -> Tensor:
        """Return log-probabilities (batch, cells) of moves, given observations and action masks."""
        logits: Tensor = self.actor(planes)
        return logits.masked_fill(masks == 0, -1e9).log_softmax(dim=1)

    def values(self, planes: Tensor) -> Tensor:
        """Return the expected returns (batch,)."""
        outputs: Tensor = self.critic(planes)
        return outputs[..., 0]


def mlp(inputs: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
    """Return an MLP with two tanh layers, orthogonal weights and zero biases."""
    widths = [(inputs, hidden, 2**0.5), (hidden, hidden, 2**0.5), (hidden, outputs, gain)]
    layers: list[nn.Module] = []
    for fan_in, fan_out, scale in widths:
        layer = nn.Linear(fan_in, fan_out)
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.Tanh()]
    return nn.Sequential(*layers[:-1])


class Rollouts:
    """Collects rollouts of `turns` moves in each of `games` games, as tensors."""

    def __init__(self, args: Args, rules: Rules, env: Any = None) -> None:
        self.args = args
        game: dict[str, Any] = {**asdict(rules), "opponent": args.opponent, "draw": args.draw}
        self.env: Any = env or gymnasium.make_vec(
            "TicTacToe-v0", num_envs=args.games, illegal="raise", **game
        )
        observed, info = self.env.reset(seed=args.seed)
        self.planes = torch.as_tensor(observed)
        self.masks = torch.as_tensor(info["action_mask"])

    @torch.no_grad()
    def play(self, agent: Agent) -> dict[str, Tensor]:
        """Collect one rollout, and return it flattened to (turns * games, ...)."""
        found: dict[str, list[Tensor]] = {name: [] for name in NAMES}
        for _ in range(self.args.turns):
            log_probs = agent.log_probs(self.planes, self.masks)
            cells = log_probs.exp().multinomial(1)
            before = (self.planes, self.masks, cells[:, 0], log_probs.gather(1, cells)[:, 0])
            values = agent.values(self.planes)
            observed, rewards, over, _, info = self.env.step(cells[:, 0].numpy())
            after = (torch.as_tensor(rewards, dtype=torch.float32), torch.as_tensor(over).float())
            for name, part in zip(NAMES, (*before, values, *after), strict=True):
                found[name].append(part)
            self.planes = torch.as_tensor(observed)  # of the next game where this one is over
            self.masks = torch.as_tensor(info["action_mask"])
        stacked = {name: torch.stack(parts) for name, parts in found.items()}
        stacked["advantages"] = self._advantages(stacked, agent.values(self.planes))
        return {name: parts.flatten(0, 1) for name, parts in stacked.items()}

    def _advantages(self, found: dict[str, Tensor], next_values: Tensor) -> Tensor:
        """Return generalised advantage estimates (turns, games), cut off where games end."""
        advantages, advantage = torch.zeros_like(found["values"]), torch.zeros_like(next_values)
        for turn in reversed(range(self.args.turns)):
            active = 1 - found["over"][turn]
            target = found["rewards"][turn] + self.args.gamma * active * next_values
            td_error = target - found["values"][turn]
            advantage = td_error + self.args.gamma * self.args.gae * active * advantage
            advantages[turn], next_values = advantage, found["values"][turn]
        return advantages


NAMES = ("planes", "masks", "cells", "log_probs", "values", "rewards", "over")


def learn(
    args: Args, agent: Agent, optimiser: torch.optim.Optimizer, found: dict[str, Tensor]
) -> dict[str, float]:
    """Update the agent on a rollout for `epochs` passes; return the last minibatch's losses."""
    returns, size = found["advantages"] + found["values"], args.games * args.turns
    for _ in range(args.epochs):
        for rows in torch.randperm(size).tensor_split(args.minibatches):
            log_probs = agent.log_probs(found["planes"][rows], found["masks"][rows])
            log = log_probs.gather(1, found["cells"][rows, None])[:, 0]
            ratio = (log - found["log_probs"][rows]).exp()
            advantage = found["advantages"][rows]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
            value_loss = (agent.values(found["planes"][rows]) - returns[rows]).square().mean() / 2
            entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
            loss: Any = policy_loss + args.value * value_loss - args.entropy * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.norm)
            optimiser.step()
    losses = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy}
    return {f"train/{name}": number.item() for name, number in losses.items()}


def player(agent: Agent, rules: Rules) -> Policy:
    """Return a player that picks the agent's most likely legal cell."""
    return from_observations(agent.actor, rules, kind="values")


def train(args: Args) -> Agent:
    """Train from random weights; the same arguments give the same weights on one machine."""
    torch.set_num_threads(1)  # such small networks gain nothing by more
    rules, start = Rules.of(args.rules), time.perf_counter()
    with torch.random.fork_rng(), SummaryWriter(args.folder) as board:
        torch.manual_seed(args.seed)
        agent, rollouts = Agent(rules.cells, args.hidden), Rollouts(args, rules)
        optimiser = torch.optim.Adam(agent.parameters(), args.lr, eps=1e-5)
        many = max(1, args.steps // (args.games * args.turns))
        for done in range(many):
            optimiser.param_groups[0]["lr"] = args.lr * (1 - done / many)
            numbers = learn(args, agent, optimiser, rollouts.play(agent))
            step = (done + 1) * args.games * args.turns
            numbers["time/steps_per_second"] = step / (time.perf_counter() - start)
            if (done + 1) % args.every == 0 or done + 1 == many:
                numbers |= metrics.measure(rules, player(agent, rules))
            for tag, number in numbers.items():
                board.add_scalar(tag, number, step)
    return agent


def main() -> None:
    """Train with the arguments of the command line, and print the player's exact strength."""
    args = tyro.cli(Args)
    try:
        agent, rules = train(args), Rules.of(args.rules)
    except ValueError as error:
        sys.exit(f"ppo: {error}")
    found = player(agent, rules)
    exact = enumerable(rules)
    strength = asdict(certify(rules, found)) if exact else metrics.measure(rules, found)
    print(json.dumps(strength, indent=2))


if __name__ == "__main__":
    main()
