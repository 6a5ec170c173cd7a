"""Transformer that learns the game from move lists, without seeing a board.

The default preset learns from its own games by policy gradient. The cost of a move is its exact
regret, known from the solved game, so the gradient is summed over all moves instead of sampled
(Allen et al., "Mean actor critic", arXiv 1709.00503), with an entropy bonus. The preset
`imitation` predicts the next move in games of perfect players, as Othello-GPT predicts legal moves
(Li et al., "Emergent world representations", ICLR 2023).

A policy is queried on boards, and a board is converted to one list of moves; see
`learners.move_transformer.move_lists`. `follow_histories` queries the network on every game that
can arise, with the moves in the order in which they are played.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from learners.move_transformer import (
    Moves,
    MoveTransformer,
    boards_before,
    move_lists,
    shuffled_moves,
    sorted_moves,
    tokens_of,
)
from learners.nets import has_float64
from learners.parts import PlaysByNetworks, Rng
from learners.settings import check_range
from tttenv.exact import enumerable, require_solvable, solve, tabulate
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Probs
from tttenv.policy import BATCH, PURE, TOLERANCE, FunctionPlayer, Player, first_best

MOST = 2**16  # maximum of any count in the settings


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
        check_range(self, 1, MOST, "layers", "width", "heads", "games", "orders", "half_life")
        check_range(self, 0, 1, "random", "average")
        if self.width % self.heads:
            raise ValueError(
                f"transformer: width {self.width} is not a multiple of {self.heads} heads"
            )
        if self.lr <= 0 or self.entropy < 0 or self.weight_decay < 0:
            raise ValueError("transformer: lr must be above 0, entropy and weight_decay at least 0")


ILLEGAL = -1e9  # the logit of a taken cell


class Transformer(PlaysByNetworks[TransformerConfig]):
    """Transformer learner, for boards of up to 16 cells, whose exact values it needs."""

    Config: ClassVar[type] = TransformerConfig
    presets: ClassVar[dict[str, Any]] = {
        "default": TransformerConfig(),
        "imitation": TransformerConfig(learns="imitation"),
    }
    tolerance: ClassVar[float] = TOLERANCE  # of ties in its player

    def __init__(self, config: TransformerConfig, rules: Rules) -> None:
        require_solvable(rules)
        self.config, self.rules, self.steps = config, rules, 0
        self.rng = np.random.default_rng(config.seed)
        self.net = self.networks(config, rules, self.rng)["net"]
        self.average = copy.deepcopy(self.net)  # plays; its weights are a moving average
        self.optimiser = torch.optim.AdamW(
            self.net.parameters(), config.lr, (0.9, 0.98), weight_decay=config.weight_decay
        )

    def step(self) -> dict[str, float]:
        """Play games to the end, then take one gradient step for each of several move orders."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.config.lr * 0.5 ** (self.steps / self.config.half_life)
        played = self._play()
        orders = [played, sorted_moves(played)][: self.config.orders]
        while len(orders) < self.config.orders:
            orders.append(shuffled_moves(played, self.rng))
        self.steps += 1
        numbers = [self._learn(moves) for moves in orders]
        return numbers[0]  # of the games as played

    @classmethod
    def networks(
        cls, config: TransformerConfig, rules: Rules, rng: Rng | None = None
    ) -> dict[str, MoveTransformer]:
        """Return the move transformer, as the only network."""
        require_solvable(rules)
        return {"net": MoveTransformer(rules.cells, config.layers, config.width, config.heads, rng)}

    @classmethod
    def player_of(cls, config: TransformerConfig, rules: Rules, nets: Mapping[str, Any]) -> Player:
        """Return a player that picks the legal cell with the highest logit, the first if tied."""
        return _player(rules, nets["net"])

    def parts(self) -> dict[str, Any]:
        """Return the network, its moving average, the optimiser and the generator."""
        return {
            "weights": {"net": self.average},
            "net": {"net": self.net},
            "optimiser": self.optimiser,
            "rng": self.rng,
            "steps": self.steps,
        }

    def _play(self) -> Moves:
        """Play games to the end, and return their moves (games, cells).

        For a whole game, a seat's moves are sampled either from the network or uniformly. In games
        to imitate, both sides play random optimal moves.
        """
        config, rules = self.config, self.rules
        moves = np.full((config.games, rules.cells), -1, np.int64)
        random = self.rng.random((config.games, 2)) < config.random
        active, boards = np.arange(config.games), rules.start(config.games)
        for ply in range(rules.cells):
            allowed = boards == 0
            if config.learns == "imitation":
                solution = solve(rules)
                allowed = solution.optimal[solution.positions.index(boards)]
                logits = np.zeros(boards.shape, np.float32)
            else:
                with torch.no_grad():
                    found = self.net(tokens_of(moves[active, : ply + 1]))[:, -1].cpu().numpy()
                logits = np.where(random[active, ply % 2, None], 0, found)
            # The Gumbel-max trick: this samples each cell with its probability.
            noisy = np.where(allowed, logits, ILLEGAL) + self.rng.gumbel(size=boards.shape)
            moves[active, ply] = noisy.argmax(axis=1)
            boards = rules.play(boards, moves[active, ply])
            going = ~rules.over(boards)
            active, boards = active[going], boards[going]
            if not len(active):
                break
        return moves

    def _learn(self, moves: Moves) -> dict[str, float]:
        """Take a gradient step on all positions of games (games, cells)."""
        boards, waiting = boards_before(self.rules, moves)
        boards = boards[waiting]
        logits = self.net(tokens_of(moves))[torch.as_tensor(waiting)]
        log_probs = logits.masked_fill(torch.as_tensor(boards != 0), ILLEGAL).log_softmax(dim=1)
        probs = log_probs.exp()
        regret = (probs * torch.as_tensor(regrets(self.rules, boards))).sum(dim=1).mean()
        entropy = -(probs * log_probs).sum(dim=1).mean()
        if self.config.learns == "imitation":
            loss = nn.functional.nll_loss(log_probs, torch.as_tensor(moves[waiting]))
        else:
            loss = regret - self.config.entropy * entropy
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        self.optimiser.step()
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.net.parameters(), strict=True)
            for average, weight in pairs:
                average.lerp_(weight, 1 - self.config.average)
        return {"loss": loss.item(), "regret": regret.item(), "entropy": entropy.item()}


