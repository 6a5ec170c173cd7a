"""Settings of TD(0): `learners.td0`."""

from dataclasses import dataclass

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class TD0Config:
    """Settings of TD(0)."""

    seed: int = 0  # seeds all random numbers
    alpha: float = 0.5  # learning rate: fraction of the difference to the target
    epsilon: float = 0.3  # probability of a random move
    default: float = 0.5  # initial value of undecided positions; a win is 1, a loss 0
    opening: int = 6  # exploring starts: a game begins with 0 to this many random stones
    symmetric: bool = True  # one value for all images of a board
    self_play: bool = True  # the table moves for both sides; False: against random replies
    notes: bool = False  # as in the published code: help("learners.td0.TD0")
    games: int = 512  # games played in parallel
    batches: int = 1  # batches of games per step

    def __post_init__(self) -> None:
        check_range(self, LEAST, 1, "alpha")
        check_range(self, 0, 1, "epsilon", "default")
        check_range(self, 1, MOST, "games", "batches")
        check_range(self, 0, MOST, "opening")


PRESETS = {
    "default": TD0Config(),
    "published": TD0Config(
        epsilon=0.1,
        opening=0,
        symmetric=False,
        self_play=False,
        notes=True,
        games=50,
        batches=40,
    ),
}
