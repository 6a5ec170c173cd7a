"""A board whose open lines are sorted by their stones, and the zones of wins by threats on it.

The attacker wins a position W(rank, zone) if he wins it even though the defender owns any `rank`
empty cells outside the zone that complete no line. If the defender to move could pass and lose by a
win of the next rank, every reply outside that win's zone loses in the same way; only the cells that
all such zones have in common need an answer of their own.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import (
    ATTACKER,
    DEFENDER,
    NONE,
    SEVERAL,
    LineBoard,
    empty_cell,
    new_line_board,
)
from tttenv.game.rules import Rules
from tttenv.game.threat_sequences_kernel import second_threat
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.table_kernel import CellSet, words
from tttenv.utils.compiled import inner
from tttenv.utils.struct import Struct, allocate

LACKING = 3  # stones that a listed line lacks at most
TRIED = 60  # threats tried in each search for a win by threats alone


@dataclass(frozen=True, eq=False)
class ThreatBoard(Struct):
    """A board, and for each side and number of stones the lines that only this side has them on.

    Lines without stones, or that lack more than `LACKING`, are in no list.
    """

    board: LineBoard
    open: Annotated[NDArray[np.uint16], "2, counts, lines"]  # in no order
    size: Annotated[NDArray[np.int64], "2, counts"]  # how many of them there are
    place: Annotated[NDArray[np.uint16], "lines"]  # of a line among those it is with
    sequence: Annotated[NDArray[np.int64], "cells, 4"]  # of threats: see the columns below
    moves: Annotated[NDArray[np.int16], "3, cells"]  # the attacker's, of wins after a pass
    lengths: Annotated[NDArray[np.int64], "3"]
    zones: Annotated[NDArray[np.uint64], "3, words"]
    answered: Annotated[NDArray[np.uint64], "words"]  # replies after which threats win as well
    answers: Annotated[NDArray[np.uint64], "words"]  # the zones of these wins, together
    hits: Annotated[NDArray[np.int64], "cells"]  # working memory of `add_guards`


NEXT, WANTED, MOVE, REPLY = 0, 1, 2, 3  # line and end to try next; the defender's threat; the cells


def new_threat_board(rules: Rules) -> ThreatBoard:
    """Return an empty board."""
    sizes = {"cells": rules.cells, "lines": max(1, len(rules.lines)), "counts": rules.k + 1}
    sizes["words"] = words(rules.cells)
    return allocate(ThreatBoard, sizes, board=new_line_board(rules))


@inner
def _enlist(b: ThreatBoard, side: int, count: int, line: int) -> None:
    """Add a line to those with `count` stones of a side."""
    at = b.size[side, count]
    b.open[side, count, at] = line
    b.place[line] = at
    b.size[side, count] = at + 1


@inner
def _delist(b: ThreatBoard, side: int, count: int, line: int) -> None:
    """Remove a line from those with `count` stones of a side."""
    end = b.size[side, count] - 1
    b.size[side, count] = end
    last = b.open[side, count, end]
    at = b.place[line]
    b.open[side, count, at] = last
    b.place[last] = at


@inner
def put(b: ThreatBoard, cell: int, side: int) -> None:
    """Put a stone of `side` on an empty cell."""
    board, other = b.board, 1 - side
    least = max(1, board.lines.shape[1] - LACKING)
    board.stones[cell] = side + 1
    for i in range(board.through_count[cell]):
        line = board.lines_through[cell, i]
        mine, others = board.held[line, side], board.held[line, other]
        board.held[line, side] = mine + 1
        if others == 0:
            if mine >= least:
                _delist(b, side, mine, line)
            if mine + 1 >= least:
                _enlist(b, side, mine + 1, line)
        elif mine == 0 and others >= least:
            _delist(b, other, others, line)


@inner
def take(b: ThreatBoard, cell: int, side: int) -> None:
    """Remove the stone of `side` from a cell."""
    board, other = b.board, 1 - side
    least = max(1, board.lines.shape[1] - LACKING)
    board.stones[cell] = 0
    for i in range(board.through_count[cell]):
        line = board.lines_through[cell, i]
        mine, others = board.held[line, side] - 1, board.held[line, other]
        board.held[line, side] = mine
        if others == 0:
            if mine + 1 >= least:
                _delist(b, side, mine + 1, line)
            if mine >= least:
                _enlist(b, side, mine, line)
        elif mine == 0 and others >= least:
            _enlist(b, other, others, line)


@inner
def _line_from(b: ThreatBoard, side: int, count: int, least: int) -> int:
    """Return the first line from `least` on with `count` stones of one side only."""
    found = b.place.size
    for i in range(b.size[side, count]):
        line = int(b.open[side, count, i])
        if least <= line < found:
            found = line
    return found


@inner
def completing(b: ThreatBoard, side: int) -> int:
    """Return the cell on which a side completes a line, NONE or SEVERAL."""
    count = b.board.lines.shape[1] - 1
    found = NONE
    for i in range(b.size[side, count]):
        cell = empty_cell(b.board, b.open[side, count, i], NONE)
        if found >= 0 and cell != found:
            return SEVERAL
        found = cell
    return found


@inner
def lowest_two(b: ThreatBoard) -> tuple[int, int]:
    """Return the two lowest cells where the attacker completes a line, or NONE for each."""
    count = b.board.lines.shape[1] - 1
    first = second = NONE
    for i in range(b.size[ATTACKER, count]):
        free = empty_cell(b.board, b.open[ATTACKER, count, i], NONE)
        if first == NONE or free < first:
            first, second = free, first
        elif free != first and (second == NONE or free < second):
            second = free
    return first, second


@inner
def double_threat(b: ThreatBoard, side: int, wanted: int) -> int:
    """Return a move that makes two threats at once, on `wanted` if that is a cell, or NONE."""
    board, count, line = b.board, b.board.lines.shape[1] - 2, 0
    for _ in range(b.size[side, count]):
        line = _line_from(b, side, count, line)
        move = empty_cell(board, line, NONE)
        for _ in range(2):
            reply = empty_cell(board, line, move)
            if wanted in (NONE, move) and second_threat(board, side, line, move, reply):
                return move
            move = reply
        line += 1
    return NONE


@inner
def _goes_on(b: ThreatBoard, side: int, move: int, reply: int) -> bool:
    """Return whether a side has a threat to make after a move and the reply to it."""
    board = b.board
    fours, other = board.lines.shape[1] - 2, 1 - side
    left = b.size[side, fours]
    for i in range(board.through_count[move]):
        line = board.lines_through[move, i]
        if board.held[line, other] == 0:
            mine = board.held[line, side]
            if mine == fours:
                left -= 1
            elif mine == fours - 1 and not board.on_line[line, reply]:
                return True
    for i in range(board.through_count[reply]):
        line = board.lines_through[reply, i]
        if board.held[line, side] == fours and board.held[line, other] == 0:
            left -= not board.on_line[line, move]
    return bool(left > 0)


@inner
def find_win(b: ThreatBoard, side: int, wanted: int) -> int:
    """Search for a win by threats that leave one reply each; return their number, or 0.

    `side` is to move and completes no line at once; the other side does on `wanted`, if that is a
    cell. The moves are then in `sequence`. The board is left as it was.
    """
    board, stack = b.board, b.sequence
    fours, other = board.lines.shape[1] - 2, 1 - side
    depth = tried = length = 0
    stack[0, NEXT], stack[0, WANTED] = -1, wanted
    while True:
        deeper = False
        if stack[depth, NEXT] < 0:
            stack[depth, NEXT] = 0
            move = double_threat(b, side, stack[depth, WANTED])
            if move != NONE:
                stack[depth, MOVE] = move
                length = depth + 1
        end = stack[depth, NEXT]  # twice the line's number, plus one for its second empty cell
        while length == 0 and tried < TRIED:
            line = _line_from(b, side, fours, end >> 1)
            if line == b.place.size:
                break
            end = max(end, 2 * line)
            move = empty_cell(board, line, NONE)
            reply = empty_cell(board, line, move)
            if end & 1:
                move, reply = reply, move
            end += 1
            if stack[depth, WANTED] >= 0 and move != stack[depth, WANTED]:
                continue
            tried += 1
            if not _goes_on(b, side, move, reply):
                continue
            put(b, move, side)
            put(b, reply, other)
            threat = completing(b, other)
            if threat == SEVERAL:
                take(b, reply, other)
                take(b, move, side)
                continue
            stack[depth, NEXT], stack[depth, MOVE], stack[depth, REPLY] = end, move, reply
            depth += 1
            stack[depth, NEXT], stack[depth, WANTED] = -1, threat
            deeper = True
            break
        if deeper:
            continue
        over = length > 0 or tried >= TRIED
        if depth == 0:
            return length
        while depth > 0:
            depth -= 1
            take(b, stack[depth, REPLY], other)
            take(b, stack[depth, MOVE], side)
            if not over:
                break
        if over:
            return length


@inner
def keep_win(b: ThreatBoard, at: int, rank: int) -> None:
    """Keep the moves of the attacker's win that `find_win` found, and its zone at a rank."""
    zone, moves, stack = b.zones[at], b.moves[at], b.sequence
    sets.clear(zone)
    count = 0
    while True:
        moves[count] = stack[count, MOVE]
        put(b, stack[count, MOVE], ATTACKER)
        count += 1
        first, second = lowest_two(b)
        if second != NONE:  # at the last move, or before it if a stone of the defender is missing
            break
        put(b, stack[count - 1, REPLY], DEFENDER)
    b.lengths[at] = count
    sets.add(zone, first)
    sets.add(zone, second)
    while True:
        add_guards(b, zone, rank)
        count -= 1
        take(b, stack[count, MOVE], ATTACKER)
        sets.add(zone, stack[count, MOVE])
        if count == 0:
            return
        take(b, stack[count - 1, REPLY], DEFENDER)
        sets.add(zone, stack[count - 1, REPLY])


