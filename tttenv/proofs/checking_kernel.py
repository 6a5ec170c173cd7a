"""Compiled verification of the proofs that `recording_kernel` writes, without searching.

It uses none of the prover's code, only a board of three kinds of cell, the lines of the rules and
the symmetries, which the caller has checked. Every claim about a position is verified on its board,
and every cell of the other side is either followed or lies outside the zone of a move that was.

Where the defender holds, a zone is a set of empty cells such that he holds even if the attacker
owned every empty cell outside it. So each rule makes sure that every line open to the attacker has
a cell of the zone, and two where the attacker moves before the defender completes a line.

Where the attacker wins, a position has a rank: how often the defender passed on the way to it. Its
zone is a set of empty cells such that the attacker wins even if the defender owned as many cells
outside it as the rank says, as long as they complete no line. So where the defender moves, each
line that he could complete with those cells and one more has two cells of the zone: its guards.
At rank 0 one position may answer several replies: he gets the stones of them all there, and with
fewer of them the attacker wins too.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Mask, Stones
from tttenv.proofs import steps_kernel as steps
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate

# What a step shows: it holds, the position after its move comes next, or it proves nothing.
HOLDS, GO_ON, FAILS = range(3)
NO_CELL = NO_MAP = -1
IN_ZONE = 3  # instead of 0, an empty cell: one in the zone


@dataclass(frozen=True, eq=False)
class Board(Struct):
    """The lines and symmetries of a game, and the stones: 0 empty, 1 attacker's, 2 defender's."""

    lines: Cells  # (lines, k)
    through: Cells  # (cells, most): the lines through each cell, then -1
    maps: Cells  # (maps, cells)
    stones: Stones  # (cells,)
    counts: Cells  # (lines, 3): how many cells of a line hold 0, 1 and 2


@dataclass(frozen=True, eq=False)
class Finished(Struct):
    """Images of positions verified so far, and the zones on those images.

    Where the attacker wins, they are his to move; where the defender holds, their rank is 0.
    """

    slots: Annotated[NDArray[np.int64], "slots"]  # row plus one, 0 where free; a power of 2
    boards: Annotated[NDArray[np.int8], "rows, cells"]  # stones, and IN_ZONE on empty cells
    ranks: Annotated[NDArray[np.int16], "rows"]
    moves: Annotated[NDArray[np.int16], "rows"]  # of the attacker, where he wins
    slot: Annotated[NDArray[np.int64], "rows"]  # in which a row is
    filled: Annotated[NDArray[np.int64], "1"]  # how many


@dataclass(frozen=True, eq=False)
class Walk(Struct):
    """The reading position in a proof, with one row per ply of the walk through it."""

    numbers: NDArray[np.int16]  # (length,)
    places: Cells  # (cells of the proof's board,): the cell that each of its cells is here
    at: Annotated[NDArray[np.int64], "1"]
    visited: Annotated[NDArray[np.int64], "1"]  # positions verified
    step: Annotated[NDArray[np.int64], "plies"]  # the step taken
    move: Annotated[NDArray[np.int64], "plies"]  # a cell, steps.PASS or steps.GROUP
    group: Annotated[NDArray[np.int64], "plies"]  # where the cells of the reply begin
    rank: Annotated[NDArray[np.int64], "plies"]
    count: Annotated[NDArray[np.int64], "plies"]  # of the defender's passes or replies, those left
    zones: Annotated[Mask, "plies, cells"]
    left: Annotated[Mask, "plies, cells"]  # moves that nothing answers yet
    image: Annotated[NDArray[np.int8], "cells"]
    marks: Annotated[Mask, "cells"]
    hits: Annotated[NDArray[np.int64], "cells"]  # lines through a cell that need it as a guard


def new_finished(slots: int, rows: int, cells: int) -> Finished:
    """Allocate an empty set of at most `rows` positions."""
    return allocate(Finished, {"slots": slots, "rows": rows, "cells": cells})


def new_walk(numbers: NDArray[np.int16], places: Cells, cells: int) -> Walk:
    """Return a walk at the beginning of a proof."""
    # Every second ply puts a stone of the attacker; the defender may pass in between.
    sizes = {"plies": 2 * cells + 2, "cells": cells}
    return allocate(Walk, sizes, numbers=numbers, places=places)


@inner
def set_cell(board: Board, cell: int, stone: int) -> None:
    """Put a stone, 1 or 2, on a cell, or make it empty, 0."""
    before = board.stones[cell]
    board.stones[cell] = stone
    for i in range(board.through.shape[1]):
        line = board.through[cell, i]
        if line < 0:
            return
        board.counts[line, before] -= 1
        board.counts[line, stone] += 1


@inner
def smallest_image(board: Board, image: Stones) -> int:
    """Write the lexicographically smallest image to `image`, and return its map's index."""
    best = 0
    cells = board.stones.size
    for cell in range(cells):
        image[cell] = board.stones[board.maps[0, cell]]
    for number in range(1, len(board.maps)):
        for cell in range(cells):
            stone = board.stones[board.maps[number, cell]]
            if stone != image[cell]:
                if stone < image[cell]:
                    best = number
                    for other in range(cells):
                        image[other] = board.stones[board.maps[number, other]]
                break
    return best


