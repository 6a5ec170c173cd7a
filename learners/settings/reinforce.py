"""Settings of REINFORCE: `learners.reinforce`."""

from dataclasses import dataclass

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class ReinforceConfig:
    """Settings of REINFORCE."""

    seed: int = 0  # seeds the initial weights and all random numbers
    hidden: tuple[int, ...] = (128, 128)  # widths of the hidden layers of both networks
    games: int = 512  # games per step, played in parallel to the end
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    bound: float = 5.0  # outputs stay between -bound and bound
    entropy: float = 0.3  # weight of the entropy bonus; a win pays 1
    lr: float = 1e-2  # learning rate of Adam
    decay: int = 300  # steps until it has halved, as 1 / (1 + step / decay); 0: it is constant
    symmetric: bool = False  # learn and play on one board of each symmetry class

    def __post_init__(self) -> None:
        check_range(self, 1, MOST, "games")
        check_range(self, 0, MOST, "opening", "decay")
        check_range(self, LEAST, MOST, "bound")


PRESETS = {
    "default": ReinforceConfig(symmetric=True),
}
