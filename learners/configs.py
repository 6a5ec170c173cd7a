"""Settings of all learners and their presets; importing them does not load PyTorch.

This makes `tttenv train LEARNER --help` and errors in options immediate.
"""

from dataclasses import dataclass, replace
from typing import Literal

from tttenv.utils.registry import Spec

MOST_TRANSFORMER = 2**16  # maximum of any count in the transformer's settings
MOST_ALPHAZERO = 2**24  # maximum of any count in AlphaZero's settings
ALPHAZERO_COUNTS = (  # its settings that are at least 1
    *("games", "simulations", "quick_simulations", "progressive", "considered", "capacity"),
    *("updates", "batch", "half_life", "examine", "width", "widest", "failures", "reached"),
    "doubtful",
)
MOST_PATTERNS = 2**24  # maximum of most counts in the settings of patterns
PATTERNS_COUNTS = {  # maximum of its settings that are at least 1
    **dict.fromkeys(("channels", "hidden", "nodes", "play_nodes", "capacity"), MOST_PATTERNS),
    **dict.fromkeys(("updates", "anneal", "renew"), MOST_PATTERNS),
    "games": 1_000,  # a step shows no progress before its end
    "batch": 2**16,
}
POOL = tuple(map(Spec, ("minimax", "self", "random", "epsilon")))


@dataclass(frozen=True)
class SelfPlayConfig:
    """Settings of self-play."""

    seed: int = 0  # seeds the initial weights and the sampled boards
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers of both networks
    symmetric: bool = True  # train on one board of each symmetry class
    boards: Literal["uniform", "stones"] = (
        "uniform"  # sampled from all positions, or by random play
    )
    batch: int = 128  # boards per update: per seat if uniform, else in all
    fits: int = 4  # updates per round
    optimiser: Literal["adam", "adagrad"] = "adam"  # optimiser of the updates
    lr: float = 4e-3  # initial learning rate
    halving: int | None = 100  # rounds after which lr is 1/2, after twice 1/3; None: no decay
    targets: Literal["repaired", "published"] = "repaired"  # how results become targets
    draw: float = 0.5  # repaired: the target of a draw; a win is 1, a loss 0
    chance: float = 0.25  # repaired: weight of the winning probability against random play
    legal_constant: float | None = None  # if set: outputs are ReLUs plus this number on legal cells


SELFPLAY_PUBLISHED = SelfPlayConfig(
    symmetric=False, boards="stones", batch=64, fits=1, optimiser="adagrad", lr=0.01, halving=None,
    targets="published", legal_constant=1e-4,
)  # fmt: skip
SELFPLAY_PRESETS = {"default": SelfPlayConfig(), "published": SELFPLAY_PUBLISHED}


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


TD0_PUBLISHED = TD0Config(
    epsilon=0.1, opening=0, symmetric=False, self_play=False, notes=True, games=50, batches=40
)
TD0_PRESETS = {"default": TD0Config(), "published": TD0_PUBLISHED}


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


QTABLE_PUBLISHED = QTableConfig(lr=0.4, fall=700, draw=1.0, self_play=False, games=1, batches=100)
QTABLE_PRESETS = {"default": QTableConfig(), "published": QTABLE_PUBLISHED}


@dataclass(frozen=True)
class GeneticConfig:
    """Settings of the genetic algorithm."""

    seed: int = 0  # seeds all random numbers
    population: int = 500  # players per generation
    crossover: float = 0.5  # probability that a gene comes from the first parent, not the second
    replicate: float = 0.1  # fraction of children that are copies of one parent
    mutation: float = 0.002  # probability that a gene is replaced by a random move
    power: float = 300.0  # selection is proportional to the fitness to this power
    elite: int = 1  # number of best players that survive unchanged
    stray: float = 0.1  # factor in a game's weight for each move that deviates from the genes


GENETIC_PUBLISHED = GeneticConfig(crossover=0.15, mutation=0.001, power=1.0, elite=0, stray=0.0)
GENETIC_PRESETS = {"default": GeneticConfig(), "published": GENETIC_PUBLISHED}


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


SUPERVISED_PUBLISHED = SupervisedConfig(
    0, "book", (81,), "book", None, 0, False, "sgd", 0.025, 50, 100
)
SUPERVISED_PRESETS = {"default": SupervisedConfig(), "published": SUPERVISED_PUBLISHED}


@dataclass(frozen=True)
class LMSConfig:
    """Settings of LMS."""

    seed: int = 0  # seeds all random numbers; the published form uses none
    features: Literal["rich", "seven"] = "rich"  # the set of features
    eta: float = 1.0  # learning rate; for "rich" divided by the features' squared norm
    epsilon: float = 0.5  # rich: probability of a random move
    games: int = 16  # games per step; for "rich" played in parallel
    starter: Literal["alternate", "x"] = "alternate"  # seven: the side that moves first
    last: Literal["before", "final"] = "before"  # seven: features of the last update