def regrets(rules: Rules, boards: Boards) -> NDArray[np.float32]:
    """Return the regret of each move: 0 if it keeps the value, 1 if it turns a win into a loss.

    Args:
        rules: the game.
        boards: (batch, cells), undecided.

    Returns:
        Regrets (batch, cells), 0 for occupied cells.
    """
    solution = solve(rules)
    rows = solution.positions.index(boards)
    after = solution.positions.successors[rows]
    lost = (solution.values[rows, None] + solution.values[after]) / 2
    return np.where(after >= 0, lost, 0).astype(np.float32)


@dataclass(frozen=True)
class Histories:
    """Results of a network in one seat, over all games that its moves allow."""

    games: tuple[int, int, int]  # won, drawn, lost
    positions: int  # lists of moves after which it was asked
    blunders: int  # of these, its move gave something away
    order_matters: int  # of these, sorting the moves, as `move_lists` does, changes its answer
    lost_game: tuple[int, ...] | None  # the cells of the shortest lost game

    @property
    def worst_case(self) -> int:
        """The worst result: 1, 0 or -1."""
        _, drawn, lost = self.games
        return -1 if lost else 0 if drawn else 1


def follow_histories(rules: Rules, net: MoveTransformer, seat: int) -> Histories:
    """Play the network against all replies from the empty board, keeping move order.

    There is one game per list of replies: up to 945 on 3,3,3 and 46,080 on 3,4,3.

    Args:
        rules: the game.
        net: the network, for example the `average` of a `Transformer`.
        seat: 0 for X, 1 for O.

    Raises:
        ValueError: if the game has more than 16 cells.
    """
    solution, lost_game = solve(rules), None
    moves, boards = np.empty((1, 0), np.int64), rules.start(1)
    results = [0, 0, 0]
    positions = blunders = order_matters = 0
    for ply in range(rules.cells):
        if ply % 2 == seat:
            cells = _best_moves(net, boards, moves)
            written = _best_moves(net, boards, move_lists(rules, boards)[:, :ply])
            positions += len(cells)
            order_matters += int((cells != written).sum())
            rows = solution.positions.index(boards)
            blunders += int((~solution.optimal[rows, cells]).sum())
        else:
            game, cells = np.nonzero(boards == 0)
            boards, moves = boards[game], moves[game]
        boards, moves = rules.play(boards, cells), np.column_stack([moves, cells])
        over, decided = rules.over(boards), rules.lost(boards)
        results[0 if ply % 2 == seat else 2] += int(decided.sum())
        results[1] += int((over & ~decided).sum())
        if lost_game is None and ply % 2 != seat and decided.any():
            lost_game = tuple(moves[decided.argmax()].tolist())
        boards, moves = boards[~over], moves[~over]
        if not len(boards):
            break
    won, drawn, lost = results
    return Histories((won, drawn, lost), positions, blunders, order_matters, lost_game)


def _best_moves(net: MoveTransformer, boards: Boards, moves: Moves) -> Cells:
    """Return the network's moves (games,) on boards (games, cells) after moves (games, plies)."""
    following = np.column_stack([moves, np.full(len(moves), -1)])
    cells: Cells = first_best(_logits(net, following), boards == 0).argmax(axis=1)
    return cells


def _logits(net: MoveTransformer, moves: Moves) -> NDArray[np.float64]:
    """Return the logits (games, cells) for the last ply of moves (games, plies)."""
    found = []
    with torch.no_grad():
        for at in range(0, len(moves), BATCH):
            logits = net(tokens_of(moves[at : at + BATCH]))[:, -1]
            found.append(logits.cpu().numpy().astype(np.float64))
    return np.concatenate(found)


def _player(rules: Rules, net: MoveTransformer) -> Player:
    """Return a frozen greedy player that reads each board as a list from `move_lists`.

    As in `learners.nets.greedy_player`, it is computed in float64 if there are too many boards for
    a table.
    """
    frozen = copy.deepcopy(net)
    if not enumerable(rules) and has_float64(net):
        frozen = frozen.double()

    def play(boards: Boards) -> Probs:
        probs, plies = np.zeros(boards.shape), np.count_nonzero(boards, axis=1)
        lists = move_lists(rules, boards)
        for ply in np.unique(plies):
            rows = plies == ply
            probs[rows] = first_best(_logits(frozen, lists[rows, : ply + 1]), boards[rows] == 0)
        return probs

    return tabulate(rules, play) if enumerable(rules) else FunctionPlayer(rules, play, PURE)
