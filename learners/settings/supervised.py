"""Settings of supervised learning: `learners.supervised`."""

from dataclasses import dataclass
from typing import Literal

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class SupervisedConfig:
    """Settings of supervised learning."""

    seed: int = 0  # seeds the initial weights and all random numbers
    net: Literal["onehot", "book"] = "onehot"  # one-hot planes and ReLUs, or as published
    hidden: tuple[int, ...] = (256,)  # widths of the hidden layers; the published net has one
    data: Literal["solver", "book"] = "solver"  # all images of all rows, or as published
    moves_csv: str | None = None  # a file of boards and best replies to learn from instead
    holdout: float = 0.0  # fraction of the symmetry classes held out for testing
    masked: bool = True  # exclude illegal moves from the loss
    optimiser: Literal["adam", "sgd"] = "adam"  # optimiser of the gradient steps
    lr: float = 5e-3  # learning rate
    batch: int = 512  # boards per gradient step
    fits: int = 10  # gradient steps per step
    decay: int = 50  # steps until lr has halved, as 1 / (1 + step / decay); 0: it is constant
    targets: Literal["any", "equal"] = "any"  # play any of the labelled moves, or each as often

    def __post_init__(self) -> None:
        check_range(self, 0, 0.99, "holdout")
        check_range(self, LEAST, MOST, "lr")
        check_range(self, 1, MOST, "batch", "fits")
        check_range(self, 0, MOST, "decay")


PRESETS = {
    "default": SupervisedConfig(),
    "published": SupervisedConfig(
        0, "book", (81,), "book", None, 0, False, "sgd", 0.025, 50, 100, 0, "equal"
    ),
}
