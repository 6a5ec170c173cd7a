"""Causal transformer over move lists, and the move list that represents a board.

Its input is the moves so far, one token each, and never a board: what stands where it has to work
out by itself, as Othello-GPT does (Li et al., "Emergent world representations", ICLR 2023).
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
    """Network of pre-normalised blocks of causal attention and an MLP, as in GPT-2.

    Args:
        cells: of the board; there is a token for each, and one for the start.
        layers: the number of blocks.
        width: of the residual stream.
        heads: of the attention in each block; they divide the width.
        rng: samples the first weights; at first, the blocks and the head give zero. None leaves the
            weights uninitialised, for those that are loaded from a file.
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
        """Return the residual stream (games, plies, width) before the first block and after each.

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
    """Return the input tokens before each move: 0 at the start, then the last cell + 1.

    Args:
        moves: (games, plies).
    """
    tokens = np.zeros(moves.shape, np.int64)
    tokens[:, 1:] = moves[:, :-1] + 1
    return torch.as_tensor(tokens)


def move_lists(rules: Rules, boards: Boards) -> Moves:
    """Return one move list per board, in which each side plays its stones in cell order.

    X and O take turns. Every such list is a legal game if the board has no line.

    Args:
        rules: the game.
        boards: (games, cells), seen by the side to move.

    Returns:
        The cells (games, cells), -1 after the last.
    """
    of_x = np.where(rules.seat(boards) == 0, 1, -1)[:, None]
    moves = np.full(boards.shape, -1, np.int64)
    for seat, stones in enumerate((boards == of_x, boards == -of_x)):
        game, cell = np.nonzero(stones)
        moves[game, 2 * (stones.cumsum(axis=1)[game, cell] - 1) + seat] = cell
    return moves


def sorted_moves(moves: Moves) -> Moves:
    """Return the same games with each side's moves sorted by cell."""
    return _reordered(moves, moves)


def shuffled_moves(moves: Moves, rng: np.random.Generator) -> Moves:
    """Return the same games with each side's moves in a random order."""
    return _reordered(moves, rng.random(moves.shape))


def _reordered(moves: Moves, keys: NDArray[np.int64] | NDArray[np.float64]) -> Moves:
    found = np.empty_like(moves)
    keys = np.where(moves < 0, np.inf, keys)  # what is missing stays at the end
    for seat in range(2):
        order = keys[:, seat::2].argsort(axis=1)
        found[:, seat::2] = np.take_along_axis(moves[:, seat::2], order, axis=1)
    return found


def boards_before(rules: Rules, moves: Moves) -> tuple[Boards, Mask]:
    """Return the board before each move, and a mask of the boards that are not finished.

    Args:
        rules: the game.
        moves: (games, plies).

    Returns:
        Boards (games, plies, cells), seen by the side to move; and a mask (games, plies), false
        after the end of a list and where the game is over, by a line that reordering has completed
        earlier, too.
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
