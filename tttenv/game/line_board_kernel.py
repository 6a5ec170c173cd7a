"""The board used by all line-based searches, with the number of stones on every line.

Side 0 is the side to move at the root and side 1 the other, or side 0 is an attacker, who wants a
line, and side 1 the defender, who has to prevent it. A line is open to a side if the
other has no stone on it. The potential of a side's open lines is the sum of 2**stones over them,
its own stones on each; Erdos and Selfridge (1973) divide it by 2**k.

Play-outs and the rules look along the directions of one stone instead. The checker of proofs has a
board of its own, since it shares nothing with the prover but the rules.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask, Stones
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct

ATTACKER, DEFENDER = 0, 1  # the sides in a proof


@dataclass(frozen=True, eq=False)
class LineBoard(Struct):
    """A board with its lines, its stones and the number of each side's stones on every line."""

    lines: NDArray[np.int16]  # (lines, k): the cells of each line
    on_line: Mask  # (lines, cells): whether the cell is on the line
    lines_through: NDArray[np.uint16]  # (cells, most): the lines through each cell, then zeros
    through_count: NDArray[np.int64]  # (cells,): how many lines go through each cell
    stones: Stones  # (cells,): 0 empty, 1 of side 0, 2 of side 1
    held: NDArray[np.int8]  # (lines, 2): the stones of side 0 and of side 1


def new_line_board(rules: Rules) -> LineBoard:
    """Return an empty board."""
    lines, cells = rules.lines, rules.cells
    on_line = np.zeros((len(lines), cells), np.bool_)
    on_line[np.arange(len(lines))[:, None], lines] = True
    count = on_line.sum(axis=0)
    through = np.zeros((cells, max(1, int(count.max(initial=0)))), np.uint16)
    for cell in range(cells):
        through[cell, : count[cell]] = np.flatnonzero(on_line[:, cell])
    return LineBoard(
        lines=lines.astype(np.int16),
        on_line=on_line,
        lines_through=through,
        through_count=count.astype(np.int64),
        stones=np.zeros(cells, np.int8),
        held=np.zeros((len(lines), 2), np.int8),
    )


@inner
def change_stone(board: LineBoard, cell: int, side: int, step: int) -> None:
    """Put a stone of `side` on an empty cell (`step` 1) or remove it (-1)."""
    board.stones[cell] = side + 1 if step == 1 else 0
    for i in range(board.through_count[cell]):
        board.held[board.lines_through[cell, i], side] += step


@inner
def place(board: LineBoard, cell: int, side: int) -> None:
    """Put a stone of `side` on an empty cell."""
    change_stone(board, cell, side, 1)


@inner
def remove(board: LineBoard, cell: int, side: int) -> None:
    """Remove the stone of `side` from a cell."""
    change_stone(board, cell, side, -1)


@bare
def set_stones(board: LineBoard, wanted: Boards) -> None:
    """Set the stones from a board (cells,): 1 is a stone of side 0, -1 a stone of side 1."""
    for cell in range(wanted.size):
        stone = 0 if wanted[cell] == 0 else 1 if wanted[cell] == 1 else 2
        if board.stones[cell] != stone:
            if board.stones[cell] != 0:
                remove(board, cell, board.stones[cell] - 1)
            if stone != 0:
                place(board, cell, stone - 1)


@inner
def empty_cell(board: LineBoard, line: int, but: int) -> int:
    """Return the first empty cell of a line other than the cell `but`, or -1."""
    for i in range(board.lines.shape[1]):
        cell = board.lines[line, i]
        if cell != but and board.stones[cell] == 0:
            return int(cell)
    return -1


NONE, SEVERAL = -1, -2  # instead of a cell: there is none, or more than one


@inner
def completing_cell(board: LineBoard, side: int, but: int) -> int:
    """Return the first cell other than `but` on which `side` completes a line, or NONE."""
    k = board.lines.shape[1]
    for line in range(len(board.lines)):
        if board.held[line, side] == k - 1 and board.held[line, 1 - side] == 0:
            cell = empty_cell(board, line, but)
            if cell != NONE:
                return cell
    return NONE


@inner
def threat_through(board: LineBoard, cell: int, side: int) -> int:
    """Return the cell where `side` completes a line through `cell`, or NONE or SEVERAL."""
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
