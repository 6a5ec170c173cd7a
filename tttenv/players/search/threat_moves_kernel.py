"""Moves that attack with double threats, and moves that defend against them.

A threat is a line that needs one more stone, a double threat two of them with different last cells:
it wins unless the other side completes a line first. A side can make a double threat if two of its
open lines with k - 2 stones share an empty cell and differ in the other one. In Gomoku a threat is
a four, and a move after which a double threat could follow is a three (Allis, van den Herik and
Huntjens, "Go-Moku and threat-space search", 1994).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.open_lines_kernel import OpenLines
from tttenv.game.types import Cells, Mask
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct


@dataclass(frozen=True, eq=False)
class ThreatRoom(Struct):
    """Working memory for the functions of this module."""

    ends: NDArray[np.int64]  # (lines + lines through a cell, 2): the empty cells of lines
    hits: Cells  # (cells,): how many double threats a stone on the cell is in the way of


def new_threat_room(lines: OpenLines, cells: int) -> ThreatRoom:
    """Allocate the working memory for a game with `cells` cells."""
    most = len(lines.board.lines) + lines.board.lines_through.shape[1]
    return ThreatRoom(np.zeros((most, 2), np.int64), np.zeros(cells, np.int64))


@bare
def can_make_double_threat(lines: OpenLines, side: int, room: ThreatRoom) -> bool:
    """Return whether `side` can make a double threat with one stone."""
    if lines.open_count[side, lines.board.lines.shape[1] - 2] < 2:
        return False
    count = _list_ends(lines, side, room)
    for i in range(count):
        if _crosses(room, i, i):
            return True
    return False


@bare
def only_answers(lines: OpenLines, side: int, room: ThreatRoom, barred: Mask) -> bool:
    """Bar every cell except the moves of `side` that prevent an immediate double threat.

    Neither side can complete a line. Such a move makes a threat itself, or takes a cell of every
    double threat: the cell that both lines share or the last cell of one of them. Return whether
    the other side could make a double threat; if not, `barred` (cells,) is left as it was.
    """
    if lines.open_count[1 - side, lines.board.lines.shape[1] - 2] < 2:
        return False
    count = _list_ends(lines, 1 - side, room)
    ends, hits = room.ends, room.hits
    for cell in range(hits.size):
        hits[cell] = 0
    found = 0
    for i in range(count):
        for j in range(i):
            for a in range(2):
                for b in range(2):
                    if ends[i, a] == ends[j, b] and ends[i, 1 - a] != ends[j, 1 - b]:
                        found += 1
                        hits[ends[i, a]] += 1
                        hits[ends[i, 1 - a]] += 1
                        hits[ends[j, 1 - b]] += 1
    if found == 0:
        return False
    count = _list_ends(lines, side, room)
    for i in range(count):
        hits[ends[i, 0]] = hits[ends[i, 1]] = found
    for cell in range(hits.size):
        barred[cell] = hits[cell] != found
    return True


@bare
def only_attacks(lines: OpenLines, side: int, room: ThreatRoom, barred: Mask) -> int:
    """Bar all cells but moves of `side` that threaten or prepare a double threat; count them."""
    k = lines.board.lines.shape[1]
    count = _list_ends(lines, side, room)
    ends = room.ends
    moves = 0
    for cell in range(barred.size):
        barred[cell] = True
    for i in range(count):
        for a in range(2):
            if barred[ends[i, a]]:
                barred[ends[i, a]] = False
                moves += 1
    for cell in range(barred.size):
        if lines.board.stones[cell] != 0 or not barred[cell]:
            continue
        last = count
        for i in range(lines.board.through_count[cell]):
            line = lines.board.lines_through[cell, i]
            if lines.board.held[line, side] != k - 3 or lines.board.held[line, 1 - side] != 0:
                continue
            _note_ends(lines, line, cell, room, last)
            last += 1
            if _crosses(room, last - 1, last - 1):
                barred[cell] = False
                moves += 1
                break
    return moves


@inner
def _list_ends(lines: OpenLines, side: int, room: ThreatRoom) -> int:
    """List both empty cells of each open line with k - 2 stones of `side`; return the count."""
    k = lines.board.lines.shape[1]
    left = lines.open_count[side, k - 2]
    count = 0
    line = 0
    while count < left:
        if lines.board.held[line, side] == k - 2 and lines.board.held[line, 1 - side] == 0:
            _note_ends(lines, line, -1, room, count)
            count += 1
        line += 1
    return count


@inner
def _note_ends(lines: OpenLines, line: int, but: int, room: ThreatRoom, row: int) -> None:
    """Write the two empty cells of a line, other than the cell `but`, to a row of the ends."""
    end = 0
    for j in range(lines.board.lines.shape[1]):
        cell = lines.board.lines[line, j]
        if lines.board.stones[cell] == 0 and cell != but:
            room.ends[row, end] = cell
            end += 1


@inner
def _crosses(room: ThreatRoom, row: int, count: int) -> bool:
    """Return whether a row's line shares exactly one empty cell with one of the first `count`."""
    ends = room.ends
    for j in range(count):
        for a in range(2):
            for b in range(2):
                if ends[row, a] == ends[j, b] and ends[row, 1 - a] != ends[j, 1 - b]:
                    return True
    return False
