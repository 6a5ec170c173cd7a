"""Causal transformer over move lists, and conversion of boards to move lists.

Its input is the moves so far, one token each, and never a board, which it has to reconstruct, as
Othello-GPT does (Li et al., "Emergent world representations", ICLR 2023).
"""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learners.nets import empty_linear
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask

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
        self.tokens = _empty_embedding(cells + 1, width)
        self.plies = _empty_embedding(cells, width)
        self.blocks = nn.ModuleList(_Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = empty_linear(width, cells)
        if rng is not None:
            _initialise(self, rng)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of the next moves (games, plies, cells) for tokens (games, plies)."""
        logits: Tensor = self.head(self.norm(self.streams(tokens)[-1]))
        return logits

    def streams(self, tokens: Tensor) -> list[Tensor]:
        """Return the residual streams (games, plies, width) before the first and after each block.

        Args:
            tokens: (games, plies), see `tokens_of`.
        """
        streams = [self.tokens(tokens) + self.plies.weight[: tokens.shape[1]]]
        for block in self.blocks:
            streams.append(block(streams[-1]))
        return streams


class _Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.mix = empty_linear(width, 3 * width), empty_linear(width, width)
        self.widen, self.narrow = empty_linear(width, 4 * width), empty_linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        games, plies, width = x.shape
        parts = self.attend(self.first_norm(x)).view(games, plies, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.mix(seen.transpose(1, 2).reshape(games, plies, width))
        out: Tensor = x + self.narrow(nn.functional.gelu(self.widen(self.second_norm(x))))
        return out


def _empty_embedding(count: int, width: int) -> nn.Embedding:
    made: nn.Embedding = nn.utils.skip_init(  # type: ignore[no-untyped-call]  # torch leaves it untyped
        nn.Embedding, count, width, device=torch.get_default_device()
    )
    return made


def _initialise(net: MoveTransformer, rng: np.random.Generator) -> None:
    zero = [net.head, *(layer for block in net.blocks for layer in (block.mix, block.narrow))]
    with torch.no_grad():
        for layer in net.modules():
            if isinstance(layer, nn.Embedding | nn.Linear):
                fan_in = 1 if isinstance(layer, nn.Embedding) else layer.in_features
                drawn = rng.standard_normal(tuple(layer.weight.shape), np.float32)
                scale = 0.0 if layer in zero else 1 / math.sqrt(fan_in)
                layer.weight.copy_(torch.as_tensor(drawn * np.float32(scale)))
            if isinstance(layer, nn.Linear):
                layer.bias.zero_()


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


def sorted_moves(moves: Moves) -> Moves:
    """Reorder games so that each side plays its cells in ascending order."""
    return _reordered(moves, moves)


def shuffled_moves(moves: Moves, rng: np.random.Generator) -> Moves:
    """Reorder games so that each side plays its cells in random order."""
    return _reordered(moves, rng.random(moves.shape))


def _reordered(moves: Moves, keys: NDArray[np.int64] | NDArray[np.float64]) -> Moves:
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