@inner
def add_guards(b: ThreatBoard, zone: CellSet, rank: int) -> None:
    """Add two cells of each line that the defender could complete with `rank` stones and one more.

    The cell on most lines without two such cells comes first, of equals the lowest.
    """
    board, hits = b.board, b.hits
    k = board.lines.shape[1]
    while rank > 0:  # else the defender completes a line at once
        best = NONE
        for count in range(k - 1 - rank, k):
            for at in range(b.size[DEFENDER, count]):
                line = b.open[DEFENDER, count, at]
                if _inside(board, line, zone) > 1:
                    continue
                if best == NONE:
                    hits[:] = 0
                for i in range(k):
                    cell = int(board.lines[line, i])
                    if board.stones[cell] == 0 and not sets.contains(zone, cell):
                        hits[cell] += 1
                        more = best == NONE or hits[cell] > hits[best]
                        if more or (hits[cell] == hits[best] and cell < best):
                            best = cell
        if best == NONE:
            return
        sets.add(zone, best)


@inner
def _inside(board: LineBoard, line: int, zone: CellSet) -> int:
    """Return how many empty cells of a line are in a zone."""
    inside = 0
    for i in range(board.lines.shape[1]):
        cell = board.lines[line, i]
        inside += board.stones[cell] == 0 and sets.contains(zone, cell)
    return inside


