"""What an alpha-beta search works on: a stack of frames, one a ply, and what lies beside it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.hashing import Hashes, hashes
from tttenv.kernels.openlines import OpenLines, open_lines, reset
from tttenv.kernels.transposition import table
from tttenv.types import Cells, Mask, Numbers, Stones

WIN = 1 << 30
PROVEN = 1 << 29  # beyond this a score is a win or a loss, within it a draw or a guess
GREATEST = 1 << 28  # the highest guess
NO_LIMIT = (1 << 31) - 1  # a bound beyond every score

FRAME = np.dtype(
    [
        ("alpha", np.int32),  # the window as narrowed so far
        ("beta", np.int32),
        ("floor", np.int32),  # alpha as given
        ("ceiling", np.int32),  # beta as given
        ("least", np.int32),  # what the true score can be, by stones and open lines
        ("most", np.int32),
        ("best", np.int32),  # of the moves tried; at the end the frame's score
        ("best_cell", np.int16),
        ("cell", np.int16),  # the move being tried
        ("favourite", np.int16),  # the table's move, or -1
        ("forced", np.int16),  # the only move that does not lose at once, or -1
        ("tried", np.int16),  # how many moves
        ("image", np.int16),  # the map to the canonical image
        ("depth", np.int16),  # plies still to search
        ("key", np.uint64),
    ],
    align=True,
)


class Search(NamedTuple):
    """All a search works on; side 0, with stones 1, is to move at the root."""

    m: int
    n: int
    k: int
    width: int  # at most so many moves are tried at a position
    stones: int  # on the root's board
    age: int  # the number of the search, for the table
    board: Stones  # (cells,)
    lines: OpenLines
    hashes: Hashes
    table: Numbers  # (entries,), of transposition.ENTRY
    frames: Numbers  # (cells + 2,), of FRAME, one a ply
    tried: Mask  # (cells + 2, cells): the moves already tried at each ply
    killers: Cells  # (cells + 2, 2): the last moves that cut at each ply
    found: Cells  # (8,), room for threats
    ply: NDArray[np.int64]  # (1,): the frame being worked on; 0 when there is none


def search(
    shape: tuple[int, int, int], lines: Cells, maps: Cells, entries: int, width: int
) -> Search:
    """Room for searches on boards of shape (m, n, k), with a table of so many entries.

    Args:
        shape: rows, columns and how many in a row win.
        lines: the cells of every line, (lines, k).
        maps: the symmetries, (maps, cells).
        entries: of the table.
        width: at most so many moves are tried at a position.
    """
    cells = maps.shape[1]
    plies = cells + 2
    return Search(
        *shape,
        width=width,
        stones=0,
        age=0,
        board=np.zeros(cells, np.int8),
        lines=open_lines(lines, cells),
        hashes=hashes(maps),
        table=table(entries),
        frames=np.zeros(plies, FRAME),
        tried=np.zeros((plies, cells), np.bool_),
        killers=np.full((plies, 2), -1, np.int64),
        found=np.zeros(8, np.int64),
        ply=np.zeros(1, np.int64),
    )


def ready(room: Search, board: Stones) -> Search:
    """The same room made ready to search from `board` (cells,), as if it were never used before.

    All but the table starts anew; there it is the new `age` that puts old entries out of date.
    """
    room.board[:] = board
    room.killers[:] = -1
    room.ply[:] = 0
    reset(room.lines, board)
    stones = np.flatnonzero(board)
    sides = (board[stones] == -1).astype(np.int64)
    room.hashes.now[:] = np.bitwise_xor.reduce(room.hashes.of_stones[stones, sides], axis=0)
    return room._replace(stones=len(stones), age=room.age + 1)
