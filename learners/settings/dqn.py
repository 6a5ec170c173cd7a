"""Settings of deep Q-learning: `learners.dqn`."""

from dataclasses import dataclass

from learners.settings import MOST, check_range
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
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    epsilon: float = 0.6  # probability of a random move
    capacity: int = 100_000  # moves in the replay buffer
    symmetric: bool = True  # rotate and reflect replayed moves at random
    batch: int = 256  # replayed moves in a gradient step
    updates: int = 4  # gradient steps per step
    lr: float = 3e-3  # learning rate of Adam
    decay: int = 300  # steps until lr has halved, as 1 / (1 + step / decay); 0: it is constant
    double: bool = True  # the network chooses the move that the target network values
    sync: int = 1  # steps between moves of the target network towards the network
    follow: float = 0.04  # share of the way of such a move, for an average that plays; 1: a copy

    def __post_init__(self) -> None:
        check_range(self, 1, MOST, "games", "batch", "updates", "sync")
        check_range(self, self.games, MOST, "capacity")
        check_range(self, 0, MOST, "opening", "decay")
        check_range(self, 0, 1, "follow", "epsilon")
        if self.draw and self.opponent is None:
            raise ValueError("dqn: in self-play a draw must pay 0")


PRESETS = {
    "default": DQNConfig(),
    "published": DQNConfig(
        hidden=(36, 36),
        plain=True,
        opponent=Spec("random"),
        draw=1.0,
        opening=0,
        epsilon=0.7,
        capacity=20_000,
        symmetric=False,
        updates=1,
        decay=0,
        double=False,
        sync=50,
        follow=1.0,
    ),
}
