"""Settings of Q-learning: `learners.qtable`."""

from dataclasses import dataclass

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class QTableConfig:
    """Settings of Q-learning."""

    seed: int = 0  # seeds all random numbers
    lr: float = 0.8  # learning rate: fraction of the difference to the target
    gamma: float = 1.0  # discount per move of the player
    epsilon: float = 0.7  # initial probability of a random move
    fall: int | None = None  # games after which epsilon falls by .1; None: never
    draw: float = 0.5  # the result of a draw; a win is 1, a loss 0
    symmetric: bool = True  # one value for all images of a board
    self_play: bool = True  # the table moves for both sides; False: against random replies
    turns: int = 7000  # against random: games as X, then as many as O, restarting epsilon
    games: int = 512  # games played in parallel
    batches: int = 1  # batches of games per step

    def __post_init__(self) -> None:
        check_range(self, LEAST, 1, "lr")
        check_range(self, 0, 1, "gamma", "epsilon")
        check_range(self, 1, MOST, "games", "batches", "turns", "fall")


PRESETS = {
    "default": QTableConfig(),
    "published": QTableConfig(lr=0.4, fall=700, draw=1.0, self_play=False, games=1, batches=100),
}
