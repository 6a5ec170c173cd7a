"""Distillation of alpha-beta searches into a small network of line patterns.

The network values a position by what the cells around each cell hold in the four directions; see
`tttenv.game.line_patterns_kernel`, which computes the values of the trained network from integer
tables. It works on every board with the same k. Here the vector of a pattern is the output of a
multilayer perceptron, the same for both directions along a line, plus a vector of its own, so that
much is learned about patterns that were hardly seen (a codebook distilled from a network: Jin,
"Rapfi: Distilling Efficient Neural Network for the Game of Gomoku", arXiv 2503.13178).

Positions come from games of quick searches and are labelled with the values of longer ones. They
are like those in which a search asks for a value: no side has a move that wins at once. Later
labels come from searches in which the network itself values the positions.

The player searches one move ahead with the network.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from learners.configs import PATTERNS_PRESETS, PatternsConfig
from learners.parts import SavesParts
from learners.ring_buffer import RingBuffer
from tttenv.game.line_patterns_kernel import (
    BIASES,
    CLIP,
    INPUT,
    UNIT,
    VALUE,
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
from tttenv.game.rules_kernel import winning_cells
from tttenv.game.types import Boards, Cells
from tttenv.players import alphabeta_kernel as kernel
from tttenv.players.alphabeta import HALF_WIN_SCORE, AlphaBeta, new_alphabeta
from tttenv.players.patterns import PREFIX, shapes
from tttenv.players.search_budget import Limits
from tttenv.players.threat_moves_kernel import can_make_double_threat
from tttenv.policy import Policy

WIDTH = 64  # of the perceptron that maps patterns to vectors
MEMORY = 16  # megabytes of the tables of its searches
LINE_LOGITS = 1.28  # of the probability to win, for an open line with k - 2 stones (on 15,15,5)
NEARLY = 1e-3  # keeps the scores of decided values finite
DECIDED = 0.9  # values of searches beyond this are wins and losses
PER_GAME = 8  # positions taken from a game
LONGEST = 60  # moves of a game after its opening
MORE = 3  # at most so many likely moves are made after a position of a game before it is labelled
LIKELY = 20  # moves considered likely, the first ones in the order of open lines
LESS_LIKELY = 0.8  # how much less likely the next one is
WARM_UP, LAST_RATE = 0.05, 0.02  # share of the gradient steps; share of the learning rate
PLAYER_NODES = 200  # positions that its player searches at the most, one move ahead
MOST_VECTOR, MOST_WEIGHT = 8000, 32000  # limits of the integers in the tables


class Labelled(NamedTuple):
    """Positions with the values that searches found."""

    boards: Boards  # (rows, cells), seen by the side to move
    targets: NDArray[np.float32]  # (rows,): the probability that it wins; 0.5 is a draw


class LabelledBuffer(RingBuffer):
    """The latest labelled positions."""

    def __init__(self, capacity: int, rules: Rules) -> None:
        boards = np.zeros((capacity, rules.cells), np.int8)
        super().__init__(Labelled(boards, np.zeros(capacity, np.float32)), capacity)

    def check(self, kept: Any) -> None:
        """Raise ValueError for stones other than -1, 0, 1 and targets outside [0, 1]."""
        boards, targets = kept
        if not (np.isin(boards, (-1, 0, 1)).all() and ((targets >= 0) & (targets <= 1)).all()):
            raise ValueError("its buffer holds boards or targets that are not possible")


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

    def forward(self, patterns: Tensor) -> Tensor:
        """Return logits (batch,) of winning for the side to move.

        Args:
            patterns: (batch, cells, 4): the numbers of the patterns around each cell.
        """
        seen, places = torch.unique(patterns, return_inverse=True)
        table = torch.cat([self.vectors(seen), self.vectors(self.other[seen])], dim=1)
        sums = functional.embedding_bag(places.reshape(-1, 4), table, mode="sum")
        clipped = sums.clamp(0, CLIP / UNIT).reshape(*patterns.shape[:2], -1)
        logits: Tensor = self.head(clipped.sum(dim=1) * (UNIT / INPUT))
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
        """Take over a trained network, rounded to integers."""
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


class Patterns(SavesParts):
    """Learner of a network of line patterns from alpha-beta searches, for k up to 6."""

    Config: ClassVar[type] = PatternsConfig
    presets: ClassVar[dict[str, Any]] = PATTERNS_PRESETS
    any_board: ClassVar[bool] = True  # weights learned on one board play on all others with its k

    def __init__(self, config: PatternsConfig, rules: Rules) -> None:
        self.config, self.rules, self.steps, self.updates = config, rules, 0, 0
        self.rng = np.random.default_rng(config.seed)
        self.table_net = _table_net(config, rules)
        self.rounded_at = -1  # gradient steps of the network that the tables were rounded from
        self.label_net = _table_net(config, rules)  # the network that is used for labels
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(self.rng.integers(2**63)))
            with torch.device("cpu"):
                net = PatternNet(rules.k, config.channels, config.hidden)
        self.net = net.to(torch.get_default_device())
        windows = pattern_windows(rules.m, rules.n, rules.k)
        on, size = windows >= 0, windows.shape[2]
        held = np.where(on, 0, 3).astype(np.int8).reshape(-1, size)
        left = (~on[:, :, : rules.k - 1]).sum(axis=2)
        places = np.clip(np.arange(size) - left[..., None], 0, None)
        self.windows = torch.as_tensor(windows.clip(0))
        self.powers = torch.as_tensor(np.where(on, 3**places, 0))
        self.empty = torch.as_tensor(pattern_numbers(held).reshape(rules.cells, 4))
        shared = [self.net.own]
        others = [weight for weight in self.net.parameters() if weight is not self.net.own]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": others, "weight_decay": config.weight_decay},
                {"params": shared, "weight_decay": 100 * config.weight_decay},
            ],
            config.lr,
        )
        self.buffer = LabelledBuffer(config.capacity, rules)
        self.quick = self._searcher(config.play_nodes)
        self.slow = self._searcher(config.nodes)

    def step(self) -> dict[str, float]:
        """Label new positions, and take gradient steps on batches of all stored ones."""
        config = self.config
        if config.bootstrap and self.steps >= config.bootstrap and self.steps % config.renew == 0:
            self.label_net.round_from(self.net)
            self.slow = self._searcher(config.nodes, self.label_net.tables())
        new = self._label(config.positions)
        self.buffer.add(new)
        losses = [self._learn() for _ in range(config.updates)]
        self.steps += 1
        return {"loss": float(np.mean(losses)), "positions": float(len(self.buffer))}

    def policy(self) -> Policy:
        """Return a player that searches one move ahead with the current network."""
        return _player(self.rules, self._rounded().tables())

    @classmethod
    def empty_weights(cls, config: PatternsConfig, rules: Rules) -> dict[str, Tensor]:
        """Return the tables, on the meta device."""
        with torch.device("meta"):
            return _named(_table_net(config, rules))

    @classmethod
    def player(cls, config: PatternsConfig, rules: Rules, weights: dict[str, Tensor]) -> Policy:
        """Return a player with the given tables."""
        found = {name.removeprefix(PREFIX): part.cpu().numpy() for name, part in weights.items()}
        return _player(rules, PatternTables(**found))

    def parts(self) -> dict[str, Any]:
        """Return the tables, the network in training, its optimiser, positions and generator."""
        return {
            "weights": {"tables": self._rounded()},
            "learning": {"net": self.net, "labels": self.label_net},
            "optimiser": self.optimiser,
            "buffer": self.buffer,
            "steps": self.steps,
            "updates": self.updates,
            "rng": self.rng,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state, and the search for labels that belongs to it."""
        super().load_state_dict(state)
        config = self.config
        first = -(-config.bootstrap // config.renew) * config.renew
        if config.bootstrap and self.steps > first:
            self.slow = self._searcher(config.nodes, self.label_net.tables())

    def _rounded(self) -> TableNet:
        """Return the tables, rounded from the network if it has learned since."""
        if self.rounded_at != self.updates:
            self.table_net.round_from(self.net)
            self.rounded_at = self.updates
        return self.table_net

    def _searcher(self, nodes: int, tables: PatternTables | None = None) -> AlphaBeta:
        limits = Limits(None, nodes, None)
        return new_alphabeta(self.rules, limits, MEMORY, None, "first", None, tables)

    def _learn(self) -> float:
        """Take a gradient step on a batch, and return the loss."""
        config, rows = self.config, self.rng.integers(0, len(self.buffer), self.config.batch)
        boards, targets = (part[rows] for part in self.buffer.kept)
        done = min(1.0, self.updates / config.anneal)
        rate = min(1.0, (self.updates + 1) / (WARM_UP * config.anneal), 1.0 - done)
        for group in self.optimiser.param_groups:
            group["lr"] = config.lr * max(rate, LAST_RATE)
        logits = self.net(self._patterns(boards))
        loss = functional.binary_cross_entropy_with_logits(logits, torch.as_tensor(targets))
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        self.optimiser.step()
        self.updates += 1
        return loss.item()

    def _patterns(self, boards: Boards) -> Tensor:
        """Return the numbers of the patterns (batch, cells, 4) on boards (batch, cells)."""
        digits = torch.as_tensor(np.where(boards == -1, 2, boards).astype(np.int64))
        return self.empty + (digits[:, self.windows] * self.powers).sum(dim=3)

    def _label(self, count: int) -> Labelled:
        """Play games until `count` positions are labelled."""
        boards, values = list[NDArray[np.int8]](), list[float]()
        while len(boards) < count:
            for board in self._play():
                if self._is_quiet(board):
                    boards.append(board)
                    values.append(self.slow.search(board).value)
        found = np.array(values)
        scores = HALF_WIN_SCORE * found / np.maximum(1 - np.abs(found), NEARLY)
        logits = scores * self._logits_per_score()
        targets = np.where(np.abs(found) > DECIDED, found > 0, 0.5 + 0.5 * np.tanh(logits / 2))
        return Labelled(np.array(boards, np.int8), targets.astype(np.float32))

    def _logits_per_score(self) -> float:
        if self.slow.state.patterns.vectors.size:
            return 1 / VALUE
        # An open line without stones, as for two in a row, has the value 0.
        return LINE_LOGITS / max(1.0, float(self.slow.state.lines.line_value[self.rules.k - 2, 0]))

    def _play(self) -> list[Boards]:
        """Play a game by quick searches, and return some positions close to it."""
        rng, rules = self.rng, self.rules
        board, game = self._opening(), list[Boards]()
        while not rules.over(board) and len(game) < LONGEST:
            game.append(board)
            move = int(self.quick(board[None])[0].argmax())
            if rng.random() < self.config.deviation:
                move = self._likely(board)
            board = rules.play(board, move)
        found = []
        for at in rng.choice(len(game), min(len(game), PER_GAME), replace=False).tolist():
            board = game[at]
            for _ in range(int(rng.integers(0, MORE + 1))):
                if not rules.over(board):
                    board = rules.play(board, self._likely(board))
            found.append(board)
        return found

    def _opening(self) -> Boards:
        """Return an undecided board with some stones around a random cell."""
        rng, rules = self.rng, self.rules
        rows, columns = np.divmod(np.arange(rules.cells), rules.n)
        while True:
            board, near = rules.start(), rng.integers(rules.cells)
            spread = rng.uniform(1, 2.5)
            distances = (rows - rows[near]) ** 2 + (columns - columns[near]) ** 2
            weights = np.exp(-distances / (2 * spread**2))
            for _ in range(int(rng.integers(0, self.config.opening + 1))):
                free = weights * (board == 0)
                if rules.over(board) or free.sum() == 0:
                    break
                board = rules.play(board, int(rng.choice(rules.cells, p=free / free.sum())))
            if not rules.over(board):
                return board

    def _likely(self, board: Boards) -> int:
        """Sample a move, those on the best open lines with the highest probability."""
        kernel.start(self.quick.state, board)
        scores = np.where(board == 0, self.quick.state.lines.move_score, -1)
        order: Cells = np.argsort(-scores, kind="stable")[: min(LIKELY, int((board == 0).sum()))]
        weights = LESS_LIKELY ** np.arange(len(order))
        return int(self.rng.choice(order, p=weights / weights.sum()))

    def _is_quiet(self, board: Boards) -> bool:
        """Return whether a search would ask for the value of a position, rather than go on."""
        rules, state = self.rules, self.slow.state
        size = rules.m, rules.n, rules.k
        if rules.over(board) or any(winning_cells(board[None], s, *size).any() for s in (1, -1)):
            return False
        kernel.start(state, board)
        return not (state.threats > 0 and can_make_double_threat(state.lines, 0, state.room))


def _player(rules: Rules, tables: PatternTables) -> AlphaBeta:
    return new_alphabeta(rules, Limits(1, PLAYER_NODES, None), MEMORY, None, "first", None, tables)


def _table_net(config: PatternsConfig, rules: Rules) -> TableNet:
    return TableNet(rules.k, config.channels, config.hidden)


def _named(net: TableNet) -> dict[str, Tensor]:
    return {f"{PREFIX}{name}": part for name, part in net.state_dict().items()}
