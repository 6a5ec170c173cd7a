"""Deep Q-learning: a network that estimates Q-values, trained on replayed transitions.

The target of a move is its reward plus the best Q-value of the next board. In self-play the other
side moves next, so the best value is negated: r - max q (negamax); against an opponent it is
r + max q. The maximum is over legal cells; q comes from the target network, an older
copy (Mnih et al., Nature 518, 2015). Replayed transitions are rotated or reflected at random.

In that form the player forgets: it becomes unbeatable and is beatable again. Four things keep it:
games begin with random stones (exploring starts), the learning rate falls, the target network
follows the other slowly (Lillicrap et al., arXiv 1509.02971, 2015), and it is the one that plays,
as a moving average of the weights. It values the move that the other one prefers (double
Q-learning: van Hasselt, Guez and Silver, arXiv 1509.06461, 2015).
"""

import copy
from typing import Any

import numpy as np
import torch

from learners.buffers import Replay, Transitions
from learners.nets import MaskedMLP, Nets, descend, evaluate, lower_rate, move_average, planes
from learners.parts import NetworkLearner, Rng
from learners.settings.dqn import PRESETS, DQNConfig
from tttenv.env.exploring_starts import place_openings
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.rules import Rules


class DQN(NetworkLearner[DQNConfig]):
    """DQN learner, for any rules.

    As published in nestedsoftware/tictac: plain boards, random replies, a draw that pays as much as
    a win, and 2,000,000 games in each seat, with one gradient step without replay for every move.
    """

    Config = DQNConfig
    presets = PRESETS

    def __init__(self, config: DQNConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.steps = 0
        self.sign = 1 if config.opponent else -1  # of the next board's value
        self.net = self.networks(config, rules, self.rng)["net"]
        self.target = copy.deepcopy(self.net)
        self.optimiser = torch.optim.Adam(self.net.parameters(), config.lr)
        self.replay = Replay(config.capacity, rules)
        pays = {"opponent": config.opponent, "draw": config.draw}
        self.env = VectorTicTacToe.of(rules, config.games, obs="board", **pays)
        self.env.np_random = self.rng
        self.env.reset()

    def step(self) -> dict[str, float]:
        """Play one move in every game, then take gradient steps."""
        config = self.config
        lower_rate(self.optimiser, config.lr, self.steps, config.decay)
        with self.timed("playing"):
            self.replay.add(self._play())
        self.moves += config.games
        with self.timed("learning"):
            losses = [self._learn() for _ in range(config.updates)]
        self.steps += 1
        if self.steps % config.sync == 0:
            move_average(self.target, self.net, config.follow)
        return {"loss": sum(losses) / len(losses)}

    def _learn(self) -> float:
        """Take a gradient step on replayed moves, and return the loss."""
        config = self.config
        transitions = self.replay.sample(config.batch, self.rng, config.symmetric)
        after = planes(transitions.after)
        with torch.no_grad():
            values = self.target(after)
            chosen = self.net(after) if config.double else None
            targets = td_targets(transitions, values, self.sign, chosen)
        cells = torch.as_tensor(transitions.cells)[:, None]
        q_values = self.net(planes(transitions.boards)).gather(1, cells)
        loss = (q_values[:, 0] - targets).square().mean()
        descend(self.optimiser, loss)
        return float(loss.item())

    @classmethod
    def networks(cls, config: DQNConfig, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return the Q-network; the player is greedy with respect to it."""
        return {"net": (PlainMLP if config.plain else MaskedMLP)(rules.cells, config.hidden, rng)}

    def parts(self) -> dict[str, Any]:
        """Return both networks, the optimiser, the replay buffer and the games."""
        return {
            "weights": {"net": self.net if self.config.follow == 1 else self.target},
            "learning": {"net": self.net, "target": self.target},
            "optimiser": self.optimiser,
            "replay": self.replay,
            "boards": self.env,
            "steps": self.steps,
        }

    def _play(self) -> Transitions:
        """Play one epsilon-greedy move in every game, and return the transitions."""
        boards = self.env.boards
        q_values = evaluate(self.rules, [self.net], boards)
        explore = self.rng.random((len(boards), 1)) < self.config.epsilon
        q_values = np.where(explore, self.rng.random(boards.shape), q_values)
        cells = np.where(boards == 0, q_values, -np.inf).argmax(axis=1)
        _, rewards, over, *_ = self.env.step(cells)
        place_openings(self.env, over, self.config.opening)
        return Transitions(boards, cells, rewards.astype(np.float32), over, self.env.boards)


def td_targets(
    transitions: Transitions, values: torch.Tensor, sign: int, chosen: torch.Tensor | None = None
) -> torch.Tensor:
    """Return the temporal-difference targets (batch,).

    Args:
        transitions: a batch of moves.
        values: the Q-values of the boards after the moves, (batch, cells).
        sign: 1 if the same side moves next, -1 if the other side does.
        chosen: the Q-values whose highest one says which of `values` counts; None: `values`.
    """
    chosen = values if chosen is None else chosen
    chosen = chosen.masked_fill(torch.as_tensor(transitions.after != 0), -torch.inf)
    best = values.gather(1, chosen.argmax(dim=1, keepdim=True))[:, 0]
    best = best.masked_fill(torch.as_tensor(transitions.over), 0)
    return torch.as_tensor(transitions.rewards) + sign * best


class PlainMLP(MaskedMLP):
    """Network that maps boards of 1, -1 and 0 to Q-values between -1 (a loss) and 1 (a win)."""

    def __init__(
        self, cells: int, hidden: tuple[int, ...], rng: np.random.Generator | None
    ) -> None:
        super().__init__(cells, hidden, rng)
        first: Any = self.layers[0]  # which was made for three planes
        first.weight = torch.nn.Parameter(first.weight[:, :cells].detach().clone())

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Map planes (batch, 3 * cells) to Q-values (batch, cells) of all cells, legal or not."""
        mine, theirs, _ = planes.chunk(3, dim=-1)
        return 2 * torch.sigmoid(self.layers(mine - theirs)) - 1
