"""Evaluators for tree search without PyTorch: open lines, networks of line patterns, play-outs."""

from math import log, tanh

import numpy as np
from numpy.typing import NDArray

from tttenv.game import line_patterns_kernel as network
from tttenv.game.line_patterns_kernel import LinePatterns
from tttenv.game.open_lines_kernel import OpenLines, set_board
from tttenv.game.random_kernel import seed
from tttenv.game.rollouts_kernel import Playground, random_playout, tactical_playout
from tttenv.game.types import Boards
from tttenv.utils.compiled import bare

SCALE = 0.02  # of the open lines' evaluation: the value is tanh(SCALE * evaluation)


@bare
def evaluate_by_lines(
    boards: Boards, lines: OpenLines, logits: NDArray[np.float32], values: NDArray[np.float32]
) -> None:
    """Evaluate boards by their open lines.

    Args:
        boards: (batch, cells), seen by the side to move.
        lines: the game's open lines.
        logits: output: (batch, cells): the logarithm of each cell's score in the order of moves.
        values: output: (batch,), for the side to move.
    """
    for i in range(len(boards)):
        set_board(lines, boards[i])
        for cell in range(boards.shape[1]):
            logits[i, cell] = log(1.0 + max(0, lines.move_score[cell]))
        values[i] = tanh(SCALE * lines.evaluation[0])


@bare
def evaluate_by_patterns(boards: Boards, net: LinePatterns, values: NDArray[np.float32]) -> None:
    """Evaluate boards by a network of line patterns.

    Args:
        boards: (batch, cells), seen by the side to move.
        net: the network.
        values: output: (batch,), for the side to move.
    """
    for i in range(len(boards)):
        network.begin(net, boards[i])
        values[i] = tanh(network.value(net, 0) / (2.0 * network.VALUE))


@bare
def evaluate_by_playouts(
    boards: Boards,
    playouts: Playground,
    count: int,
    tactical: bool,
    start: int,
    values: NDArray[np.float32],
) -> None:
    """Evaluate boards by the mean result of play-outs whose seeds derive from the boards.

    Args:
        boards: (batch, cells), seen by the side to move.
        playouts: working memory.
        count: the number of play-outs from each board.
        tactical: whether play-outs win at once and block.
        start: a uint64 that, together with the board, seeds the random numbers.
        values: output: (batch,), for the side to move.
    """
    for i in range(len(boards)):
        seed(playouts.rng, boards[i], start)
        total = 0
        for _ in range(count):
            for cell in range(boards.shape[1]):
                playouts.board[cell] = boards[i, cell]
            total += tactical_playout(playouts, 1) if tactical else random_playout(playouts, 1)
        values[i] = total / count