@inner
def key_of(board: Board, walk: Walk, number: int) -> int:
    """Write the board's image under a map, the smallest image for NO_MAP; return the map."""
    if number == NO_MAP:
        number = smallest_image(board, walk.image)
    else:
        for cell in range(board.stones.size):
            walk.image[cell] = board.stones[board.maps[number, cell]]
    return number


@inner
def slot_of(finished: Finished, image: Stones, rank: int) -> int:
    """Return the slot of an image among the finished positions, or a free slot for it."""
    code = np.uint64(1469598103934665603) ^ np.uint64(rank)
    for cell in range(image.size):
        code = (code ^ np.uint64(image[cell])) * np.uint64(1099511628211)
    code ^= code >> np.uint64(29)
    slot = np.int64(code & np.uint64(finished.slots.size - 1))
    while finished.slots[slot] != 0:
        row = finished.slots[slot] - 1
        same = finished.ranks[row] == rank
        for cell in range(image.size):
            if finished.boards[row, cell] % IN_ZONE != image[cell]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & (finished.slots.size - 1)
    return int(slot)


@bare
def recall(board: Board, finished: Finished, walk: Walk, ply: int, number: int) -> bool:
    """Return whether the image of `key_of` is finished; if so, fill the position's zone."""
    zone = walk.zones[ply]
    number = key_of(board, walk, number)
    row = finished.slots[slot_of(finished, walk.image, walk.rank[ply])] - 1
    if row < 0:
        return False
    for cell in range(zone.size):
        zone[board.maps[number, cell]] = finished.boards[row, cell] == IN_ZONE
    return True


@bare
def remember(board: Board, finished: Finished, walk: Walk, ply: int, number: int) -> int:
    """Add an image and its zone to the finished positions; return HOLDS, or FAILS without room."""
    zone = walk.zones[ply]
    number = key_of(board, walk, number)
    row = finished.filled[0]
    if row >= len(finished.boards):
        return FAILS
    finished.slot[row] = slot_of(finished, walk.image, walk.rank[ply])
    finished.slots[finished.slot[row]] = row + 1
    finished.ranks[row], finished.moves[row] = walk.rank[ply], walk.move[ply]
    finished.filled[0] += 1
    for cell in range(zone.size):
        inside = zone[board.maps[number, cell]]
        finished.boards[row, cell] = IN_ZONE if inside else walk.image[cell]
    return HOLDS


@inner
def forget(finished: Finished) -> None:
    """Forget all finished positions."""
    for row in range(finished.filled[0]):
        finished.slots[finished.slot[row]] = 0
    finished.filled[0] = 0


@inner
def cells_that_complete(board: Board, side: int) -> tuple[int, int]:
    """Return the two lowest cells on which `side` completes a line, NO_CELL where there is none."""
    first = second = NO_CELL
    for line in range(len(board.lines)):
        if board.counts[line, 0] != 1 or board.counts[line, side] != board.lines.shape[1] - 1:
            continue
        free = NO_CELL
        for i in range(board.lines.shape[1]):
            cell = int(board.lines[line, i])
            if board.stones[cell] == 0:
                free = cell
        if free in (first, second):
            continue
        if first == NO_CELL or free < first:
            first, second = free, first
        elif second == NO_CELL or free < second:
            second = free
    return first, second


