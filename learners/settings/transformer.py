"""Settings of the transformer: `learners.transformer`."""

from dataclasses import dataclass
from typing import Literal

from learners.settings import LEAST, check_range

MOST = 2**16  # maximum of any count in the settings


@dataclass(frozen=True)
class TransformerConfig:
    """Settings of the transformer."""

    seed: int = 0  # seeds the initial weights and all random numbers
    layers: int = 2  # blocks of attention and an MLP
    width: int = 64  # width of the residual stream
    heads: int = 4  # attention heads per block
    learns: Literal["regret", "imitation"] = "regret"  # policy gradient, or the next perfect move
    games: int = 128  # games played per step, each learned as played, sorted and shuffled
    random: float = 0.7  # fraction of seats that play at random; the network plays the others
    entropy: float = 0.2  # weight of the entropy bonus; turning a win into a loss costs 1
    lr: float = 5e-3  # initial learning rate of AdamW
    half_life: int = 400  # steps in which the learning rate halves
    weight_decay: float = 1e-2  # weight decay of AdamW
    average: float = 0.98  # decay of the moving average of the weights, which plays

    def __post_init__(self) -> None:
        check_range(self, 1, MOST, "layers", "width", "heads", "games", "half_life")
        check_range(self, 0, 1, "random", "average")
        if self.width % self.heads:
            raise ValueError(
                f"transformer: width {self.width} is not a multiple of {self.heads} heads"
            )
        check_range(self, LEAST, MOST, "lr")
        check_range(self, 0, MOST, "entropy", "weight_decay")


PRESETS = {
    "default": TransformerConfig(),
    "imitation": TransformerConfig(learns="imitation", half_life=250),
}
