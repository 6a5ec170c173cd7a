"""Compiled search for moves that leave two empty cells for each of the opponent's lines.

If the other side then takes one cell of a line's two, the player takes the other one, so no line is
ever completed: a pairing strategy (Hales and Jewett, 1963). Cells are given to lines by augmenting
paths (Berge, 1957), so two of its own for each are found whenever that is possible.
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Boards, Cells, Mask, Stones
from tttenv.utils.compiled import compiled, inner

Numbers = NDArray[np.int16]  # of cells and lines; small, as they are filled for each search


@compiled
def pairing_moves(boards: Boards, lines: Cells) -> Mask:
    """Return a mask (batch, cells) of the moves after which the player has a pairing strategy.

    The boards (batch, cells) are undecided, the player is to move; `lines` are (lines, k).
    """
    cells = boards.shape[1]
    owner, parent = np.empty(cells, np.int16), np.empty(cells, np.int16)
    via, queue = np.empty(len(lines), np.int16), np.empty(len(lines), np.int16)
    found = np.zeros(boards.shape, np.bool_)
    for i in range(len(boards)):
        board = boards[i].copy()
        for cell in range(cells):
            if board[cell] == 0:
                board[cell] = 1
                found[i, cell] = _is_paired(board, lines, owner, parent, via, queue)
                board[cell] = 0
    return found


@inner
def _is_paired(
    board: Stones, lines: Cells, owner: Numbers, parent: Numbers, via: Numbers, queue: Numbers
) -> bool:
    """Return whether every line without a stone of the player can get two empty cells."""
    owner[:] = -1
    for line in range(len(lines)):
        is_open = True
        for j in range(lines.shape[1]):
            is_open = is_open and board[lines[line, j]] != 1
        for _ in range(2 if is_open else 0):
            if not _give(line, board, lines, owner, parent, via, queue):
                return False
    return True


@inner
def _give(
    root: int,
    board: Stones,
    lines: Cells,
    owner: Numbers,
    parent: Numbers,
    via: Numbers,
    queue: Numbers,
) -> bool:
    """Match one more empty cell to a line, along an augmenting path if necessary.

    `owner` is the line that has a cell, or -1; `parent` the line from which the search came to a
    cell, and `via` the cell from which it came to a line, or -1. The search goes on from the lines
    in the `queue`.
    """
    parent[:] = -1
    via[:] = -1
    queue[0] = root
    first, end = 0, 1
    while first < end:
        line = queue[first]
        first += 1
        for j in range(lines.shape[1]):
            cell = lines[line, j]
            if board[cell] != 0 or parent[cell] >= 0 or owner[cell] == line:
                continue
            parent[cell] = line
            other = owner[cell]
            if other < 0:
                while True:  # back along the path
                    taker = parent[cell]
                    owner[cell] = taker
                    if taker == root:
                        return True
                    cell = via[taker]
            if other != root and via[other] < 0:
                via[other] = cell
                queue[end] = other
                end += 1
    return False