@inner
def add_guards(board: Board, walk: Walk, ply: int) -> None:
    """Add two cells of each line that the defender could complete with stones outside the zone.

    With as many stones as the rank says and one more, that is. The cell on most lines without two
    such cells comes first, of equals the lowest.
    """
    zone, least = walk.zones[ply], board.lines.shape[1] - 1 - walk.rank[ply]
    while walk.rank[ply] > 0:  # else the defender completes a line at once
        for cell in range(zone.size):
            walk.hits[cell] = 0
        best = NO_CELL
        for line in range(len(board.lines)):
            if board.counts[line, 1] > 0 or board.counts[line, 2] < least:
                continue
            inside = 0
            for i in range(board.lines.shape[1]):
                cell = board.lines[line, i]
                inside += board.stones[cell] == 0 and zone[cell]
            if inside > 1:
                continue
            for i in range(board.lines.shape[1]):
                cell = int(board.lines[line, i])
                if board.stones[cell] == 0 and not zone[cell]:
                    walk.hits[cell] += 1
                    more = best == NO_CELL or walk.hits[cell] > walk.hits[best]
                    if more or (walk.hits[cell] == walk.hits[best] and cell < best):
                        best = cell
        if best == NO_CELL:
            return
        zone[best] = True


@inner
def completes_line(board: Board, cell: int, side: int) -> bool:
    """Return whether a stone of `side` (1 or 2) on an empty cell completes a line."""
    for i in range(board.through.shape[1]):
        line = board.through[cell, i]
        if line < 0:
            return False
        if board.counts[line, side] == board.lines.shape[1] - 1:
            return True
    return False


@inner
def is_open(board: Board, line: int) -> bool:
    """Return whether a line has no stone of the defender."""
    return bool(board.counts[line, 2] == 0)


@inner
def hits_open_lines(board: Board, zone: Mask, times: int, but: int) -> bool:
    """Return whether each open line not through `but` has at least `times` zone cells."""
    for line in range(len(board.lines)):
        if not is_open(board, line):
            continue
        count = 0
        for i in range(board.lines.shape[1]):
            cell = board.lines[line, i]
            if cell == but:
                count = times
            elif board.stones[cell] == 0 and zone[cell]:
                count += 1
        if count < times:
            return False
    return True


@inner
def read(walk: Walk) -> int:
    """Read and return the next number of the proof, or -1 at its end."""
    if walk.at[0] >= walk.numbers.size:
        return -1
    walk.at[0] += 1
    return int(walk.numbers[walk.at[0] - 1])


@inner
def read_cell(board: Board, walk: Walk) -> int:
    """Read the next number and return its cell here if that is empty, else NO_CELL."""
    number = read(walk)
    if not 0 <= number < walk.places.size:
        return NO_CELL
    cell = int(walk.places[number])
    return cell if board.stones[cell] == 0 else NO_CELL


@inner
def read_reply(board: Board, walk: Walk, ply: int, least: int) -> int:
    """Read the defender's reply, or a group of `least` cells or more, and put his stones there.

    Return how many of its cells no reply was on, or NO_CELL for a taken cell or a line of his.
    """
    begin, size = walk.at[0], -read(walk)
    if size >= least and walk.rank[ply] == 0:
        begin += 1
    else:
        size = 1
    walk.at[0] = walk.group[ply] = begin
    news = 0
    for _ in range(size):
        cell = read_cell(board, walk)
        if cell == NO_CELL or completes_line(board, cell, 2):
            return NO_CELL
        set_cell(board, cell, 2)
        news += walk.left[ply, cell]
        walk.left[ply, cell] = False
        walk.move[ply] = cell if size == 1 else steps.GROUP
    return news


@inner
def take_back(board: Board, walk: Walk, ply: int) -> None:
    """Remove the stones of the move at a ply."""
    if walk.move[ply] == steps.GROUP:
        begin = walk.group[ply]
        for i in range(begin, begin - walk.numbers[begin - 1]):
            set_cell(board, walk.places[walk.numbers[i]], 0)
    elif walk.move[ply] != steps.PASS:
        set_cell(board, walk.move[ply], 0)


@inner
def read_zone(board: Board, walk: Walk, zone: Mask, times: int, but: int) -> int:
    """Read a list of cells, add them to the zone, and check it as `hits_open_lines` does."""
    count = read(walk)
    for _ in range(count):
        cell = read_cell(board, walk)
        if cell < 0:
            return FAILS
        zone[cell] = True
    return HOLDS if count >= 0 and hits_open_lines(board, zone, times, but) else FAILS


@inner
def check_potential(board: Board, attacker_moves: bool, zone: Mask) -> int:
    """Check that the attacker's potential is below the bound of Erdos and Selfridge."""
    bound = np.int64(1) << (board.lines.shape[1] - (1 if attacker_moves else 0))
    potential = np.int64(0)
    for line in range(len(board.lines)):
        if is_open(board, line):
            for i in range(board.lines.shape[1]):
                cell = board.lines[line, i]
                zone[cell] = zone[cell] or board.stones[cell] == 0
            potential += np.int64(1) << board.counts[line, 1]
    return HOLDS if potential < bound else FAILS


