"""Distillation of alpha-beta searches into a small network of line patterns.

The network values a position by what the cells around each cell hold in the four directions; see
`tttenv.game.line_patterns_kernel`, which computes the values of the trained network from integer
tables. It works on every board with the same k. Here the vector of a pattern is the output of a
multilayer perceptron, the same for both directions along a line, plus a vector of its own, so that
much is learned about patterns that were hardly seen (a codebook distilled from a network: Jin,
"Rapfi: Distilling Efficient Neural Network for the Game of Gomoku", arXiv 2503.13178).

Positions and their values come from searches, see `learners.search_labels`; later ones from
searches in which the network itself values the positions. Some of the games can be played on
smaller boards, so that the network learns what the size of a board and its borders mean.

The player searches one move ahead with the network.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from learners.base import LearnerTraits
from learners.buffers import RingBuffer
from learners.nets import descend, weights_of
from learners.parts import PartsLearner
from learners.search_labels import MEMORY, SearchLabels
from learners.settings.patterns import PRESETS, PatternsConfig
from tttenv.game.line_patterns_kernel import (
    BIASES,
    CLIP,
    INPUT,
    UNIT,
    WEIGHT,
    PatternTables,
    count_vectors,
    pattern_cells,
    pattern_numbers,
    pattern_windows,
    swapped,
    vector_rows,
)
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players.search.alphabeta import new_alphabeta
from tttenv.players.search.search_budget import Limits
from tttenv.players.stored.patterns import PREFIX, shapes
from tttenv.policy import Player

WIDTH = 64  # of the perceptron that maps patterns to vectors
LEAK = 0.03  # slope of the gradient beyond the clipping, so that no channel stays unused
WARM_UP, LAST_RATE = 0.05, 0.02  # share of the gradient steps; share of the learning rate
PLAYER_NODES = 200  # maximum positions per move of its player, which looks one move ahead
MOST_VECTOR, MOST_WEIGHT = 8000, 32000  # limits of the integers in the tables


class Labelled(NamedTuple):
    """Positions with the values that searches found."""

    boards: Boards  # (rows, cells), seen by the side to move; a smaller one fills the first cells
    less: NDArray[np.int8]  # (rows,): by how many rows and columns a board is smaller
    targets: NDArray[np.float32]  # (rows,): the probability that it wins; 0.5 is a draw


def smaller_boards(rules: Rules) -> tuple[Rules, ...]:
    """Return the game, then boards with one row and column fewer each, down to 2 k - 1 of them."""
    fewest = max(0, min(rules.m, rules.n) - (2 * rules.k - 1))
    return tuple(Rules(rules.m - less, rules.n - less, rules.k) for less in range(fewest + 1))


class PatternNet(nn.Module):
    """The network that is trained: values of positions by their line patterns.

    Args:
        k: how many stones in a row win.
        channels: the length of a pattern's vector.
        hidden: the width of both hidden layers.
    """

    features: Tensor  # (patterns, 3 * (2 k - 1)): each cell of a pattern one-hot
    mirrored: Tensor  # (patterns,): the number of the pattern read in the other direction
    rows: Tensor  # (patterns,): the row of its own vector
    other: Tensor  # (patterns,): the number of the pattern with the sides exchanged

    def __init__(self, k: int, channels: int, hidden: int) -> None:
        super().__init__()
        cells = pattern_cells(k)
        held = np.concatenate([cells == kind for kind in (1, 2, 3)], axis=1).astype(np.float32)
        self.register_buffer("features", torch.as_tensor(held), persistent=False)
        for name, seen in (("mirrored", cells[:, ::-1]), ("other", swapped(cells))):
            self.register_buffer(name, torch.as_tensor(pattern_numbers(seen)), persistent=False)
        self.register_buffer("rows", torch.as_tensor(vector_rows(k)), persistent=False)
        self.line = nn.Sequential(
            *(nn.Linear(held.shape[1], WIDTH), nn.ReLU()),
            *(nn.Linear(WIDTH, WIDTH), nn.ReLU()),
            nn.Linear(WIDTH, channels),
        )
        self.own = nn.Parameter(torch.zeros(count_vectors(k), channels))
        self.head = nn.Sequential(
            *(nn.Linear(2 * channels, hidden), nn.ReLU()),
            *(nn.Linear(hidden, hidden), nn.ReLU()),
            nn.Linear(hidden, 1),
        )

    def vectors(self, patterns: Tensor) -> Tensor:
        """Return the vectors (patterns, channels) of patterns given by number (patterns,)."""
        mirrored = self.mirrored[patterns]
        both = self.line(self.features[patterns]) + self.line(self.features[mirrored])
        found: Tensor = both + self.own[self.rows[patterns]]
        return found

    def forward(self, patterns: Sequence[Tensor]) -> Tensor:
        """Return logits (boards,) of winning for the side to move.

        Args:
            patterns: the numbers of the patterns around each cell, (boards, cells, 4) for the
                boards of each size.
        """
        around = torch.cat([part.reshape(-1, 4) for part in patterns])
        held = torch.zeros(len(self.rows), dtype=torch.bool, device=around.device)
        held[around] = True  # quicker than sorting them
        (seen,), places = torch.where(held), (held.cumsum(0) - 1)[around]
        table = torch.cat([self.vectors(seen), self.vectors(self.other[seen])], dim=1)
        sums = functional.embedding_bag(places, table, mode="sum")
        clipped = sums.clamp(0, CLIP / UNIT)
        beyond = LEAK * (sums - clipped)
        cells = torch.split(
            clipped + beyond - beyond.detach(), [part.shape[:2].numel() for part in patterns]
        )
        pooled = torch.cat(
            [
                part.reshape(*numbers.shape[:2], -1).sum(dim=1)
                for part, numbers in zip(cells, patterns, strict=True)
            ]
        )
        logits: Tensor = self.head(pooled * (UNIT / INPUT))
        return logits.squeeze(1)


class TableNet(nn.Module):
    """The integers of a `PatternTables` as a module's buffers, to be saved as weights."""

    def __init__(self, k: int, channels: int, hidden: int) -> None:
        super().__init__()
        for name, shape in shapes(k, channels, hidden).items():
            kind = torch.int32 if name.endswith("bias") else torch.int16
            self.register_buffer(name, torch.zeros(shape, dtype=kind))

    def tables(self) -> PatternTables:
        """Return copies of the integers."""
        return PatternTables(
            **{name: part.cpu().numpy().copy() for name, part in self.named_buffers()}
        )

    def round_from(self, net: PatternNet) -> None:
        """Copy a trained network, rounded to integers.

        Raises:
            ValueError: for weights that are not finite numbers.
        """
        if not all(weight.isfinite().all() for weight in net.parameters()):
            raise ValueError("the network's weights are not finite numbers: set a lower lr")
        with torch.no_grad():
            every = torch.arange(len(net.rows), device=net.rows.device)
            every = every[every <= net.mirrored]  # one pattern of each row, in order
            vectors = torch.cat([net.vectors(part) for part in torch.split(every, 2**12)])
            layers = [layer for layer in net.head if isinstance(layer, nn.Linear)]
            rounded = {"vectors": (vectors * UNIT).round().clamp(-MOST_VECTOR, MOST_VECTOR)}
            for name, layer, unit in zip(("first", "second", "last"), layers, BIASES, strict=True):
                weight = (layer.weight.T * WEIGHT).round()
                rounded[name] = weight.clamp(-MOST_WEIGHT, MOST_WEIGHT)
                most = 2**31 - 1
                bias = (layer.bias.double() * unit).round()
                rounded[f"{name}_bias"] = bias.clamp(-most, most)
            for name, buffer in self.named_buffers():
                buffer.copy_(rounded[name])


