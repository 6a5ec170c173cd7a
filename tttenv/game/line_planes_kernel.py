"""Compiled input planes for networks: features of the lines through each cell.

A line is open to a side if the other has no stone on it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import (
    NONE,
    LineBoard,
    new_line_board,
    place,
    remove,
    set_stones,
)
from tttenv.game.outcomes_kernel import WON
from tttenv.game.rules import Rules
from tttenv.game.threat_sequences_kernel import (
    MOVE,
    REPLY,
    ThreatStack,
    judge,
    new_threat_stack,
)
from tttenv.game.types import Boards
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct

MINE, THEIRS, ON_BOARD = 0, 1, 2  # stones, and a plane of ones that shows where the board ends
WINS, TWO_SHORT, POTENTIAL = 3, 5, 7  # two planes each: of my lines, then of theirs
THREAT_FIRST, THREAT_SEQUENCE = 9, 11  # two planes each: of my wins by threats, then of theirs
LOSING = 13  # moves of mine after which the other side wins by threats
PLANES = 14


@dataclass(frozen=True, eq=False)
class PlaneLines(Struct):
    """A board with its lines, and working memory for the threat search."""

    board: LineBoard  # side 0 is to move
    stack: ThreatStack
    threats: int  # tried in a search for a win by threats


def new_plane_lines(rules: Rules, threats: int) -> PlaneLines:
    """Allocate an empty board, and memory for its threat search."""
    return PlaneLines(new_line_board(rules), new_threat_stack(rules.cells), threats)


@bare
def write_line_planes(boards: Boards, about: PlaneLines, planes: NDArray[np.float32]) -> None:
    """Write the line planes (batch, PLANES, cells), zeros before, of boards (batch, cells).

    Of empty cells: WINS is 1 where a stone completes a line; TWO_SHORT is the number of open lines
    through the cell that need two more stones, halved, so that it is 1 where a stone makes a double
    threat; POTENTIAL is the sum over the open lines through the cell of 2**(stones - k + 1), up to
    4. If a side, being to move, wins by a sequence of single threats that is found, THREAT_FIRST is
    1 on its first cell and THREAT_SEQUENCE on all cells of the sequence. LOSING is 1 where a stone
    of the side to move lets the other side complete a line or win by threats, if that is so for a
    pass, too. All else is 0.
    """
    batch, cells = boards.shape
    lines = about.board
    count, k = lines.lines.shape
    for i in range(batch):
        board, out = boards[i], planes[i]
        for cell in range(cells):
            out[MINE, cell] = board[cell] == 1
            out[THEIRS, cell] = board[cell] == -1
            out[ON_BOARD, cell] = 1.0
        set_stones(lines, board)
        for line in range(count):
            for side in range(2):
                own, other = lines.held[line, side], lines.held[line, 1 - side]
                if other > 0:
                    continue
                worth = np.float32(0.5 ** (k - 1 - own))
                for j in range(k):
                    cell = lines.lines[line, j]
                    if board[cell] == 0:
                        out[POTENTIAL + side, cell] += worth
                        if own == k - 1:
                            out[WINS + side, cell] = 1.0
                        elif own == k - 2:
                            out[TWO_SHORT + side, cell] += 0.5
        for side in range(2):
            for cell in range(cells):
                out[POTENTIAL + side, cell] = min(out[POTENTIAL + side, cell], np.float32(4.0))
            _write_threats(about, side, out)
        if judge(lines, 1, about.stack, about.threats)[0] == WON:
            _write_losing_moves(board, about, out)


@inner
def _write_threats(about: PlaneLines, side: int, out: NDArray[np.float32]) -> None:
    """Write the planes that mark a side's wins by threats."""
    for cell in range(out.shape[1]):
        if out[WINS + side, cell] > 0.0:
            return  # it completes a line, which other planes show
    if judge(about.board, side, about.stack, about.threats)[0] != WON:
        return
    out[THREAT_FIRST + side, about.stack[0, MOVE]] = 1.0
    depth = 0
    while about.stack[depth, MOVE] != NONE:
        out[THREAT_SEQUENCE + side, about.stack[depth, MOVE]] = 1.0
        out[THREAT_SEQUENCE + side, about.stack[depth, REPLY]] = 1.0
        depth += 1


@inner
def _write_losing_moves(board: Boards, about: PlaneLines, out: NDArray[np.float32]) -> None:
    """Mark the moves after which the other side completes a line or wins by threats."""
    for cell in range(len(board)):
        if board[cell] == 0 and out[WINS, cell] == 0:
            place(about.board, cell, 0)
            if judge(about.board, 1, about.stack, about.threats)[0] == WON:
                out[LOSING, cell] = 1.0
            remove(about.board, cell, 0)