LMS_PUBLISHED = LMSConfig(features="seven", eta=0.001, games=100)
LMS_PRESETS = {
    "default": LMSConfig(),
    "published": LMS_PUBLISHED,
    "published_final_board": replace(LMS_PUBLISHED, last="final"),
    "published_x_first": replace(LMS_PUBLISHED, starter="x"),
}


@dataclass(frozen=True)
class DQNConfig:
    """Settings of deep Q-learning."""

    seed: int = 0  # seeds the initial weights and all random numbers
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers
    plain: bool = False  # inputs 1, -1, 0, sigmoid outputs; False: one-hot planes, linear
    opponent: Spec | None = None  # the player to learn against, as a spec; None: self-play
    draw: float = 0.0  # reward for a draw; 1 for a win, -1 for a loss; in self-play 0
    games: int = 64  # games played in parallel, one move in each per step
    epsilon: float = 0.3  # probability of a random move
    capacity: int = 20_000  # moves in the replay buffer
    symmetric: bool = True  # rotate and reflect replayed moves at random
    batch: int = 256  # replayed moves in the gradient step of each step
    lr: float = 3e-3  # learning rate of Adam
    sync: int = 50  # steps between copies of the network to the target network

    def __post_init__(self) -> None:
        if min(self.games, self.batch, self.sync) < 1 or self.capacity < self.games:
            raise ValueError(
                "dqn: games, batch and sync must be at least 1, and capacity at least games"
            )
        if not 0 <= self.epsilon <= 1 or (self.draw and self.opponent is None):
            raise ValueError("dqn: epsilon must be from 0 to 1, and in self-play a draw must pay 0")


DQN_PUBLISHED = DQNConfig(
    hidden=(36, 36), plain=True, opponent=Spec("random"), draw=1.0, epsilon=0.7, symmetric=False
)
DQN_PRESETS = {"default": DQNConfig(), "published": DQN_PUBLISHED}


@dataclass(frozen=True)
class ReinforceConfig:
    """Settings of REINFORCE."""

    seed: int = 0  # seeds the initial weights and all random numbers
    hidden: tuple[int, ...] = (256,)  # widths of the hidden layers of both networks
    games: int = 256  # games per step, played in parallel to the end
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    bound: float = 2.0  # outputs stay between -bound and bound
    entropy: float = 0.03  # weight of the entropy bonus; a win pays 1
    lr: float = 2e-3  # learning rate of Adam

    def __post_init__(self) -> None:
        if self.games < 1 or self.opening < 0 or not self.bound > 0:
            raise ValueError(
                "reinforce: games must be at least 1, opening at least 0, and bound above 0"
            )


REINFORCE_PRESETS = {"default": ReinforceConfig()}


@dataclass(frozen=True)
class TransformerConfig:
    """Settings of the transformer."""

    seed: int = 0  # seeds the initial weights and all random numbers
    layers: int = 2  # blocks of attention and an MLP
    width: int = 64  # width of the residual stream
    heads: int = 4  # attention heads per block
    learns: Literal["regret", "imitation"] = "regret"  # policy gradient, or the next perfect move
    games: int = 128  # games played per step
    orders: int = 3  # orders in which each game is learned: as played, sorted, then random
    random: float = 0.7  # fraction of seats that play at random; the network plays the others
    entropy: float = 0.2  # weight of the entropy bonus; turning a win into a loss costs 1
    lr: float = 5e-3  # initial learning rate of AdamW
    half_life: int = 250  # steps in which the learning rate halves
    weight_decay: float = 1e-2  # weight decay of AdamW
    average: float = 0.98  # decay of the moving average of the weights, which plays

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "games", "orders", "half_life"):
            if not 1 <= (count := getattr(self, name)) <= MOST_TRANSFORMER:
                raise ValueError(
                    f"transformer: {name} must be from 1 to {MOST_TRANSFORMER:,}, not {count}"
                )
        for name in ("random", "average"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"transformer: {name} must be from 0 to 1, not {getattr(self, name)}"
                )
        if self.width % self.heads:
            raise ValueError(
                f"transformer: width {self.width} is not a multiple of {self.heads} heads"
            )
        if self.lr <= 0 or self.entropy < 0 or self.weight_decay < 0:
            raise ValueError("transformer: lr must be above 0, entropy and weight_decay at least 0")


TRANSFORMER_PRESETS = {
    "default": TransformerConfig(),
    "imitation": TransformerConfig(learns="imitation"),
}


@dataclass(frozen=True)
class Shape:
    """Size of a network."""

    channels: int = 32
    blocks: int = 3

    def __post_init__(self) -> None:
        if not (1 <= self.channels <= 1024 and 0 <= self.blocks <= 100):
            raise ValueError(
                "a residual network must have 1 to 1,024 channels and 0 to 100 blocks,"
                f" not {self.channels} and {self.blocks}"
            )


