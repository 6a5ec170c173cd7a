"""Settings of all learners and their presets; importing them does not load PyTorch.

This makes `tttenv train LEARNER --help` and errors in options immediate.
"""

from dataclasses import dataclass, replace
from typing import Literal

from tttenv.utils.registry import Spec

MOST_TRANSFORMER = 2**16  # of any count among the transformer's settings
MOST_ALPHAZERO = 2**24  # of any count among those of AlphaZero
ALPHAZERO_COUNTS = (  # its settings that are at least 1
    *("games", "simulations", "quick_simulations", "progressive", "considered", "capacity"),
    *("updates", "batch", "half_life", "examine", "width", "widest", "failures", "reached"),
    "doubtful",
)
POOL = tuple(map(Spec, ("minimax", "self", "random", "epsilon")))


@dataclass(frozen=True)
class SelfPlayConfig:
    """Settings of self-play."""

    seed: int = 0  # of the first weights and of the sampled boards
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers of both nets
    symmetric: bool = True  # train on one board of each symmetry class
    boards: Literal["uniform", "stones"] = "uniform"  # from all positions, or by random play
    batch: int = 128  # boards in an update: of each seat if uniform, else of both
    fits: int = 4  # updates in a round
    optimiser: Literal["adam", "adagrad"] = "adam"  # of the updates
    lr: float = 4e-3  # learning rate at the start
    halving: int | None = 100  # lr decay: after so many rounds 1/2, after twice 1/3; None: none
    targets: Literal["repaired", "published"] = "repaired"  # how results become targets
    draw: float = 0.5  # repaired: the target of a draw, a win being 1 and a loss 0
    chance: float = 0.25  # repaired: weight of the chance to win against random play
    legal_constant: float | None = None  # with a number: outputs are ReLUs plus it on legal cells


SELFPLAY_PUBLISHED = SelfPlayConfig(
    symmetric=False, boards="stones", batch=64, fits=1, optimiser="adagrad", lr=0.01, halving=None,
    targets="published", legal_constant=1e-4,
)  # fmt: skip
SELFPLAY_PRESETS = {"default": SelfPlayConfig(), "published": SELFPLAY_PUBLISHED}


@dataclass(frozen=True)
class TD0Config:
    """Settings of TD(0)."""

    seed: int = 0  # of all random numbers
    alpha: float = 0.5  # learning rate: the share of the way from a value to its target
    epsilon: float = 0.3  # probability of a random move
    default: float = 0.5  # initial value of undecided positions; a win is 1, a loss 0
    opening: int = 6  # exploring starts: a game begins with 0 to this many random stones
    symmetric: bool = True  # one value for all images of a board
    self_play: bool = True  # the table moves for both sides; False: against random replies
    notes: bool = False  # as the code of the published form: help("learners.td0.TD0")
    games: int = 512  # played side by side
    batches: int = 1  # batches of games for each step


TD0_PUBLISHED = TD0Config(
    epsilon=0.1, opening=0, symmetric=False, self_play=False, notes=True, games=50, batches=40
)
TD0_PRESETS = {"default": TD0Config(), "published": TD0_PUBLISHED}


@dataclass(frozen=True)
class QTableConfig:
    """Settings of Q-learning."""

    seed: int = 0  # of all random numbers
    lr: float = 0.8  # learning rate: the share of the way from a value to its target
    gamma: float = 1.0  # discount for each of the player's moves
    epsilon: float = 0.7  # probability of a random move, at the start
    fall: int | None = None  # epsilon falls by .1 after each so many games; None: never
    draw: float = 0.5  # the result of a draw, a win being 1 and a loss 0
    symmetric: bool = True  # one value for all images of a board
    self_play: bool = True  # the table moves for both sides; False: against random replies
    turns: int = 7000  # against random: games as X, then as many as O with epsilon from the start
    games: int = 512  # played side by side
    batches: int = 1  # batches of games for each step


QTABLE_PUBLISHED = QTableConfig(lr=0.4, fall=700, draw=1.0, self_play=False, games=1, batches=100)
QTABLE_PRESETS = {"default": QTableConfig(), "published": QTABLE_PUBLISHED}


@dataclass(frozen=True)
class GeneticConfig:
    """Settings of the genetic algorithm."""

    seed: int = 0  # of all random numbers
    population: int = 500  # players in a generation
    crossover: float = 0.5  # probability that a gene comes from the first parent, not the second
    replicate: float = 0.1  # share of children that are copies of one parent
    mutation: float = 0.002  # probability that a gene is replaced by a random move
    power: float = 300.0  # selection is proportional to the fitness to this power
    elite: int = 1  # how many of the best survive unchanged
    stray: float = 0.1  # factor of a game's weight for each own move that is not the gene's


GENETIC_PUBLISHED = GeneticConfig(crossover=0.15, mutation=0.001, power=1.0, elite=0, stray=0.0)
GENETIC_PRESETS = {"default": GeneticConfig(), "published": GENETIC_PUBLISHED}


