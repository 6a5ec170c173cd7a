"""Settings of the pattern network: `learners.patterns`."""

from dataclasses import dataclass

from learners.settings import LEAST, MOST, check_range


@dataclass(frozen=True)
class PatternsConfig:
    """Settings of patterns."""

    seed: int = 0  # seeds the initial weights and all random numbers
    channels: int = 16  # length of a line pattern's vector
    hidden: int = 32  # width of both hidden layers
    nodes: int = 1000  # positions searched for a label
    play_nodes: int = 100  # positions searched for a move of the games
    games: int = 64  # per step; some positions of each are labelled, up to 8
    opening: int = 4  # games begin with 0 to this many stones close to each other
    deviation: float = 0.2  # fraction of the moves that are only likely, not found by a search
    smaller: float = 0.0  # fraction of the games on smaller boards, with at least 2 k - 1 rows
    capacity: int = 20_000  # labelled positions that are kept
    updates: int = 8  # gradient steps per step
    batch: int = 256  # positions per gradient step
    lr: float = 5e-3  # highest learning rate of AdamW
    anneal: int = 2000  # gradient steps in which the learning rate falls to 1/50
    weight_decay: float = 1e-4  # weight decay of AdamW
    bootstrap: int = 0  # steps after which the network itself is used for labels; 0: never
    renew: int = 500  # steps between its copies that are used

    def __post_init__(self) -> None:
        check_range(self, 1, MOST, "channels", "hidden", "nodes", "play_nodes", "capacity")
        check_range(self, 1, MOST, "updates", "anneal", "renew")
        check_range(self, 1, 1_000, "games")  # a step shows no progress before its end
        check_range(self, 1, 2**16, "batch")
        check_range(self, 0, MOST, "opening", "bootstrap")
        check_range(self, 0, 1, "deviation", "smaller")
        check_range(self, LEAST, MOST, "lr")
        check_range(self, 0, MOST, "weight_decay")


PRESETS = {
    "default": PatternsConfig(),  # for boards of up to 36 cells
    "large": PatternsConfig(  # for larger ones, whose searches never reach the end
        nodes=8000,
        play_nodes=300,
        games=14,
        opening=8,
        deviation=0.1,
        smaller=0.3,
        capacity=250_000,
        updates=3,
        lr=0.02,
        anneal=15_000,
        weight_decay=1e-3,
        bootstrap=500,
    ),
}
