"""Zones of wins: sets of empty cells outside which the defender may own stones all the same.

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
    place,
    remove,
    threat_through,
)
from tttenv.game.threat_sequences_kernel import (
    MOVE,
    ThreatStack,
    second_threat,
    winning_threats,
)
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.table_kernel import CellSet
from tttenv.utils.compiled import inner
from tttenv.utils.struct import Struct

TRIED = 60  # threats tried in each search for a win by threats after a pass


@dataclass(frozen=True, eq=False)
class Passes(Struct):
    """Wins by threats after the defender's pass: the two in use, and one that is looked at."""

    moves: Annotated[NDArray[np.int16], "3, cells"]  # the attacker's
    lengths: Annotated[NDArray[np.int64], "3"]
    zones: Annotated[NDArray[np.uint64], "3, words"]
    answered: Annotated[NDArray[np.uint64], "words"]  # replies after which threats win as well
    replies: Annotated[NDArray[np.int16], "cells"]  # working memory: the forced ones
    hits: Annotated[NDArray[np.int64], "cells"]  # working memory of `add_guards`


@inner
def add_guards(board: LineBoard, zone: CellSet, rank: int, hits: NDArray[np.int64]) -> None:
    """Add two cells of each line that the defender could complete with `rank` stones and one more.

    The cell on most lines without two such cells comes first, of equals the lowest.
    """
    k = board.lines.shape[1]
    while rank > 0:  # else the defender completes a line at once
        for cell in range(hits.size):
            hits[cell] = 0
        best = NONE
        for line in range(len(board.lines)):
            if board.held[line, ATTACKER] > 0 or board.held[line, DEFENDER] < k - 1 - rank:
                continue
            inside = 0
            for i in range(k):
                cell = board.lines[line, i]
                inside += board.stones[cell] == 0 and sets.contains(zone, cell)
            if inside > 1:
                continue
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
def lowest_two(board: LineBoard, cell: int) -> tuple[int, int]:
    """Return the two lowest cells where the attacker completes a line, or NONE for each.

    The lines are those through `cell`, all if that is NONE.
    """
    k = board.lines.shape[1]
    first = second = NONE
    for i in range(len(board.lines) if cell == NONE else board.through_count[cell]):
        line = i if cell == NONE else int(board.lines_through[cell, i])
        if board.held[line, ATTACKER] == k - 1 and board.held[line, DEFENDER] == 0:
            free = empty_cell(board, line, NONE)
            if first == NONE or free < first:
                first, second = free, first
            elif free != first and (second == NONE or free < second):
                second = free
    return first, second


@inner
def find_win(board: LineBoard, threats: ThreatStack, wanted: int) -> int:
    """Search for a win by threats like `winning_threats`, for one by a single move first."""
    k = board.lines.shape[1]
    for line in range(len(board.lines)):
        if board.held[line, ATTACKER] != k - 2 or board.held[line, DEFENDER] != 0:
            continue
        move = empty_cell(board, line, NONE)
        for _ in range(2):
            reply = empty_cell(board, line, move)
            if wanted in (NONE, move) and second_threat(board, ATTACKER, line, move, reply):
                threats[0, MOVE] = move
                return move
            move = reply
    return winning_threats(board, ATTACKER, threats, wanted, TRIED)


@inner
def keep_win(board: LineBoard, threats: ThreatStack, p: Passes, at: int, rank: int) -> None:
    """Keep the moves of a win by threats that was just found, and its zone at a rank."""
    zone, moves = p.zones[at], p.moves[at]
    sets.clear(zone)
    count = 0
    while True:
        move = int(threats[count, MOVE])
        place(board, move, ATTACKER)
        moves[count] = move
        first, second = lowest_two(board, move)
        count += 1
        if second != NONE:
            break
        place(board, first, DEFENDER)
        p.replies[count - 1] = first
    p.lengths[at] = count
    sets.add(zone, first)
    sets.add(zone, second)
    while True:
        add_guards(board, zone, rank, p.hits)
        count -= 1
        remove(board, moves[count], ATTACKER)
        sets.add(zone, moves[count])
        if count == 0:
            return
        remove(board, p.replies[count - 1], DEFENDER)
        sets.add(zone, p.replies[count - 1])


@inner
def find_passes(board: LineBoard, threats: ThreatStack, p: Passes, rank: int) -> int:
    """Search for one or two wins by threats after a pass of the defender, at the next rank.

    Neither side can complete a line. Return how many there are: of the two, the zones have the
    fewest cells in common that the search can find. `Passes.answered` is then the set of the first
    zone's cells after which threats win as well.
    """
    sets.clear(p.answered)
    if find_win(board, threats, NONE) == NONE:
        return 0
    keep_win(board, threats, p, 0, rank + 1)
    fewest, count = sets.size_of_common(p.zones[0], p.zones[0]), 1
    for cell in range(board.stones.size):
        if not sets.contains(p.zones[0], cell):
            continue
        place(board, cell, DEFENDER)
        wanted, found = threat_through(board, cell, DEFENDER), NONE
        if wanted != SEVERAL:
            found = find_win(board, threats, wanted)
        remove(board, cell, DEFENDER)
        if found == NONE:
            continue
        sets.add(p.answered, cell)
        keep_win(board, threats, p, 2, rank + 1)
        common = sets.size_of_common(p.zones[0], p.zones[2])
        if common < fewest:
            fewest, count = common, 2
            p.lengths[1] = p.lengths[2]
            sets.copy_set(p.zones[2], p.zones[1])
            for i in range(p.lengths[2]):
                p.moves[1, i] = p.moves[2, i]
    return count