@dataclass(frozen=True)
class AlphaZeroConfig:
    """Settings of AlphaZero."""

    seed: int = 0  # seeds the initial weights and all random numbers
    channels: int = 32  # channels of the network
    blocks: int = 2  # residual blocks of two convolutions each
    games: int = 128  # games played in parallel, one move in each per step
    simulations: int = 16  # simulations of a full search
    quick_simulations: int = 4  # simulations of a quick search, from which no policy is learned
    full_share: float = 0.5  # fraction of searches that are full
    progressive: int = 100  # steps in which full searches grow from quick_simulations on
    considered: int = 8  # root moves with which a search begins
    opening: int = 4  # games begin with 0 to this many random stones
    reached: int = 40_000  # stored positions that examinations reach
    reached_share: float = 0.7  # fraction of games that start from a stored position
    doubtful: int = 400  # least sure stored positions, per seat, whose moves are proved
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
        for name in ALPHAZERO_COUNTS:
            if not 1 <= getattr(self, name) <= MOST_ALPHAZERO:
                raise ValueError(
                    f"alphazero: {name} must be from 1 to {MOST_ALPHAZERO:,},"
                    f" not {getattr(self, name)}"
                )
        for name in ("full_share", "deviation", "average", "share", "reached_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"alphazero: {name} must be from 0 to 1, not {getattr(self, name)}"
                )
        if not 0 <= self.opening <= MOST_ALPHAZERO:
            raise ValueError(
                f"alphazero: opening must be 0 to {MOST_ALPHAZERO:,}, not {self.opening}"
            )
        Shape(self.channels, self.blocks)


ALPHAZERO_PRESETS = {
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


@dataclass(frozen=True)
class PatternsConfig:
    """Settings of patterns."""

    seed: int = 0  # seeds the initial weights and all random numbers
    channels: int = 16  # length of a line pattern's vector
    hidden: int = 32  # width of both hidden layers
    nodes: int = 1000  # positions searched for a label
    play_nodes: int = 100  # positions searched for a move of the games
    games: int = 4  # per step; some positions of each are labelled, up to 8
    opening: int = 4  # games begin with 0 to this many stones close to each other
    deviation: float = 0.2  # fraction of the moves that are only likely, not found by a search
    smaller: float = 0.0  # fraction of the games on smaller boards, with at least 2 k - 1 rows
    capacity: int = 20_000  # labelled positions that are kept
    updates: int = 8  # gradient steps per step
    batch: int = 256  # positions per gradient step
    lr: float = 1e-2  # highest learning rate of AdamW
    anneal: int = 2000  # gradient steps in which the learning rate falls to 1/50
    weight_decay: float = 1e-4  # weight decay of AdamW
    bootstrap: int = 0  # steps after which the network itself is used for labels; 0: never
    renew: int = 500  # steps between its copies that are used

    def __post_init__(self) -> None:
        for name, most in PATTERNS_COUNTS.items():
            if not 1 <= getattr(self, name) <= most:
                raise ValueError(
                    f"patterns: {name} must be from 1 to {most:,}, not {getattr(self, name)}"
                )
        for name in ("opening", "bootstrap"):
            if not 0 <= getattr(self, name) <= MOST_PATTERNS:
                raise ValueError(
                    f"patterns: {name} must be from 0 to {MOST_PATTERNS:,},"
                    f" not {getattr(self, name)}"
                )
        if not (0 <= self.deviation <= 1 and 0 <= self.smaller <= 1):
            raise ValueError("patterns: deviation and smaller must be from 0 to 1")
        if not (self.lr > 0 and self.weight_decay >= 0):
            raise ValueError("patterns: lr must be above 0, weight_decay at least 0")


PATTERNS_PRESETS = {
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


@dataclass(frozen=True)
class MaskablePPOConfig:
    """Settings of MaskablePPO."""

    seed: int = 0  # seeds all random numbers
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers, for both policy and value
    pool: tuple[Spec, ...] = POOL  # opponents of successive rollouts; "self" is a frozen snapshot
    snapshot: int = 10  # rollouts between snapshots
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    draw: float = 0.7  # reward for a draw; 1 for a win, -1 for a loss
    games: int = 128  # games played in parallel
    turns: int = 16  # moves per game in a rollout
    batch: int = 512  # moves per gradient step
    epochs: int = 4  # passes over a rollout
    lr: float = 1e-3  # learning rate
    entropy: float = 0.02  # weight of the entropy bonus

    def __post_init__(self) -> None:
        counts = self.games, self.turns, self.batch, self.epochs, self.snapshot, len(self.pool)
        if min(counts) < 1 or self.opening < 0:
            raise ValueError(
                "maskable_ppo: games, turns, batch, epochs, snapshot and the opponents in its pool"
                " must be at least 1, opening at least 0"
            )


MASKABLE_PPO_PUBLISHED = MaskablePPOConfig(
    pool=(Spec("random"),), opening=0, draw=0.0, games=8, turns=256, batch=256, epochs=10, lr=3e-4
)
MASKABLE_PPO_PRESETS = {"default": MaskablePPOConfig(), "published": MASKABLE_PPO_PUBLISHED}