@inner
def check_pairs(board: Board, walk: Walk, zone: Mask) -> int:
    """Check that the proof lists disjoint pairs of empty cells, one in each open line."""
    count, begin = read(walk), walk.at[0]
    if count < 0:
        return FAILS
    for _ in range(2 * count):
        cell = read_cell(board, walk)
        if cell < 0 or zone[cell]:
            return FAILS
        zone[cell] = True
    for line in range(len(board.lines)):
        if not is_open(board, line):
            continue
        for i in range(board.lines.shape[1]):
            walk.marks[board.lines[line, i]] = True
        paired = False
        for i in range(begin, begin + 2 * count, 2):
            if walk.marks[walk.numbers[i]] and walk.marks[walk.numbers[i + 1]]:
                paired = True
        for i in range(board.lines.shape[1]):
            walk.marks[board.lines[line, i]] = False
        if not paired:
            return FAILS
    return HOLDS


@inner
def check_threats(board: Board, walk: Walk, zone: Mask, count: int) -> int:
    """Check that the defender completes a line: by one cell to move, else by either of two."""
    cell = -1
    for _ in range(count):
        cell = read_cell(board, walk)
        if cell < 0 or zone[cell] or not completes_line(board, cell, 2):
            return FAILS
        zone[cell] = True
    return read_zone(board, walk, zone, count, cell if count == 1 else -1)


