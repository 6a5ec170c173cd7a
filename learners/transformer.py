"""Transformer that learns the game from move lists, without seeing a board.

The default preset learns from its own games by policy gradient. The cost of a move is its exact
regret, known from the solved game, so the gradient is summed over all moves instead of sampled
(Allen et al., "Mean actor critic", arXiv 1709.00503), with an entropy bonus. The preset
`imitation` predicts the next move in games of perfect players, as Othello-GPT predicts legal moves
(Li et al., "Emergent world representations", ICLR 2023).

A policy is queried on boards, and a board is converted to one list of moves; see `move_lists`.
`follow_histories` queries the network on every game that can arise, with the moves as played.
"""

import copy
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learners.nets import descend, draw_weights, empty, has_float64, move_average
from learners.parts import NetworkLearner, Rng
from learners.settings.transformer import PRESETS, TransformerConfig
from tttenv.exact import enumerable, require_solvable, solve, tabulate
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask, Probs
from tttenv.policy import BATCH, PURE, FunctionPlayer, Player, first_best

ILLEGAL = -1e9  # the logit of a taken cell
Moves = NDArray[np.int64]  # (games, plies): the cells in the order played, -1 after the last


class MoveTransformer(nn.Module):
    """A network of pre-norm blocks with causal attention and an MLP, as in GPT-2.

    Args:
        cells: the number of cells; there is one token for each, and one for the start.
        layers: the number of blocks.
        width: the width of the residual stream.
        heads: the number of attention heads per block, which must divide the width.
        rng: samples the initial weights, with which blocks and head output zero. None leaves the
            weights uninitialised, to be loaded from a file.
    """

    def __init__(
        self, cells: int, layers: int, width: int, heads: int, rng: np.random.Generator | None
    ) -> None:
        super().__init__()
        self.tokens = empty(nn.Embedding, cells + 1, width)
        self.plies = empty(nn.Embedding, cells, width)
        self.blocks = nn.ModuleList(_Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = empty(nn.Linear, width, cells)
        zero = [self.head, *(layer for block in self.blocks for layer in (block.mix, block.narrow))]
        for layer in self.modules():
            if rng is not None and isinstance(layer, nn.Embedding | nn.Linear):
                fan_in = 1 if isinstance(layer, nn.Embedding) else layer.in_features
                draw_weights(layer, 0.0 if layer in zero else 1 / math.sqrt(fan_in), rng)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of the next moves (games, plies, cells) for tokens (games, plies)."""
        x = self.tokens(tokens) + self.plies.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.head(self.norm(x))
        return logits


class _Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend = empty(nn.Linear, width, 3 * width)
        self.mix = empty(nn.Linear, width, width)
        self.widen = empty(nn.Linear, width, 4 * width)
        self.narrow = empty(nn.Linear, 4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        games, plies, width = x.shape
        parts = self.attend(self.first_norm(x)).view(games, plies, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.mix(seen.transpose(1, 2).reshape(games, plies, width))
        out: Tensor = x + self.narrow(nn.functional.gelu(self.widen(self.second_norm(x))))
        return out


def tokens_of(moves: Moves) -> Tensor:
    """Return the input token before each move: 0 at the start, else the last cell + 1.

    Args:
        moves: (games, plies).
    """
    tokens = np.zeros(moves.shape, np.int64)
    tokens[:, 1:] = moves[:, :-1] + 1
    return torch.as_tensor(tokens)


def move_lists(rules: Rules, boards: Boards) -> Moves:
    """Convert each board to a move list in which each side plays its cells in ascending order.

    X and O take turns. Every such list is a legal game if the board has no line.

    Args:
        rules: the game.
        boards: (games, cells), seen by the side to move.

    Returns:
        The cells (games, cells), -1 after the last move.
    """
    of_x = np.where(rules.seat(boards) == 0, 1, -1)[:, None]
    moves = np.full(boards.shape, -1, np.int64)
    for seat, stones in enumerate((boards == of_x, boards == -of_x)):
        game, cell = np.nonzero(stones)
        moves[game, 2 * (stones.cumsum(axis=1)[game, cell] - 1) + seat] = cell
    return moves


def reordered(moves: Moves, keys: NDArray[np.int64] | NDArray[np.float64]) -> Moves:
    """Reorder games so that each side plays its cells by ascending `keys` (games, plies)."""
    found = np.empty_like(moves)
    keys = np.where(moves < 0, np.inf, keys)  # what is missing stays at the end
    for seat in range(2):
        order = keys[:, seat::2].argsort(axis=1)
        found[:, seat::2] = np.take_along_axis(moves[:, seat::2], order, axis=1)
    return found


def boards_before(rules: Rules, moves: Moves) -> tuple[Boards, Mask]:
    """Return the board before each move, and a mask of unfinished boards.

    Args:
        rules: the game.
        moves: (games, plies).

    Returns:
        Boards (games, plies, cells), seen by the side to move; and a mask (games, plies), false
        after the end of a list and where the game is over, which after reordering may be earlier.
    """
    games, plies = moves.shape
    side = (1 - 2 * (np.arange(plies, dtype=np.int8) % 2))[:, None]
    placed = np.eye(rules.cells + 1, rules.cells, dtype=np.int8)[moves] * side  # row -1 is empty
    boards = np.zeros((games, plies, rules.cells), np.int8)
    placed[:, :-1].cumsum(axis=1, dtype=np.int8, out=boards[:, 1:])
    boards *= side
    over = np.logical_or.accumulate(rules.over(boards), axis=1)
    over[:, 1:] |= moves[:, :-1] < 0
    return boards, ~over


class Transformer(NetworkLearner[TransformerConfig]):
    """Transformer learner, for boards of up to 16 cells, whose exact values it needs."""

    Config = TransformerConfig
    presets = PRESETS

    def __init__(self, config: TransformerConfig, rules: Rules) -> None:
        require_solvable(rules)
        super().__init__(config, rules)
        self.steps = 0
        self.net = self.networks(config, rules, self.rng)["net"]
        self.average = copy.deepcopy(self.net)  # plays; its weights are a moving average
        self.optimiser = torch.optim.AdamW(
            self.net.parameters(), config.lr, (0.9, 0.98), weight_decay=config.weight_decay
        )

    def step(self) -> dict[str, float]:
        """Play games to the end, then take one gradient step for each of three move orders."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.config.lr * 0.5 ** (self.steps / self.config.half_life)
        with self.timed("playing"):
            played = self._play()
        self.moves += int((played >= 0).sum())
        shuffled = reordered(played, self.rng.random(played.shape))
        orders = played, reordered(played, played), shuffled
        self.steps += 1
        of_played, *_ = [self._learn(moves) for moves in orders]
        return of_played

    @classmethod
    def networks(
        cls, config: TransformerConfig, rules: Rules, rng: Rng | None = None
    ) -> dict[str, MoveTransformer]:
        """Return the move transformer, as the only network."""
        require_solvable(rules)
        return {"net": MoveTransformer(rules.cells, config.layers, config.width, config.heads, rng)}

    @classmethod
    def player_of(cls, config: TransformerConfig, rules: Rules, nets: Mapping[str, Any]) -> Player:
        """Return a frozen greedy player that reads each board as a list from `move_lists`.

        As in `learners.nets.greedy_player`, it is computed in float64 if there are too many boards
        for a table.
        """
        frozen = copy.deepcopy(nets["net"])
        if not enumerable(rules) and has_float64(frozen):
            frozen = frozen.double()

        def play(boards: Boards) -> Probs:
            probs, plies = np.zeros(boards.shape), np.count_nonzero(boards, axis=1)
            lists = move_lists(rules, boards)
            for ply in np.unique(plies):
                rows = plies == ply
                probs[rows] = first_best(_logits(frozen, lists[rows, : ply + 1]), boards[rows] == 0)
            return probs

        return tabulate(rules, play) if enumerable(rules) else FunctionPlayer(rules, play, PURE)

    def parts(self) -> dict[str, Any]:
        """Return the network, its moving average, the optimiser and the steps."""
        return {
            "weights": {"net": self.average},
            "net": {"net": self.net},
            "optimiser": self.optimiser,
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
        descend(self.optimiser, loss)
        move_average(self.average, self.net, 1 - self.config.average)
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


class Histories(NamedTuple):
    """Results of a network in one seat, over all games that its moves allow."""

    won: int
    drawn: int
    lost: int
    positions: int  # lists of moves after which it was asked
    order_matters: int  # of these, sorting the moves, as `move_lists` does, changes its answer


def follow_histories(rules: Rules, net: MoveTransformer, seat: int) -> Histories:
    """Play the network against all replies from the empty board, keeping move order.

    There is one game per list of replies: up to 945 on 3,3,3 and 46,080 on 3,4,3.

    Args:
        rules: the game.
        net: the network, for example the `average` of a `Transformer`.
        seat: 0 for X, 1 for O.
    """
    moves, boards = np.empty((1, 0), np.int64), rules.start(1)
    won = drawn = lost = positions = order_matters = 0
    for ply in range(rules.cells):
        if not len(boards):
            break
        if ply % 2 == seat:
            cells = _best_moves(net, boards, moves)
            written = _best_moves(net, boards, move_lists(rules, boards)[:, :ply])
            positions += len(cells)
            order_matters += int((cells != written).sum())
        else:
            game, cells = np.nonzero(boards == 0)
            boards, moves = boards[game], moves[game]
        boards, moves = rules.play(boards, cells), np.column_stack([moves, cells])
        over, ours = rules.over(boards), (-1) ** (ply % 2 == seat) * VALUES[rules.outcomes(boards)]
        won, lost = won + int((ours > 0).sum()), lost + int((ours < 0).sum())
        drawn += int((over & (ours == 0)).sum())
        boards, moves = boards[~over], moves[~over]
    return Histories(won, drawn, lost, positions, order_matters)


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
