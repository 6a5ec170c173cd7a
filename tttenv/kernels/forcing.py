"""Threats that a stone makes: the empty cells where the same side would now complete a line."""

from tttenv.kernels.bare import bare
from tttenv.kernels.line import DIRECTIONS, completes
from tttenv.types import Cells, Stones


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