@bare
def begin_hold(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Read the first step for a position the defender holds; return HOLDS, GO_ON or FAILS."""
    zone = walk.zones[ply]
    step = read(walk)
    if step == steps.POTENTIAL:
        return check_potential(board, attacker_moves, zone)
    if step == steps.PAIRS:
        return check_pairs(board, walk, zone)
    if step == steps.COMPLETES and not attacker_moves:
        return check_threats(board, walk, zone, 1)
    if step == steps.TWO_THREATS and attacker_moves:
        return check_threats(board, walk, zone, 2)
    walk.step[ply] = step
    if step == steps.MOVES and attacker_moves:
        for cell in range(len(board.stones)):
            walk.left[ply, cell] = board.stones[cell] == 0
        return read_move(board, walk, ply, True)
    if (step == steps.MOVE and not attacker_moves) or (step == steps.ANSWER and attacker_moves):
        state = read_move(board, walk, ply, attacker_moves)
        if state == GO_ON and step == steps.ANSWER and not completes_line(board, walk.move[ply], 2):
            return FAILS
        return state
    return FAILS


@inner
def read_move(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Read a move, by which the attacker must not complete a line; return GO_ON or FAILS."""
    cell = read_cell(board, walk)
    if cell < 0 or (attacker_moves and completes_line(board, cell, 1)):
        return FAILS
    walk.move[ply] = cell
    return GO_ON


@bare
def end_hold(board: Board, walk: Walk, ply: int) -> int:
    """Continue after a move has been verified; return HOLDS, GO_ON or FAILS."""
    zone, after = walk.zones[ply], walk.zones[ply + 1]
    left = 0
    for other in range(zone.size):
        zone[other] = zone[other] or after[other]
        walk.left[ply, other] = walk.left[ply, other] and after[other]
        left += walk.left[ply, other]
    if walk.step[ply] == steps.MOVES:
        return read_move(board, walk, ply, True) if left > 0 else HOLDS
    cell = walk.move[ply]
    zone[cell] = True
    if walk.step[ply] == steps.ANSWER:
        return read_zone(board, walk, zone, 2, cell)
    return HOLDS


@bare
def begin_win(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Read the first step for a position that the attacker wins; return as `begin_hold` does."""
    zone = walk.zones[ply]
    if attacker_moves:
        cell = read_cell(board, walk)
        if cell == NO_CELL:
            return FAILS
        walk.move[ply] = cell
        if not completes_line(board, cell, 1):
            return GO_ON
        zone[cell] = True
        return HOLDS
    if cells_that_complete(board, 2)[0] != NO_CELL:
        return FAILS
    first, second = cells_that_complete(board, 1)
    if second != NO_CELL:
        zone[first] = zone[second] = True
        add_guards(board, walk, ply)
        return HOLDS
    if first != NO_CELL:
        walk.step[ply] = steps.ANSWER
        walk.move[ply] = first
        return GO_ON
    for cell in range(zone.size):
        walk.left[ply, cell] = board.stones[cell] == 0
    walk.step[ply] = steps.PASSES
    walk.count[ply] = read(walk)
    return next_reply(board, walk, ply)


@inner
def next_reply(board: Board, walk: Walk, ply: int) -> int:
    """Read the defender's next pass or reply; return GO_ON, HOLDS after the last, or FAILS."""
    if walk.step[ply] == steps.PASSES and walk.count[ply] == 0:
        walk.step[ply] = steps.MOVES
        walk.count[ply] = read(walk)
    walk.count[ply] -= 1
    if walk.count[ply] >= 0 and walk.step[ply] == steps.PASSES:
        walk.move[ply] = steps.PASS
        return GO_ON
    if walk.count[ply] >= 0:
        return GO_ON if read_reply(board, walk, ply, 2) > 0 else FAILS
    if walk.step[ply] == steps.PASSES or walk.count[ply] < -1:
        return FAILS
    any_zone = False
    for cell in range(board.stones.size):
        any_zone = any_zone or walk.zones[ply, cell]
        if walk.left[ply, cell]:
            return FAILS
    add_guards(board, walk, ply)
    return HOLDS if any_zone else FAILS  # a full board is a draw


@bare
def end_win(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Continue after a move or a pass has been verified; return HOLDS, GO_ON or FAILS."""
    zone, after, cell = walk.zones[ply], walk.zones[ply + 1], walk.move[ply]
    for other in range(zone.size):
        zone[other] = zone[other] or after[other]
    if not attacker_moves and walk.step[ply] != steps.ANSWER:
        for other in range(zone.size):
            if cell == steps.PASS:
                walk.left[ply, other] = walk.left[ply, other] and after[other]
        return next_reply(board, walk, ply)
    zone[cell] = True
    if not attacker_moves:
        add_guards(board, walk, ply)
    return HOLDS


@inner
def finish(
    board: Board, finished: Finished, walk: Walk, ply: int, wins: bool, attacker_moves: bool
) -> int:
    """Count a verified position and remember it if it may come again."""
    walk.visited[0] += 1
    if wins and not attacker_moves:
        return HOLDS
    return remember(board, finished, walk, ply, 0 if wins else NO_MAP)


@bare
def check(board: Board, finished: Finished, walk: Walk, wins: bool, attacker_first: bool) -> int:
    """Verify a proof that the attacker wins (`wins`), or that the defender holds.

    Return HOLDS or FAILS; `walk.at` is then the number after the proof, or the one that fails.
    """
    ply = 0
    root_group = wins and attacker_first and walk.numbers.size > 0 and walk.numbers[0] < 0
    if root_group and read_reply(board, walk, ply, 1) == NO_CELL:
        return FAILS
    while True:
        attacker_moves = attacker_first == (ply % 2 == 0)
        for cell in range(walk.zones.shape[1]):
            walk.zones[ply, cell] = False
        state = HOLDS
        number = NO_MAP
        if wins and attacker_moves:
            while walk.at[0] < walk.numbers.size and walk.numbers[walk.at[0]] == steps.FORGET:
                walk.at[0] += 1
                forget(finished)
            number = read_map(board, walk)
        known = (number != NO_MAP or not wins) and recall(board, finished, walk, ply, number)
        if number != NO_MAP:
            state = HOLDS if known else FAILS
        elif not known:
            if wins:
                state = begin_win(board, walk, ply, attacker_moves)
            else:
                state = begin_hold(board, walk, ply, attacker_moves)
            if state == HOLDS:
                state = finish(board, finished, walk, ply, wins, attacker_moves)
        while state == HOLDS:
            if ply == 0:
                return HOLDS
            ply -= 1
            take_back(board, walk, ply)
            attacker_moves = attacker_first == (ply % 2 == 0)
            if wins:
                state = end_win(board, walk, ply, attacker_moves)
            else:
                state = end_hold(board, walk, ply)
            if state == HOLDS:
                state = finish(board, finished, walk, ply, wins, attacker_moves)
        if state != GO_ON:
            return state
        walk.rank[ply + 1] = walk.rank[ply]
        if walk.move[ply] == steps.PASS:
            walk.rank[ply + 1] += 1
        elif walk.move[ply] != steps.GROUP:  # whose stones are there
            set_cell(board, walk.move[ply], 1 if attacker_moves else 2)
        ply += 1


@inner
def read_map(board: Board, walk: Walk) -> int:
    """Read the next number if it names a map, under which the position was finished before."""
    if walk.at[0] < walk.numbers.size:
        number = steps.KNOWN - int(walk.numbers[walk.at[0]])
        if 0 <= number < len(board.maps):
            walk.at[0] += 1
            return number
    return NO_MAP
