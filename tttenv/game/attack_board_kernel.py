"""A board seen as an attack: one side, the attacker, wants a line, the other side has to stop him.

A line is open to a side if the other has no stone on it. The potential of a side's open lines is
the sum of 2**stones over them, its own stones on each; Erdos and Selfridge (1973) divide it by
2**k.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tttenv.game.transposition_kernel import ZobristHashes, new_hashes, toggle_hash
from tttenv.game.types import Cells, Mask, Stones
from tttenv.utils.bare import bare, inner
from tttenv.utils.struct import STRIDED, Struct

ATTACKER, DEFENDER = 0, 1


@dataclass(frozen=True, eq=False)
class AttackBoard(Struct):
    """The stones of both sides, how many of them each line has, and the hashes of all images."""

    lines: NDArray[np.int16]  # (lines, k): the cells of each line
    on_line: Mask  # (lines, cells): whether the cell is on the line
    lines_through: NDArray[np.int16]  # (cells, most): the lines through each cell, then zeros
    through_count: NDArray[np.int64]  # (cells,): how many lines go through each cell
    stones: Stones  # (cells,): 0 empty, 1 the attacker's, 2 the defender's
    hashes: ZobristHashes
    held: NDArray[np.int8] = field(metadata=STRIDED)  # (lines, 2): of the attacker, the defender


def new_attack_board(lines: NDArray[np.int64], maps: Cells) -> AttackBoard:
    """An empty board.

    Args:
        lines: the cells of every line, (lines, k).
        maps: the board's symmetries (maps, cells), as in `symmetry.maps`.
    """
    cells = maps.shape[1]
    on_line = np.zeros((len(lines), cells), np.bool_)
    on_line[np.arange(len(lines))[:, None], lines] = True
    count = on_line.sum(axis=0)
    through = np.zeros((cells, max(1, int(count.max(initial=0)))), np.int16)
    for cell in range(cells):
        through[cell, : count[cell]] = np.flatnonzero(on_line[:, cell])
    return AttackBoard(
        lines=lines.astype(np.int16),
        on_line=on_line,
        lines_through=through,
        through_count=count.astype(np.int64),
        held=np.zeros((len(lines), 2), np.int8),
        stones=np.zeros(cells, np.int8),
        hashes=new_hashes(maps),
    )


def both_views(board: AttackBoard) -> tuple[AttackBoard, AttackBoard]:
    """A board twice, with the same stones but the sides swapped in `held`.

    Stones are placed and removed by the first view only, of which the `stones` and `hashes` are.
    """
    return board, replace(board, held=board.held[:, ::-1])


@inner
def place(board: AttackBoard, cell: int, side: int) -> None:
    """Put a stone of a side (ATTACKER or DEFENDER) on an empty cell."""
    board.stones[cell] = side + 1
    for i in range(board.through_count[cell]):
        board.held[board.lines_through[cell, i], side] += 1
    toggle_hash(board.hashes, cell, side)


@inner
def remove(board: AttackBoard, cell: int, side: int) -> None:
    """Take the stone of a side off its cell."""
    board.stones[cell] = 0
    for i in range(board.through_count[cell]):
        board.held[board.lines_through[cell, i], side] -= 1
    toggle_hash(board.hashes, cell, side)


@bare
def set_stones(board: AttackBoard, stones: Stones) -> None:
    """Replace all stones by others (cells,): 0 empty, 1 the attacker's, 2 the defender's."""
    for cell in range(stones.size):
        if board.stones[cell] != stones[cell]:
            if board.stones[cell] != 0:
                remove(board, cell, board.stones[cell] - 1)
            if stones[cell] != 0:
                place(board, cell, stones[cell] - 1)


@inner
def empty_cell(board: AttackBoard, line: int, but: int) -> int:
    """The first empty cell of a line other than the cell `but`; -1 if there is none."""
    for i in range(board.lines.shape[1]):
        cell = board.lines[line, i]
        if cell != but and board.stones[cell] == 0:
            return int(cell)
    return -1


NONE, SEVERAL = -1, -2  # instead of a cell: there is none, or more than one


@inner
def threat_through(board: AttackBoard, cell: int, side: int) -> int:
    """The cell on which a side completes a line through its stone on `cell`; NONE or SEVERAL."""
    k = board.lines.shape[1]
    found = NONE
    for i in range(board.through_count[cell]):
        line = board.lines_through[cell, i]
        if board.held[line, side] == k - 1 and board.held[line, 1 - side] == 0:
            winning = empty_cell(board, line, -1)
            if found >= 0 and winning != found:
                return SEVERAL
            found = winning
    return found
