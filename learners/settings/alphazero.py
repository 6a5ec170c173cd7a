"""Settings of AlphaZero: `learners.alphazero`."""

from dataclasses import dataclass

from learners.settings import MOST, check_range


@dataclass(frozen=True)
class AlphaZeroConfig:
    """Settings of AlphaZero."""

    seed: int = 0  # seeds the initial weights and all random numbers
    channels: int = 32  # channels of the network
    blocks: int = 2  # residual blocks of two convolutions each
    games: int = 128  # games played in parallel, one move in each per step; an actor searches 128
    simulations: int = 16  # simulations of a full search
    quick_simulations: int = 4  # simulations of a quick search, from which no policy is learned
    full_share: float = 0.5  # fraction of searches that are full
    progressive: int = 100  # steps in which full searches grow from quick_simulations on
    considered: int = 8  # root moves with which a search begins
    opening: int = 4  # games begin with 0 to this many random stones
    reached: int = 40_000  # stored positions that examinations reach
    reached_share: float = 0.7  # fraction of games that start from a stored position
    doubtful: int = 400  # least sure or worst judged positions, per seat, whose moves are proved
    deviation: float = 0.1  # fraction of moves after the opening that are random
    capacity: int = 40_000  # examples in the replay buffer
    updates: int = 2  # gradient steps per step
    batch: int = 256  # examples per gradient step
    lr: float = 2e-3  # initial learning rate of AdamW
    half_life: int = 400  # steps in which the learning rate halves, down to a twentieth
    weight_decay: float = 1e-4  # weight decay of AdamW
    sharpness: float = 1.5  # power of the target policies, to prefer one of equal moves
    average: float = 0.998  # decay of the moving average of the weights, which plays
    counterexamples: bool = True  # learn from examinations
    examine: int = 50  # steps between examinations; more if they are wide
    width: int = 1_000  # initial width of an examination: positions per round
    widest: int = 64_000  # maximum width: it doubles while few mistakes are found
    failures: int = 64  # lost lines analysed per seat, if they follow from different mistakes
    share: float = 0.25  # fraction of a batch that are counterexamples

    def __post_init__(self) -> None:
        check_range(self, 1, 1024, "channels")
        check_range(self, 0, 100, "blocks")
        check_range(self, 1, MOST, "games", "simulations", "quick_simulations", "progressive")
        check_range(self, 1, MOST, "considered", "reached", "doubtful", "capacity", "updates")
        check_range(self, 1, MOST, "batch", "half_life", "examine", "width", "widest", "failures")
        check_range(self, 0, MOST, "opening")
        check_range(self, 0, 1, "full_share", "reached_share", "deviation", "average", "share")


PRESETS = {
    "default": AlphaZeroConfig(),  # for boards of up to 36 cells
    "large": AlphaZeroConfig(  # for larger ones, where examinations take minutes
        simulations=32,
        opening=8,
        half_life=1000,
        capacity=80_000,
        examine=400,
        doubtful=40,
        failures=16,
    ),
}
