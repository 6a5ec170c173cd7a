"""Compiled rules of the game: lines, threats, endings and moves."""

import numpy as np

from tttenv.game.types import Boards, Cells, Mask, Stones
from tttenv.utils.compiled import bare, compiled, inner

# One step along a row, a column and both diagonals; the opposite steps are their negatives.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@compiled
def completes(board: Stones, cell: int, m: int, n: int, k: int) -> bool:
    """Return whether the stone on `cell` is part of a line of k or more of its side's stones.

    The board (cells,) holds two kinds of stone, 1 and -1, and 0 where it is empty.
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
def winning_cells(boards: Boards, side: int, m: int, n: int, k: int) -> Mask:
    """Return a mask (batch, cells) of the empty cells where `side` (1 or -1) wins at once."""
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
    """Find the threats made by the stone on `cell`: empty cells where its owner wins next.

    A line that needs one more stone has only stones of this owner besides the empty cell. So the
    first empty cell in each of the eight directions, after stones of this owner, is the only
    candidate of that direction. A side that could not win before it placed this stone has no other
    threats than these.

    The board (cells,) is left as it was.

    Returns:
        The number of threats, whose cells are written to `found` (8,).
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


@inner
def is_lost(board: Stones, m: int, n: int, k: int) -> bool:
    """Return whether the other side, whose stones are -1 on `board` (cells,), has a line."""
    for cell in range(board.size):
        if board[cell] == -1 and completes(board, cell, m, n, k):
            return True
    return False


@compiled
def full(board: Stones) -> bool:
    """Return whether `board` (cells,) has no empty cell."""
    for cell in range(board.size):
        if board[cell] == 0:
            return False
    return True


@compiled
def lost(boards: Boards, m: int, n: int, k: int) -> Mask:
    """Return a mask (batch,) of the boards (batch, cells) on which the other side has a line."""
    result = np.empty(len(boards), np.bool_)
    for i in range(len(boards)):
        result[i] = is_lost(boards[i], m, n, k)
    return result


@compiled
def over(boards: Boards, m: int, n: int, k: int) -> Mask:
    """Return a mask (batch,) of the boards (batch, cells) that are won or full."""
    result = np.empty(len(boards), np.bool_)
    for i in range(len(boards)):
        result[i] = full(boards[i]) or is_lost(boards[i], m, n, k)
    return result


@compiled
def play(boards: Boards, cells: Cells) -> Boards:
    """Return boards (batch, cells) after playing `cells` (batch,), with the sides swapped."""
    result = np.empty_like(boards)
    for i in range(len(boards)):
        for cell in range(boards.shape[1]):
            result[i, cell] = -boards[i, cell]
        result[i, cells[i]] = -1
    return result