class PatternIndex:
    """Numbers of the patterns on boards of one size."""

    def __init__(self, rules: Rules) -> None:
        windows = pattern_windows(rules)
        on, size = windows >= 0, windows.shape[2]
        held = np.where(on, 0, 3).astype(np.int8).reshape(-1, size)
        left = (~on[:, :, : rules.k - 1]).sum(axis=2)
        places = np.clip(np.arange(size) - left[..., None], 0, None)
        self.windows = torch.as_tensor(windows.clip(0))
        self.powers = torch.as_tensor(np.where(on, 3**places, 0).astype(np.int32))
        self.empty = torch.as_tensor(pattern_numbers(held).reshape(rules.cells, 4))

    def __call__(self, boards: Boards) -> Tensor:
        """Return the numbers (batch, cells, 4) on boards (batch, cells)."""
        digits = torch.as_tensor(
            np.where(boards == -1, 2, boards).astype(np.int32), device=self.windows.device
        )
        return self.empty + (digits[:, self.windows] * self.powers).sum(dim=3)


class Patterns(PartsLearner[PatternsConfig]):
    """Learner of a network of line patterns from alpha-beta searches, for k up to 6."""

    Config = PatternsConfig
    presets = PRESETS
    traits = LearnerTraits(any_board=True, same_k=True, divides=True)

    def __init__(self, config: PatternsConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.steps, self.updates = 0, 0
        self.table_net = _table_net(config, rules)
        self.rounded_at = -1  # the gradient steps taken before the tables were last rounded
        self.label_net = _table_net(config, rules)  # the network that is used for labels
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(self.rng.integers(2**63)))
            with torch.device("cpu"):
                net = PatternNet(rules.k, config.channels, config.hidden)
        self.net = net.to(torch.get_default_device())
        self.boards = smaller_boards(rules)
        self.indices = [PatternIndex(each) for each in self.boards]
        self.labels = SearchLabels(config, self.boards)
        shared = [self.net.own]
        others = [weight for weight in self.net.parameters() if weight is not self.net.own]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": others, "weight_decay": config.weight_decay},
                {"params": shared, "weight_decay": 100 * config.weight_decay},
            ],
            config.lr,
        )
        kept = Labelled(
            boards=np.zeros((config.capacity, rules.cells), np.int8),
            less=np.zeros(config.capacity, np.int8),
            targets=np.zeros(config.capacity, np.float32),
        )
        self.buffer = RingBuffer(kept, config.capacity)

    def step(self) -> dict[str, float]:
        """Label new positions, and take gradient steps on batches of the stored ones.

        Both run at the same time if torch has several threads; the results are the same.
        """
        config = self.config
        since = self.steps - config.bootstrap
        if config.bootstrap and since >= 0 and since % config.renew == 0:
            self.label_net.round_from(self.net)
            self.labels.use(self.label_net.tables())
        if not len(self.buffer):
            self._label(())
        losses = list[float]()

        def learn() -> Iterator[None]:
            if len(self.buffer):  # on tiny boards, no position may be worth a label
                for _ in range(config.updates):
                    with self.timed("learning"):
                        losses.append(self._learn())
                    yield  # here it may be stopped

        self._label(learn())
        self.steps += 1
        return {"loss": float(np.mean(losses or [0.0])), "positions": float(len(self.buffer))}

    @classmethod
    def empty_weights(cls, config: PatternsConfig, rules: Rules) -> dict[str, Tensor]:
        """Return the tables, on the meta device."""
        with torch.device("meta"):
            return weights_of({"tables": _table_net(config, rules)})

    @classmethod
    def player(cls, config: PatternsConfig, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return a player that searches one move ahead with the given tables."""
        found = {name.removeprefix(PREFIX): part.cpu().numpy() for name, part in weights.items()}
        limits = Limits(1, PLAYER_NODES, None)
        return new_alphabeta(rules, limits, MEMORY, None, "first", None, PatternTables(**found))

    def parts(self) -> dict[str, Any]:
        """Return the tables, the network in training, its optimiser and the positions."""
        return {
            "weights": {"tables": self._rounded()},
            "learning": {"net": self.net, "labels": self.label_net},
            "optimiser": self.optimiser,
            "buffer": self.buffer,
            "steps": self.steps,
            "updates": self.updates,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state, and the search for labels that belongs to it."""
        super().load_state_dict(state)
        bootstrapped = self.config.bootstrap and self.steps > self.config.bootstrap
        self.labels.use(self.label_net.tables() if bootstrapped else None)

    def _rounded(self) -> TableNet:
        """Return the tables, rounded from the network if it has learned since."""
        if self.rounded_at != self.updates:
            self.table_net.round_from(self.net)
            self.rounded_at = self.updates
        return self.table_net

    def _learn(self) -> float:
        """Take a gradient step on a batch, and return the loss."""
        config = self.config
        rows = self.rng.integers(0, len(self.buffer), config.batch)
        boards, less, targets = (part[rows] for part in self.buffer.kept)
        done = min(1.0, self.updates / config.anneal)
        rate = min(1.0, (self.updates + 1) / (WARM_UP * config.anneal), 1.0 - done)
        for group in self.optimiser.param_groups:
            group["lr"] = config.lr * max(rate, LAST_RATE)
        sizes = [np.flatnonzero(less == size) for size in np.unique(less)]
        order = np.concatenate(sizes)
        logits = self.net([self._patterns(boards[size], less[size[0]]) for size in sizes])
        wanted = torch.as_tensor(targets[order], device=logits.device)
        loss = functional.binary_cross_entropy_with_logits(logits, wanted)
        descend(self.optimiser, loss)
        self.updates += 1
        return loss.item()

    def _patterns(self, boards: Boards, less: int = 0) -> Tensor:
        """Return the numbers of patterns (batch, cells, 4) on boards with `less` fewer rows."""
        return self.indices[less](boards[:, : self.boards[less].cells])

    def _label(self, beside: Iterable[object]) -> None:
        """Add the positions of new games to the buffer, while `beside` is iterated over."""
        seeds = self.rng.integers(2**63, size=self.config.games).tolist()
        games = self.labels(seeds, beside, self.actors)
        less = np.repeat([game.size for game in games], [len(game.boards) for game in games])
        boards = np.zeros((len(less), self.rules.cells), np.int8)
        for row, board in enumerate(board for game in games for board in game.boards):
            boards[row, : board.size] = board
        targets = np.concatenate([game.targets for game in games])
        self.moves += len(less)
        self.buffer.add(Labelled(boards, less.astype(np.int8), targets))


def _table_net(config: PatternsConfig, rules: Rules) -> TableNet:
    return TableNet(rules.k, config.channels, config.hidden)
