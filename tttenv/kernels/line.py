"""The rule of the game, once: does this stone complete a line?"""

from tttenv.kernels import compiled
from tttenv.types import Stones

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
