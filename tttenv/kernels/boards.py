"""Whole batches of boards at once: which are lost, which are over, and what a stone leads to."""

import numpy as np

from tttenv.kernels import compiled
from tttenv.kernels.line import completes
from tttenv.types import Boards, Cells, Mask, Stones


@compiled
def beaten(board: Stones, m: int, n: int, k: int) -> bool:
    """Whether the other side, -1 on this board (cells,), has a line."""
    for cell in range(board.size):
        if board[cell] == -1 and completes(board, cell, m, n, k):
            return True
    return False


@compiled
def full(board: Stones) -> bool:
    """Whether no cell of this board (cells,) is empty."""
    return 0 not in board


@compiled
def lost(boards: Boards, m: int, n: int, k: int) -> Mask:
    """For boards (batch, cells): has the side to move just been beaten? (batch,)."""
    result = np.empty(len(boards), np.bool_)
    for i in range(len(boards)):
        result[i] = beaten(boards[i], m, n, k)
    return result


@compiled
def over(boards: Boards, m: int, n: int, k: int) -> Mask:
    """For boards (batch, cells): is the game finished, won or full? (batch,)."""
    result = np.empty(len(boards), np.bool_)
    for i in range(len(boards)):
        result[i] = full(boards[i]) or beaten(boards[i], m, n, k)
    return result


@compiled
def play(boards: Boards, cells: Cells) -> Boards:
    """Boards (batch, cells) after stones on `cells` (batch,), seen by the next mover."""
    result = np.empty_like(boards)
    for i in range(len(boards)):
        for cell in range(boards.shape[1]):
            result[i, cell] = -boards[i, cell]
        result[i, cells[i]] = -1
    return result
