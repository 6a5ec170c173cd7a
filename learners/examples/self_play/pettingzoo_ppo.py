"""Self-play with PettingZoo: our single-file PPO against a pool of its past selves.

    python -m learners.examples.self_play.pettingzoo_ppo --seed 1

The agent takes both seats, and each reward is its own. A draw pays 0.7: with 0 it takes risks
against opponents that err. The opponent is drawn from random moves and frozen copies of the agent.
Training ends when the exact certificate says "unbeatable".
"""

from typing import Any

import numpy as np
import torch
import tyro

from learners.examples.ppo import Agent, Args, Rollouts, learn, player
from tttenv import Policy, Rules, certify
from tttenv.adapters import frozen
from tttenv.adapters.pettingzoo import env
from tttenv.certificates.certificate import Certificate
from tttenv.game.openings import random_openings
from tttenv.policy import from_observations, sample, uniform


class Duels:
    """PettingZoo games as a vector environment; `seats` maps each game to the agent's seat."""

    def __init__(self, games: int, rng: np.random.Generator, opponent: Policy = uniform) -> None:
        self.rng, self.opponent = rng, opponent
        self.seats: Any = {env(draw=0.7, illegal="raise"): "" for _ in range(games)}

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        """Start all games, and return the agent's observations and masks."""
        return self._start(list(self.seats))

    def step(self, cells: Any) -> tuple[Any, ...]:
        """Play the agent's cells and the opponent's replies; finished games restart."""
        for game, cell in zip(self.seats, cells, strict=True):
            game.step(int(cell))
        going = [game for game, seat in self.seats.items() if not game.terminations[seat]]
        replies = self.opponent(np.array([game.unwrapped.board for game in going]).reshape(-1, 9))
        for game, cell in zip(going, sample(replies, self.rng.random(len(going))), strict=True):
            game.step(int(cell))
        rewards = np.array([game.rewards[seat] for game, seat in self.seats.items()])
        over = np.array([game.terminations[seat] for game, seat in self.seats.items()])
        seen, info = self._start([game for game, end in zip(self.seats, over, strict=True) if end])
        return seen, rewards, over, np.zeros_like(over), info

    def _start(self, new: list[Any]) -> tuple[Any, dict[str, Any]]:
        """Start games from random positions, so that the agent learns replies to all moves."""
        for game, board in zip(new, random_openings(Rules(), 8, len(new), self.rng), strict=True):
            game.reset(options={"board": board})
            self.seats[game] = game.agent_selection
        seen = [game.observe(seat).values() for game, seat in self.seats.items()]
        planes, masks = (np.stack(part) for part in zip(*seen, strict=True))
        return planes, {"action_mask": masks}


def train(seed: int = 0, steps: int = 1_000_000) -> Certificate:
    """Train until unbeatable, for at most `steps` moves of the agent; return the certificate."""
    torch.manual_seed(seed)
    rules, rng, pool = Rules(3, 3, 3), np.random.default_rng(seed), list[Policy]()
    args = Args(seed=seed, games=256, hidden=128, entropy=0.02)
    games, agent = Duels(args.games, rng), Agent(rules.cells, args.hidden)
    rollouts = Rollouts(args, rules, games)
    optimiser = torch.optim.Adam(agent.parameters(), args.lr)
    for done in range(0, steps + 1, args.games * args.turns):
        if done % 32_768 == 0:
            found = certify(rules, player(agent, rules))
            print(f"{done} steps: worst case {found.worst_case}", flush=True)
            if found.unbeatable:
                break
            pool.append(frozen(rules, agent.actor, lambda net: from_observations(net, rules)))
        games.opponent = uniform if rng.random() < 0.25 else pool[~rng.integers(min(10, len(pool)))]
        learn(args, agent, optimiser, rollouts.play(agent))
    return found


if __name__ == "__main__":
    tyro.cli(train)
