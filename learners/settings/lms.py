"""Settings of LMS: `learners.lms`."""

from dataclasses import dataclass, replace
from typing import Literal

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class LMSConfig:
    """Settings of LMS."""

    seed: int = 0  # seeds all random numbers; the published form uses none
    features: Literal["full", "seven"] = "full"
    eta: float = 1.0  # learning rate; but for "seven" divided by the features' squared norm
    decay: int = 100  # but for "seven": steps until it has halved, as 1 / (1 + step / decay)
    epsilon: float = 0.5  # but for "seven": probability of a random move
    opening: int = 8  # but for "seven": a game begins with 0 to this many random stones
    games: int = 128  # games per step; but for "seven" played in parallel
    starter: Literal["alternate", "x"] = "alternate"  # seven: the side that moves first

    def __post_init__(self) -> None:
        check_range(self, LEAST, MOST, "eta")
        check_range(self, 1, MOST, "games", "decay")
        check_range(self, 0, MOST, "opening")
        check_range(self, 0, 1, "epsilon")


PUBLISHED = LMSConfig(features="seven", eta=0.001, games=100)
PRESETS = {
    "default": LMSConfig(),
    "published": PUBLISHED,
    "published_x_first": replace(PUBLISHED, starter="x"),
}
