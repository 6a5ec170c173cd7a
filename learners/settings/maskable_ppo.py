"""Settings of MaskablePPO: `learners.maskable_ppo`."""

from dataclasses import dataclass

from learners.settings import MOST, check_range
from tttenv.utils.registry import Spec


@dataclass(frozen=True)
class MaskablePPOConfig:
    """Settings of MaskablePPO."""

    seed: int = 0  # seeds all random numbers
    hidden: tuple[int, ...] = (128, 128)  # widths of the hidden layers, for both policy and value
    # opponents of successive rollouts; "self" is the player at the start of a rollout
    pool: tuple[Spec, ...] = (Spec("self"),)
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    draw: float = 0.0  # reward for a draw; 1 for a win, -1 for a loss
    games: int = 128  # games played in parallel
    turns: int = 32  # moves per game in a rollout
    batch: int = 512  # moves per gradient step
    epochs: int = 4  # passes over a rollout
    lr: float = 2e-3  # learning rate
    entropy: float = 0.3  # weight of the entropy bonus
    decay: int = 60  # steps until lr has halved; 0: it is constant
    symmetric: bool = False  # learn and play on one board of each symmetry class

    def __post_init__(self) -> None:
        check_range(self, 1, MOST, "games", "turns", "batch", "epochs")
        check_range(self, 0, MOST, "opening", "decay")
        if not self.pool:
            raise ValueError("maskable_ppo: pool must name at least one opponent")


PRESETS = {
    "default": MaskablePPOConfig(symmetric=True),
    "published": MaskablePPOConfig(
        hidden=(256, 256),
        pool=(Spec("random"),),
        opening=0,
        draw=0.0,
        games=8,
        turns=256,
        batch=256,
        epochs=10,
        lr=3e-4,
        entropy=0.02,
        decay=0,
    ),
}
