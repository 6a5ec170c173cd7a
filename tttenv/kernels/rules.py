"""The rules of the game, compiled: lines, threats, ended boards and stones placed."""

import numpy as np

from tttenv.kernels import compiled
from tttenv.kernels.bare import bare
from tttenv.kernels.types import Boards, Cells, Mask, Stones

# One step along a row, a column and both diagonals; the opposite steps are their negatives.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@compiled
def completes(board: Stones, cell: int, m: int, n: int, k: int) -> bool:
    """Whether the stone on `cell` stands in a row, column or diagonal of at least k of its kind.

    Args:
        board: int8 (cells,), two kinds of stone as 1 and -1, 0 where empty.
        cell: where the stone is; the cell must not be empty.
        m: the board's rows.
        n: the board's columns.
        k: how many in a row win.
    """
    stone = board[cell]
    row = cell // n
    column = cell - row * n
    for down, right in DIRECTIONS:
        run = 1
        for sign in (1, -1):
            r = row + sign * down
            c = column + sign * right
            while 0 <= r < m and 0 <= c < n and board[r * n + c] == stone:
                run += 1
                r += sign * down
                c += sign * right
        if run >= k:
            return True
    return False


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


@bare
def threats(board: Stones, cell: int, m: int, n: int, k: int, found: Cells) -> int:
    """Find the cells where the owner of the stone on `cell` wins with one more stone beside it.

    A line through both `cell` and an empty cell is otherwise all of one kind, so walking from
    `cell` over its own kind meets every such empty cell: at most one in each of eight directions.
    A side that could not win before it placed this stone has no other threats than these.

    Args:
        board: int8 (cells,), two kinds of stone as 1 and -1, 0 where empty; left as it was.
        cell: where the stone is.
        m: the board's rows.
        n: the board's columns.
        k: how many in a row win.
        found: (8,) or more, filled with the cells.

    Returns:
        How many there are.
    """
    stone = board[cell]
    row = cell // n
    column = cell - row * n
    count = 0
    for down, right in DIRECTIONS:
        for sign in (1, -1):
            r = row + sign * down
            c = column + sign * right
            while 0 <= r < m and 0 <= c < n and board[r * n + c] == stone:
                r += sign * down
                c += sign * right
            if 0 <= r < m and 0 <= c < n and board[r * n + c] == 0:
                other = r * n + c
                board[other] = stone
                if completes(board, other, m, n, k):
                    found[count] = other
                    count += 1
                board[other] = 0
    return count


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
