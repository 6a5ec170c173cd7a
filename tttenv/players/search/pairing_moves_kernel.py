"""Compiled search for moves that leave two empty cells for each of the opponent's lines.

If the other side then takes one cell of a line's two, the player takes the other one, so no line is
ever completed: a pairing strategy (Hales and Jewett, 1963). Cells are given to lines by augmenting
paths (Berge, 1957), so two of its own for each are found whenever that is possible.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Boards, Mask, Stones
from tttenv.utils.compiled import compiled, inner
from tttenv.utils.struct import Struct


@dataclass(frozen=True, eq=False)
class Matching(Struct):
    """Matching of cells to lines, with working memory for augmenting paths."""

    owner: NDArray[np.int64]  # (cells,): the line that has the cell, or -1
    parent: NDArray[np.int64]  # (cells,): the line from which the search came to the cell
    seen: Mask  # (cells,): by the search
    via: NDArray[np.int64]  # (lines,): the line's cell from which the search came to it
    queued: Mask  # (lines,): by the search
    queue: NDArray[np.int64]  # (lines,)


def new_matching(lines: int, cells: int) -> Matching:
    """Allocate a matching for boards with this many lines and cells."""
    return Matching(
        owner=np.empty(cells, np.int64),
        parent=np.empty(cells, np.int64),
        seen=np.empty(cells, np.bool_),
        via=np.empty(lines, np.int64),
        queued=np.empty(lines, np.bool_),
        queue=np.empty(lines, np.int64),
    )


@compiled
def pairing_moves(boards: Boards, lines: NDArray[np.int64], room: Matching) -> Mask:
    """Return a mask (batch, cells) of the moves after which the player has a pairing strategy.

    Args:
        boards: (batch, cells), undecided, the player to move.
        lines: the cells of every line, (lines, k).
        room: working memory.
    """
    cells = boards.shape[1]
    found = np.zeros(boards.shape, np.bool_)
    for i in range(len(boards)):
        board = boards[i].copy()
        for cell in range(cells):
            if board[cell] == 0:
                board[cell] = 1
                found[i, cell] = _is_paired(board, lines, room)
                board[cell] = 0
    return found


@inner
def _is_paired(board: Stones, lines: NDArray[np.int64], room: Matching) -> bool:
    """Return whether every line without a stone of the player can get two empty cells."""
    for cell in range(board.size):
        room.owner[cell] = -1
    for line in range(len(lines)):
        is_open = True
        for j in range(lines.shape[1]):
            is_open = is_open and board[lines[line, j]] != 1
        if is_open and not (_give(line, board, lines, room) and _give(line, board, lines, room)):
            return False
    return True


@inner
def _give(root: int, board: Stones, lines: NDArray[np.int64], room: Matching) -> bool:
    """Match one more empty cell to a line, along an augmenting path if necessary."""
    room.queued[:] = False
    room.seen[:] = False
    room.queued[root] = True
    room.queue[0] = root
    first, end = 0, 1
    while first < end:
        line = room.queue[first]
        first += 1
        for j in range(lines.shape[1]):
            cell = lines[line, j]
            if board[cell] != 0 or room.seen[cell] or room.owner[cell] == line:
                continue
            room.seen[cell] = True
            room.parent[cell] = line
            other = room.owner[cell]
            if other < 0:
                while True:  # back along the path
                    taker = room.parent[cell]
                    room.owner[cell] = taker
                    if taker == root:
                        return True
                    cell = room.via[taker]
            if not room.queued[other]:
                room.queued[other] = True
                room.via[other] = cell
                room.queue[end] = other
                end += 1
    return False
