"""REINFORCE: moves that led to wins become more likely, moves that led to losses less likely.

The policy network plays both sides from random openings (exploring starts), without which it stays
beatable; a second network, the baseline, estimates the expected result. Source: Williams, Machine
Learning 8 (1992).

A move that loses to a single reply looks good until that reply is played often. The better moves
must stay possible until then, so the entropy bonus is large and constant. What the policy is
trained towards is then a quantal response equilibrium (McKelvey and Palfrey, Games and Economic
Behavior 10, 1995). On 3,3,3 its likeliest moves are all optimal for weights from 0.01 to 0.7.
"""

from typing import Any

import numpy as np
import torch

from learners.nets import MaskedMLP, Nets, descend, lower_rate, planes
from learners.parts import NetworkLearner, Rng
from learners.settings.reinforce import PRESETS, ReinforceConfig
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, maps
from tttenv.game.types import Boards
from tttenv.players.symmetric_player import canonical_player
from tttenv.policy import Player


class Reinforce(NetworkLearner[ReinforceConfig]):
    """REINFORCE learner, for any rules."""

    Config = ReinforceConfig
    presets = PRESETS

    def __init__(self, config: ReinforceConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.steps = 0
        self.policy_net = MaskedMLP(rules.cells, config.hidden, self.rng)
        self.value_net = MaskedMLP(rules.cells, config.hidden, self.rng)  # its mean is the baseline
        # The names are those in checkpoints and stored trainings.
        self.nets: Nets = {"moves": self.policy_net, "worth": self.value_net}
        self.optimiser = torch.optim.Adam(torch.nn.ModuleDict(self.nets).parameters(), config.lr)
        self.env = VectorTicTacToe.of(rules, config.games, opponent=None, obs="board")
        self.env.np_random = self.rng

    def step(self) -> dict[str, float]:
        """Play games to the end, then take one gradient step."""
        lower_rate(self.optimiser, self.config.lr, self.steps, self.config.decay)
        self.steps += 1
        with self.timed("playing"):
            boards, cells, results = self._play()
        self.moves += len(cells)
        log_probs = self.log_probs(boards)
        advantage = torch.as_tensor(results) - self.value_net(planes(boards)).mean(dim=1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        objective = (advantage.detach() * log_probs[range(len(cells)), cells]).mean()
        value_loss = advantage.square().mean() / 2
        descend(self.optimiser, value_loss - objective - self.config.entropy * entropy)
        return {"entropy": entropy.item(), "gain": objective.item()}  # curves' names, kept

    @classmethod
    def networks(cls, config: ReinforceConfig, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return the policy network; the player is greedy with respect to it."""
        return {"moves": MaskedMLP(rules.cells, config.hidden, rng)}

    @classmethod
    def player_of(cls, config: ReinforceConfig, rules: Rules, nets: Nets) -> Player:
        """Return the greedy player, on canonical boards if the policy learned on these."""
        greedy = super().player_of(config, rules, nets)
        return canonical_player(greedy) if config.symmetric else greedy

    def parts(self) -> dict[str, Any]:
        """Return both networks, the optimiser and the steps; no game spans two steps."""
        return {
            "weights": {"moves": self.policy_net},
            "both": self.nets,
            "optimiser": self.optimiser,
            "steps": self.steps,
        }

    def log_probs(self, boards: Boards) -> torch.Tensor:
        """Return log-probabilities of the moves (batch, cells); occupied cells are masked."""
        bound = self.config.bound
        outputs = bound * torch.tanh(self.policy_net(planes(boards)) / bound)
        return outputs.masked_fill(torch.as_tensor(boards != 0), -1e9).log_softmax(dim=1)

    def _play(self) -> list[Any]:
        """Play games, and return boards (moves, cells), cells (moves,) and results (moves,).

        Moves in the opening are left out. A result is the outcome of the game (1, 0 or -1) for the
        side that made the move.
        """
        self.env.reset()
        opening = self.rng.integers(0, self.config.opening + 1, self.config.games)
        opening[0] = 0  # so that there is a move to learn from
        active, turns, images = opening >= 0, [], maps(self.rules)
        for turn in range(self.rules.cells):
            boards, which = self.env.boards, np.zeros(len(active), np.int64)
            if self.config.symmetric:
                boards, which = canonical(self.rules, boards)
            random = (turn < opening)[:, None]
            log_probs = self.log_probs(boards).detach().cpu().numpy()
            log_probs = np.where(random & (boards == 0), 0, log_probs)
            # The Gumbel-max trick: this samples each cell with its probability.
            cells = (log_probs + self.rng.gumbel(size=log_probs.shape)).argmax(axis=1)
            _, rewards, over, *_ = self.env.step(images[which, cells])
            turns.append((boards, cells, rewards, over, active & (turn >= opening)))
            active = active & ~over
        moves, result = [], np.zeros(len(opening), np.float32)
        for boards, cells, rewards, over, learn in reversed(turns):
            result = np.where(over, rewards, -result).astype(np.float32)  # of the side that moved
            moves.append((boards[learn], cells[learn], result[learn]))
        return [np.concatenate(part) for part in zip(*moves, strict=True)]
