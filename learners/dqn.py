"""Deep Q-learning: a network that estimates Q-values, trained on replayed transitions.

The target of a move is its reward plus the best Q-value of the next board. In self-play the other
side moves next, so the best value is negated: r - max q (negamax); against an opponent it is
r + max q. The maximum is over legal cells; q comes from the target network, an older
copy (Mnih et al., Nature 518, 2015). Replayed transitions are rotated or reflected at random.
"""

import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from learners.buffers import Replay, Transitions
from learners.nets import MaskedMLP, Nets, descend, evaluate, planes
from learners.parts import PlaysByNetworks, Rng
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.rules import Rules
from tttenv.policy import TOLERANCE
from tttenv.utils.registry import Spec


@dataclass(frozen=True)
class DQNConfig:
    """Settings of deep Q-learning."""

    seed: int = 0  # seeds the initial weights and all random numbers
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers
    plain: bool = False  # inputs 1, -1, 0, sigmoid outputs; False: one-hot planes, linear
    opponent: Spec | None = None  # the player to learn against, as a spec; None: self-play
    draw: float = 0.0  # reward for a draw; 1 for a win, -1 for a loss; in self-play 0
    games: int = 64  # games played in parallel, one move in each per step
    epsilon: float = 0.3  # probability of a random move
    capacity: int = 20_000  # moves in the replay buffer
    symmetric: bool = True  # rotate and reflect replayed moves at random
    batch: int = 256  # replayed moves in the gradient step of each step
    lr: float = 3e-3  # learning rate of Adam
    sync: int = 50  # steps between copies of the network to the target network

    def __post_init__(self) -> None:
        if min(self.games, self.batch, self.sync) < 1 or self.capacity < self.games:
            raise ValueError(
                "dqn: games, batch and sync must be at least 1, and capacity at least games"
            )
        if not 0 <= self.epsilon <= 1 or (self.draw and self.opponent is None):
            raise ValueError("dqn: epsilon must be from 0 to 1, and in self-play a draw must pay 0")


class DQN(PlaysByNetworks[DQNConfig]):
    """DQN learner, for any rules.

    As published in nestedsoftware/tictac: plain boards, random replies, a draw that pays as much as
    a win, and 2,000,000 games in each seat, with one gradient step without replay for every move.
    """

    Config: ClassVar[type] = DQNConfig
    presets: ClassVar[dict[str, Any]] = {
        "default": DQNConfig(),
        "published": DQNConfig(
            hidden=(36, 36),
            plain=True,
            opponent=Spec("random"),
            draw=1.0,
            epsilon=0.7,
            symmetric=False,
        ),
    }
    tolerance: ClassVar[float] = TOLERANCE  # of ties in its player

    def __init__(self, config: DQNConfig, rules: Rules) -> None:
        self.config, self.rules, self.steps = config, rules, 0
        self.sign = 1 if config.opponent else -1  # of the next board's value
        self.rng = np.random.default_rng(config.seed)
        self.net = self.networks(config, rules, self.rng)["net"]
        self.target = copy.deepcopy(self.net)
        self.optimiser = torch.optim.Adam(self.net.parameters(), config.lr)
        self.replay = Replay(config.capacity, rules)
        pays = {"opponent": config.opponent, "draw": config.draw}
        self.env = VectorTicTacToe.of(rules, config.games, obs="board", **pays)
        self.env.np_random = self.rng
        self.env.reset()

    def step(self) -> dict[str, float]:
        """Play one move in every game, then take one gradient step."""
        self.replay.add(self._play())
        transitions = self.replay.sample(self.config.batch, self.rng, self.config.symmetric)
        with torch.no_grad():
            targets = td_targets(transitions, self.target(planes(transitions.after)), self.sign)
        cells = torch.as_tensor(transitions.cells)[:, None]
        values = self.net(planes(transitions.boards)).gather(1, cells)
        loss = (values[:, 0] - targets).square().mean()
        descend(self.optimiser, loss)
        self.steps += 1
        if self.steps % self.config.sync == 0:
            self.target.load_state_dict(self.net.state_dict())
        return {"loss": loss.item()}

    @classmethod
    def networks(cls, config: DQNConfig, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return the Q-network; the player is greedy with respect to it."""
        return {"net": (PlainMLP if config.plain else MaskedMLP)(rules.cells, config.hidden, rng)}

    def parts(self) -> dict[str, Any]:
        """Return both networks, the optimiser, the replay buffer, the games and the generator."""
        return {
            "weights": {"net": self.net},
            "target": {"net": self.target},
            "optimiser": self.optimiser,
            "replay": self.replay,
            "boards": self.env,
            "steps": self.steps,
            "rng": self.rng,
        }

    def _play(self) -> Transitions:
        """Play one epsilon-greedy move in every game, and return the transitions."""
        boards = self.env.boards
        q_values = evaluate(self.rules, [self.net], boards)
        explore = self.rng.random((len(boards), 1)) < self.config.epsilon
        q_values = np.where(explore, self.rng.random(boards.shape), q_values)
        cells = np.where(boards == 0, q_values, -np.inf).argmax(axis=1)
        _, rewards, over, *_ = self.env.step(cells)
        return Transitions(boards, cells, rewards.astype(np.float32), over, self.env.boards)


def td_targets(transitions: Transitions, values: torch.Tensor, sign: int) -> torch.Tensor:
    """Return the temporal-difference targets (batch,).

    Args:
        transitions: a batch of moves.
        values: the Q-values of the boards after the moves, (batch, cells).
        sign: 1 if the same side moves next, -1 if the other side does.
    """
    best = values.masked_fill(torch.as_tensor(transitions.after != 0), -torch.inf).amax(dim=1)
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