@dataclass(frozen=True)
class SupervisedConfig:
    """Settings of supervised learning."""

    seed: int = 0  # of the first weights and all random numbers
    net: Literal["onehot", "book"] = "onehot"  # one-hot planes and ReLUs; or as published
    hidden: tuple[int, ...] = (256,)  # widths of the hidden layers; the published net has one
    data: Literal["solver", "book"] = "solver"  # all images of all rows, or as published
    moves_csv: str | None = None  # a file of boards and best replies to learn from instead
    holdout: float = 0.0  # share of the rows, and so of the classes, that is not learned from
    masked: bool = True  # illegal moves take no part in the loss
    optimiser: Literal["adam", "sgd"] = "adam"  # of the gradient steps
    lr: float = 5e-3  # learning rate
    batch: int = 512  # boards in a gradient step
    fits: int = 10  # gradient steps for each step


SUPERVISED_PUBLISHED = SupervisedConfig(
    0, "book", (81,), "book", None, 0, False, "sgd", 0.025, 50, 100
)
SUPERVISED_PRESETS = {"default": SupervisedConfig(), "published": SUPERVISED_PUBLISHED}


@dataclass(frozen=True)
class LMSConfig:
    """Settings of LMS."""

    seed: int = 0  # of all random numbers; the published form uses none
    features: Literal["rich", "seven"] = "rich"  # the set of features
    eta: float = 1.0  # learning rate; for "rich" divided by the features' squared norm
    epsilon: float = 0.5  # rich: probability of a random move
    games: int = 16  # games for each step; for "rich" played side by side
    starter: Literal["alternate", "x"] = "alternate"  # seven: who begins the games
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

    seed: int = 0  # of the first weights and all random numbers
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers
    plain: bool = False  # 1, -1, 0 go in and sigmoids come out; False: one-hot planes, linear
    opponent: Spec | None = None  # the player to learn against, as a spec; None: self-play
    draw: float = 0.0  # what a draw pays, a win paying 1 and a loss -1; in self-play 0
    games: int = 64  # played side by side, one move in each for a step
    epsilon: float = 0.3  # probability of a random move
    capacity: int = 20_000  # moves in the replay buffer
    symmetric: bool = True  # turn and mirror replayed moves at random
    batch: int = 256  # replayed moves in the gradient step, one for each step
    lr: float = 3e-3  # learning rate of Adam
    sync: int = 50  # steps between copies of the network to the target network

    def __post_init__(self) -> None:
        if min(self.games, self.batch, self.sync) < 1 or self.capacity < self.games:
            raise ValueError("dqn: games, batch and sync are at least 1, capacity >= games")
        if not 0 <= self.epsilon <= 1 or (self.draw and self.opponent is None):
            raise ValueError("dqn: epsilon is a share of 1, and in self-play a draw pays 0")


DQN_PUBLISHED = DQNConfig(
    hidden=(36, 36), plain=True, opponent=Spec("random"), draw=1.0, epsilon=0.7, symmetric=False
)
DQN_PRESETS = {"default": DQNConfig(), "published": DQN_PUBLISHED}


@dataclass(frozen=True)
class ReinforceConfig:
    """Settings of REINFORCE."""

    seed: int = 0  # of the first weights and all random numbers
    hidden: tuple[int, ...] = (256,)  # widths of the hidden layers of both networks
    games: int = 256  # games for each step, played side by side to their ends
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    bound: float = 2.0  # outputs stay between -bound and bound
    entropy: float = 0.03  # bonus for a unit of entropy, a win paying 1
    lr: float = 2e-3  # learning rate, of Adam

    def __post_init__(self) -> None:
        if self.games < 1 or self.opening < 0 or not self.bound > 0:
            raise ValueError("reinforce: games are at least 1, opening 0, and bound is above 0")


REINFORCE_PRESETS = {"default": ReinforceConfig()}


@dataclass(frozen=True)
class TransformerConfig:
    """Settings of the transformer."""

    seed: int = 0  # of the first weights and all random numbers
    layers: int = 2  # blocks of attention and a perceptron
    width: int = 64  # of the residual stream
    heads: int = 4  # of the attention
    learns: Literal["regret", "imitation"] = "regret"  # policy gradient, or the next perfect move
    games: int = 128  # played for each step
    orders: int = 3  # in which each game is learned: as played, sorted, then at random
    random: float = 0.7  # share of the seats that play at random; the network plays the others
    entropy: float = 0.2  # bonus for a unit of entropy, a loss in place of a win costing 1
    lr: float = 5e-3  # learning rate at first, of AdamW
    half_life: int = 250  # steps in which the learning rate halves
    weight_decay: float = 1e-2  # of AdamW
    average: float = 0.98  # of the weights: what the moving average that plays keeps of itself

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "games", "orders", "half_life"):
            if not 1 <= (count := getattr(self, name)) <= MOST_TRANSFORMER:
                raise ValueError(
                    f"transformer: {name} is from 1 to {MOST_TRANSFORMER:,}, not {count}"
                )
        for name in ("random", "average"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"transformer: {name} is a share of 1, not {getattr(self, name)}")
        if self.width % self.heads:
            raise ValueError(
                f"transformer: width {self.width} is no multiple of {self.heads} heads"
            )
        if self.lr <= 0 or self.entropy < 0 or self.weight_decay < 0:
            raise ValueError("transformer: lr is above 0, entropy and weight_decay not below")


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
                "a residual network has 1 to 1,024 channels and 0 to 100 blocks,"
                f" not {self.channels} and {self.blocks}"
            )