@inner
def find_passes(b: ThreatBoard, rank: int) -> int:
    """Search for one or two wins by threats after a pass of the defender, at the next rank.

    Neither side can complete a line. Return how many there are: of the two, the zones have the
    fewest cells in common that the search can find. `answered` is then the set of the first zone's
    cells after which threats win as well, and `answers` the zones of those wins.
    """
    sets.clear(b.answered)
    sets.clear(b.answers)
    length = 0
    if rank + 1 < min(LACKING, b.board.lines.shape[1] - 1):  # else unlisted lines need guards
        length = find_win(b, ATTACKER, NONE)
    if length == 0:
        return 0
    keep_win(b, 0, rank + 1)
    fewest, count = sets.size_of_common(b.zones[0], b.zones[0]), 1
    for cell in range(b.board.stones.size):
        if not sets.contains(b.zones[0], cell):
            continue
        put(b, cell, DEFENDER)
        wanted, length = completing(b, DEFENDER), 0
        if wanted != SEVERAL:
            length = find_win(b, ATTACKER, wanted)
        if length > 0:
            keep_win(b, 2, rank)
        take(b, cell, DEFENDER)
        if length == 0:
            continue
        sets.add(b.answered, cell)
        sets.unite(b.answers, b.zones[2])
        keep_win(b, 2, rank + 1)
        common = sets.size_of_common(b.zones[0], b.zones[2])
        if common < fewest:
            fewest, count = common, 2
            b.lengths[1] = b.lengths[2]
            sets.copy_set(b.zones[2], b.zones[1])
            for i in range(b.lengths[2]):
                b.moves[1, i] = b.moves[2, i]
    return count
