"""REINFORCE: what led to a win becomes likelier, what led to a loss less likely.

One network plays both sides, from random openings (exploring starts), without which it stays
beatable; a second, the baseline, says what was to be expected. Bounds on the outputs and a bonus
for entropy keep all moves possible. Source: Williams, Machine Learning 8 (1992).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from learners.nets import (
    MaskedMLP,
    Nets,
    empty_weights,
    greedy_player,
    load_weights,
    nets_of,
    planes,
    weights_of,
)
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards
from tttenv.policy import Policy
from tttenv.vector import VectorTicTacToe


@dataclass(frozen=True)
class ReinforceConfig:
    """What REINFORCE can be told."""

    seed: int = 0  # of the first weights and all dice
    hidden: tuple[int, ...] = (256,)  # widths of the hidden layers of both networks
    games: int = 256  # a step, played side by side to their ends
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    bound: float = 2.0  # outputs stay between -bound and bound
    entropy: float = 0.03  # bonus for a unit of entropy, a win paying 1
    lr: float = 2e-3  # learning rate, of Adam


class Reinforce:
    """Learns on any rules."""

    Config: ClassVar[type] = ReinforceConfig
    presets: ClassVar[dict[str, Any]] = {"default": ReinforceConfig()}

    def __init__(self, config: ReinforceConfig, rules: Rules) -> None:
        self.config, self.rules, self.rng = config, rules, np.random.default_rng(config.seed)
        self.moves, self.worth = (MaskedMLP(rules.cells, config.hidden, self.rng) for _ in range(2))
        self.both: dict[str, torch.nn.Module] = {"moves": self.moves, "worth": self.worth}
        self.optimiser = torch.optim.Adam(torch.nn.ModuleDict(self.both).parameters(), config.lr)
        self.env = VectorTicTacToe(config.games, rules.m, rules.n, rules.k, None, obs="board")
        self.env.np_random = self.rng

    def step(self) -> dict[str, float]:
        """Some games from start to end, and one gradient step."""
        boards, cells, results = self._play()
        logs = self._logs(boards)
        surprise = torch.as_tensor(results) - self.worth(planes(boards)).mean(dim=1)
        entropy = -(logs.exp() * logs).sum(dim=1).mean()
        gain = (surprise.detach() * logs[range(len(cells)), cells]).mean()
        self.optimiser.zero_grad()
        (surprise.square().mean() / 2 - gain - self.config.entropy * entropy).backward()
        self.optimiser.step()
        return {"entropy": entropy.item(), "gain": gain.item()}

    def policy(self) -> Policy:
        """Greedy: the likeliest legal cell."""
        return greedy_player(self.rules, [self.moves])

    @classmethod
    def empty_weights(cls, config: ReinforceConfig, rules: Rules) -> dict[str, torch.Tensor]:
        """The weights of the network that moves, without contents."""
        return empty_weights(lambda: {"moves": MaskedMLP(rules.cells, config.hidden, None)})

    @classmethod
    def player(
        cls, config: ReinforceConfig, rules: Rules, weights: dict[str, torch.Tensor]
    ) -> Policy:
        """The network with these weights, greedy."""
        nets: Nets = nets_of(
            lambda: {"moves": MaskedMLP(rules.cells, config.hidden, None)}, weights
        )
        return greedy_player(rules, list(nets.values()))

    def state_dict(self) -> dict[str, Any]:
        """Both networks, the optimiser and the dice; no game outlasts a step."""
        weights, both = weights_of({"moves": self.moves}), weights_of(self.both)
        dice, optimiser = self.rng.bit_generator.state, self.optimiser.state_dict()
        return {"weights": weights, "both": both, "optimiser": optimiser, "rng": dice}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict()`; weights alone are enough to play."""
        load_weights({"moves": self.moves}, state["weights"])
        if "rng" in state:
            load_weights(self.both, state["both"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.rng.bit_generator.state = state["rng"]

    def _logs(self, boards: Boards) -> torch.Tensor:
        """Logarithms of the moves' probabilities, (batch, cells); -1e9 on taken cells."""
        outputs = self.config.bound * torch.tanh(self.moves(planes(boards)) / self.config.bound)
        return outputs.masked_fill(torch.as_tensor(boards != 0), -1e9).log_softmax(dim=1)

    def _play(self) -> list[Any]:
        """Boards (moves, cells) after the openings, cells played and what they led to (moves,)."""
        self.env.reset()
        opening = self.rng.integers(0, self.config.opening + 1, self.config.games)
        opening[0] = 0  # so that there is a move to learn from
        going, turns, found, result = opening >= 0, [], [], np.zeros(len(opening), np.float32)
        for turn in range(self.rules.cells):
            boards, random = self.env.boards, (turn < opening)[:, None]
            logs = np.where(random & (boards == 0), 0, self._logs(boards).detach().cpu().numpy())
            cells = (logs + self.rng.gumbel(size=logs.shape)).argmax(axis=1)  # by probability
            _, rewards, over, *_ = self.env.step(cells)
            turns.append((boards, cells, rewards, over, going & (turn >= opening)))
            going = going & ~over
        for boards, cells, rewards, over, learn in reversed(turns):
            result = np.where(over, rewards, -result).astype(np.float32)  # of the side that moved
            found.append((boards[learn], cells[learn], result[learn]))
        return [np.concatenate(part) for part in zip(*found, strict=True)]