@dataclass(frozen=True)
class AlphaZeroConfig:
    """Settings of AlphaZero."""

    seed: int = 0  # of the first weights and all random numbers
    channels: int = 32  # of the network
    blocks: int = 2  # residual blocks of two convolutions each
    games: int = 128  # played side by side, one move in each for a step
    simulations: int = 16  # of a full search
    quick_simulations: int = 4  # of a quick one, from which no policy is learned
    full_share: float = 0.5  # of the searches that are full
    progressive: int = 100  # steps in which full searches grow from quick_simulations on
    considered: int = 8  # moves with which the search of a root begins
    opening: int = 4  # games begin with 0 to this many random stones
    reached: int = 40_000  # positions kept of those that examinations reach
    reached_share: float = 0.7  # of the games that begin in a kept position
    doubtful: int = 400  # kept positions whose moves are proved, in each seat: the least sure
    deviation: float = 0.1  # share of the moves after the opening that are random
    capacity: int = 40_000  # examples in the replay buffer
    updates: int = 2  # gradient steps for each step
    batch: int = 256  # examples in a gradient step
    lr: float = 2e-3  # learning rate at first, of AdamW
    half_life: int = 400  # steps in which the learning rate halves, down to a twentieth
    weight_decay: float = 1e-4  # of AdamW
    sharpness: float = 1.5  # power of the policies learned, so that one of equal moves is preferred
    average: float = 0.998  # of the weights: what the moving average that plays keeps of itself
    counterexamples: bool = True  # learn from examinations
    examine: int = 50  # steps between examinations, more when they are wide
    width: int = 1_000  # positions of a round that an examination looks at, at first
    widest: int = 64_000  # the most of them: the width doubles while few mistakes are found
    failures: int = 64  # lost lines that are looked into, in each seat, if other mistakes led there
    share: float = 0.25  # of a batch that are counterexamples

    def __post_init__(self) -> None:
        for name in ALPHAZERO_COUNTS:
            if not 1 <= getattr(self, name) <= MOST_ALPHAZERO:
                raise ValueError(
                    f"alphazero: {name} is from 1 to {MOST_ALPHAZERO:,}, not {getattr(self, name)}"
                )
        for name in ("full_share", "deviation", "average", "share", "reached_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"alphazero: {name} is a share of 1, not {getattr(self, name)}")
        if not 0 <= self.opening <= MOST_ALPHAZERO:
            raise ValueError(f"alphazero: opening is 0 to {MOST_ALPHAZERO:,}, not {self.opening}")
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
class MaskablePPOConfig:
    """Settings of MaskablePPO."""

    seed: int = 0  # of all random numbers
    hidden: tuple[int, ...] = (256, 256)  # widths of the hidden layers, for policy and value each
    pool: tuple[Spec, ...] = POOL  # opponents, in turns for a rollout; "self" is a frozen snapshot
    snapshot: int = 10  # rollouts between two snapshots
    opening: int = 8  # exploring starts: a game begins with 0 to this many random stones
    draw: float = 0.7  # what a draw pays, a win paying 1 and a loss -1
    games: int = 128  # played side by side
    turns: int = 16  # moves of every game in a rollout
    batch: int = 512  # moves in a gradient step
    epochs: int = 4  # passes over a rollout
    lr: float = 1e-3  # learning rate
    entropy: float = 0.02  # bonus for the policy's entropy

    def __post_init__(self) -> None:
        counts = self.games, self.turns, self.batch, self.epochs, self.snapshot, len(self.pool)
        if min(counts) < 1 or self.opening < 0:
            raise ValueError(
                "maskable_ppo: games, turns, batch, epochs, snapshot and the opponents in its pool"
                " are at least 1, opening at least 0"
            )


MASKABLE_PPO_PUBLISHED = MaskablePPOConfig(
    pool=(Spec("random"),), opening=0, draw=0.0, games=8, turns=256, batch=256, epochs=10, lr=3e-4
)
MASKABLE_PPO_PRESETS = {"default": MaskablePPOConfig(), "published": MASKABLE_PPO_PUBLISHED}
