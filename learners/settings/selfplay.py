"""Settings of self-play: `learners.selfplay`."""

from dataclasses import dataclass
from typing import Literal

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class SelfPlayConfig:
    """Settings of self-play."""

    seed: int = 0  # seeds the initial weights and the sampled boards
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers of both networks
    symmetric: bool = True  # train on one board of each symmetry class
    # sampled from all positions, or by random play
    boards: Literal["uniform", "stones"] = "uniform"
    batch: int = 128  # boards per update: per seat if uniform, else in all
    fits: int = 4  # updates per round
    optimiser: Literal["adam", "adagrad"] = "adam"  # optimiser of the updates
    lr: float = 4e-3  # initial learning rate
    halving: int | None = 100  # rounds after which lr is 1/2, after twice 1/3; None: no decay
    targets: Literal["repaired", "published"] = "repaired"  # how results become targets
    draw: float = 0.5  # repaired: the target of a draw; a win is 1, a loss 0
    chance: float = 0.25  # repaired: weight of the winning probability against random play
    legal_constant: float | None = None  # if set: outputs are ReLUs plus this number on legal cells

    def __post_init__(self) -> None:
        check_range(self, 1, MOST, "batch", "fits", "halving")
        check_range(self, LEAST, MOST, "lr")


PRESETS = {
    "default": SelfPlayConfig(),
    "published": SelfPlayConfig(
        symmetric=False,
        boards="stones",
        batch=64,
        fits=1,
        optimiser="adagrad",
        lr=0.01,
        halving=None,
        targets="published",
        legal_constant=1e-4,
    ),
}
