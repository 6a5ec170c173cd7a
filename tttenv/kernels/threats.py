"""Where one more stone would complete a line."""

import numpy as np

from tttenv.kernels import compiled
from tttenv.kernels.line import completes
from tttenv.types import Boards, Mask


@compiled
def completing(boards: Boards, side: int, m: int, n: int, k: int) -> Mask:
    """The empty cells of boards (batch, cells) where a stone of `side`, 1 or -1, would win."""
    result = np.zeros(boards.shape, np.bool_)
    for i in range(len(boards)):
        board = boards[i].copy()
        for cell in range(board.size):
            if board[cell] == 0:
                board[cell] = side
                result[i, cell] = completes(board, cell, m, n, k)
                board[cell] = 0
    return result
