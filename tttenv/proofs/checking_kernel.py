"""Compiled verification of the proofs that `recording_kernel` writes, without searching.

It uses none of the prover's code, only a board of three kinds of cell, the lines of the rules and
the symmetries, which the caller has checked. Every claim about a position is verified on its board,
and every cell of the other side is either followed or lies outside the zone of a move that was.

A zone is a set of empty cells such that the defender holds even if the attacker owned every empty
cell outside it. So each rule makes sure that every line open to the attacker has a cell of the
zone, and two where the attacker moves before the defender completes a line.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Mask, Stones
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct

POTENTIAL, PAIRS, MOVE, WIN, TWO_THREATS, ANSWER, MOVES = range(7)

# Why a proof is refused; 0 is a proof that holds.
(
    HOLDS,
    ENDS_EARLY,
    TOO_LONG,
    UNKNOWN_STEP,
    NO_CELL,
    TAKEN_CELL,
    POTENTIAL_TOO_HIGH,
    PAIR_OVERLAPS,
    LINE_WITHOUT_PAIR,
    NO_LINE_COMPLETED,
    ZONE_TOO_SMALL,
    ATTACKER_COMPLETES,
    DEFENDER_COMPLETES,
    NO_WIN_LEFT,
    TOO_MANY_POSITIONS,
) = range(15)


@dataclass(frozen=True, eq=False)
class Board(Struct):
    """The lines and symmetries of a game, and the stones: 0 empty, 1 attacker's, 2 defender's."""

    lines: Cells  # (lines, k)
    through: Cells  # (cells, most): the lines through each cell, then -1
    maps: Cells  # (maps, cells)
    stones: Stones  # (cells,)


@dataclass(frozen=True, eq=False)
class Finished(Struct):
    """Positions verified so far, as their smallest images, and the zones on those images."""

    slots: NDArray[np.int64]  # (slots,): a position's row plus one, 0 where free; a power of two
    boards: NDArray[np.int8]  # (rows, cells)
    zones: Mask  # (rows, cells); (rows, 0) where the attacker wins, which needs no zones
    filled: NDArray[np.int64]  # (1,): how many


@dataclass(frozen=True, eq=False)
class Walk(Struct):
    """The reading position in a proof, with one row per ply of the walk through it."""

    numbers: NDArray[np.int16]  # (length,)
    at: NDArray[np.int64]  # (1,)
    step: NDArray[np.int64]  # (plies,): MOVE, ANSWER or MOVES
    move: NDArray[np.int64]  # (plies,)
    zones: Mask  # (plies, cells)
    left: Mask  # (plies, cells): the attacker's moves that no zone answers yet
    image: NDArray[np.int8]  # (cells,)
    marks: Mask  # (cells,)


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
def slot_of(finished: Finished, image: Stones) -> int:
    """Return the slot of an image among the finished positions, or a free slot for it."""
    code = np.uint64(1469598103934665603)
    for cell in range(image.size):
        code = (code ^ np.uint64(image[cell])) * np.uint64(1099511628211)
    code ^= code >> np.uint64(29)
    slot = np.int64(code & np.uint64(finished.slots.size - 1))
    while finished.slots[slot] != 0:
        row = finished.slots[slot] - 1
        same = True
        for cell in range(image.size):
            if finished.boards[row, cell] != image[cell]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & (finished.slots.size - 1)
    return int(slot)


@bare
def recall(board: Board, finished: Finished, walk: Walk, zone: Mask) -> bool:
    """Return whether the board is finished up to symmetry; if so, fill `zone`."""
    number = smallest_image(board, walk.image)
    row = finished.slots[slot_of(finished, walk.image)] - 1
    if row < 0:
        return False
    for cell in range(zone.size):
        zone[board.maps[number, cell]] = finished.zones[row, cell]
    return True


@bare
def remember(board: Board, finished: Finished, walk: Walk, zone: Mask) -> int:
    """Add the board and its zone to the finished positions; return HOLDS or a reason."""
    number = smallest_image(board, walk.image)
    row = finished.filled[0]
    if row >= len(finished.boards):
        return TOO_MANY_POSITIONS
    finished.slots[slot_of(finished, walk.image)] = row + 1
    finished.filled[0] += 1
    for cell in range(walk.image.size):
        finished.boards[row, cell] = walk.image[cell]
    for cell in range(zone.size):
        finished.zones[row, cell] = zone[board.maps[number, cell]]
    return HOLDS


@inner
def completes_line(board: Board, cell: int, side: int) -> bool:
    """Return whether a stone of `side` (1 or 2) on an empty cell completes a line."""
    for i in range(board.through.shape[1]):
        line = board.through[cell, i]
        if line < 0:
            return False
        own = 0
        for j in range(board.lines.shape[1]):
            own += board.stones[board.lines[line, j]] == side
        if own == board.lines.shape[1] - 1:
            return True
    return False


@inner
def is_open(board: Board, line: int) -> bool:
    """Return whether a line has no stone of the defender."""
    for i in range(board.lines.shape[1]):
        if board.stones[board.lines[line, i]] == 2:
            return False
    return True


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
    """Read the next number as an empty cell; return it, or -NO_CELL, -TAKEN_CELL or -ENDS_EARLY."""
    if walk.at[0] >= walk.numbers.size:
        return -ENDS_EARLY
    cell = read(walk)
    if not 0 <= cell < board.stones.size:
        return -NO_CELL
    if board.stones[cell] != 0:
        return -TAKEN_CELL
    return cell


@inner
def read_zone_cells(board: Board, walk: Walk, zone: Mask) -> int:
    """Read a list of cells and add them to the zone; return HOLDS or a reason."""
    count = read(walk)
    if count < 0:
        return ENDS_EARLY
    for _ in range(count):
        cell = read_cell(board, walk)
        if cell < 0:
            return -cell
        zone[cell] = True
    return HOLDS


@inner
def check_potential(board: Board, attacker_moves: bool, zone: Mask) -> int:
    """Check that the attacker's potential is below the bound of Erdos and Selfridge."""
    bound = np.int64(1) << (board.lines.shape[1] - (1 if attacker_moves else 0))
    potential = np.int64(0)
    for line in range(len(board.lines)):
        if is_open(board, line):
            stones = 0
            for i in range(board.lines.shape[1]):
                cell = board.lines[line, i]
                if board.stones[cell] == 1:
                    stones += 1
                else:
                    zone[cell] = True
            potential += np.int64(1) << stones
    return HOLDS if potential < bound else POTENTIAL_TOO_HIGH


@inner
def check_pairs(board: Board, walk: Walk, zone: Mask) -> int:
    """Check that the proof lists disjoint pairs of empty cells, one in each open line."""
    count = read(walk)
    if count < 0:
        return ENDS_EARLY
    begin = walk.at[0]
    for _ in range(2 * count):
        cell = read_cell(board, walk)
        if cell < 0:
            return -cell
        if zone[cell]:
            return PAIR_OVERLAPS
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
            return LINE_WITHOUT_PAIR
    return HOLDS


@inner
def check_win(board: Board, walk: Walk, zone: Mask) -> int:
    """Check that the defender, to move, completes a line."""
    cell = read_cell(board, walk)
    if cell < 0:
        return -cell
    if not completes_line(board, cell, 2):
        return NO_LINE_COMPLETED
    zone[cell] = True
    reason = read_zone_cells(board, walk, zone)
    if reason == HOLDS and not hits_open_lines(board, zone, 1, cell):
        return ZONE_TOO_SMALL
    return reason


@inner
def check_two_threats(board: Board, walk: Walk, zone: Mask) -> int:
    """Check that the attacker, to move, cannot stop two lines of the defender."""
    for _ in range(2):
        cell = read_cell(board, walk)
        if cell < 0:
            return -cell
        if zone[cell] or not completes_line(board, cell, 2):
            return NO_LINE_COMPLETED
        zone[cell] = True
    reason = read_zone_cells(board, walk, zone)
    if reason == HOLDS and not hits_open_lines(board, zone, 2, -1):
        return ZONE_TOO_SMALL
    return reason


GO_ON = -1  # instead of a reason: the position after the move comes next


@bare
def begin_hold(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Read the first step for a position the defender holds; return HOLDS, GO_ON or a reason."""
    zone = walk.zones[ply]
    step = read(walk)
    if step == POTENTIAL:
        return check_potential(board, attacker_moves, zone)
    if step == PAIRS:
        return check_pairs(board, walk, zone)
    if step == WIN and not attacker_moves:
        return check_win(board, walk, zone)
    if step == TWO_THREATS and attacker_moves:
        return check_two_threats(board, walk, zone)
    walk.step[ply] = step
    if step == MOVES and attacker_moves:
        for cell in range(len(board.stones)):
            walk.left[ply, cell] = board.stones[cell] == 0
        return next_attack(board, walk, ply)
    if (step == MOVE and not attacker_moves) or (step == ANSWER and attacker_moves):
        cell = read_cell(board, walk)
        if cell < 0:
            return -cell
        if step == ANSWER:
            if not completes_line(board, cell, 2):
                return NO_LINE_COMPLETED
            if completes_line(board, cell, 1):
                return ATTACKER_COMPLETES
        walk.move[ply] = cell
        return GO_ON
    return ENDS_EARLY if step < 0 else UNKNOWN_STEP


@inner
def next_attack(board: Board, walk: Walk, ply: int) -> int:
    """Read the attacker's next move; return GO_ON or a reason."""
    cell = read_cell(board, walk)
    if cell < 0:
        return -cell
    if completes_line(board, cell, 1):
        return ATTACKER_COMPLETES
    walk.move[ply] = cell
    return GO_ON


@bare
def end_hold(board: Board, walk: Walk, ply: int) -> int:
    """Continue after a move has been verified; return HOLDS, GO_ON or a reason."""
    zone, after = walk.zones[ply], walk.zones[ply + 1]
    left = 0
    for other in range(zone.size):
        zone[other] = zone[other] or after[other]
        walk.left[ply, other] = walk.left[ply, other] and after[other]
        left += walk.left[ply, other]
    if walk.step[ply] == MOVES:
        return next_attack(board, walk, ply) if left > 0 else HOLDS
    cell = walk.move[ply]
    zone[cell] = True
    if walk.step[ply] == ANSWER:
        reason = read_zone_cells(board, walk, zone)
        if reason != HOLDS:
            return reason
        return HOLDS if hits_open_lines(board, zone, 2, cell) else ZONE_TOO_SMALL
    return HOLDS


@bare
def begin_win(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Read the first step for a position that the attacker wins; return as `begin_hold` does."""
    if attacker_moves:
        cell = read_cell(board, walk)
        if cell < 0:
            return -cell
        walk.move[ply] = cell
        return HOLDS if completes_line(board, cell, 1) else GO_ON
    winning, last = 0, -1
    for cell in range(board.stones.size):
        if board.stones[cell] == 0:
            if completes_line(board, cell, 2):
                return DEFENDER_COMPLETES
            if completes_line(board, cell, 1):
                winning += 1
                last = cell
    if winning > 1:
        return HOLDS
    walk.step[ply] = ANSWER if winning == 1 else MOVES
    if winning == 1:
        walk.move[ply] = last
        return GO_ON
    walk.move[ply] = -1
    return GO_ON if next_reply(board, walk, ply) else NO_WIN_LEFT


@inner
def next_reply(board: Board, walk: Walk, ply: int) -> bool:
    """Choose the next empty cell as the defender's reply; return False if none is left."""
    for cell in range(walk.move[ply] + 1, board.stones.size):
        if board.stones[cell] == 0:
            walk.move[ply] = cell
            return True
    return False


@bare
def end_win(board: Board, walk: Walk, ply: int, attacker_moves: bool) -> int:
    """Continue after a move has been verified; return HOLDS or GO_ON."""
    if not attacker_moves and walk.step[ply] == MOVES and next_reply(board, walk, ply):
        return GO_ON
    return HOLDS


@bare
def check(board: Board, finished: Finished, walk: Walk, wins: bool, attacker_first: bool) -> int:
    """Verify a proof that the attacker wins, or that the defender holds.

    Args:
        board: the position.
        finished: an empty set of positions.
        walk: a walk at the beginning of the proof.
        wins: whether the proof claims that the attacker wins, or that the defender holds.
        attacker_first: whether the attacker is to move.

    Returns:
        HOLDS, or the reason why the proof fails.
    """
    ply = 0
    while True:
        attacker_moves = attacker_first == (ply % 2 == 0)
        for cell in range(walk.zones.shape[1]):
            walk.zones[ply, cell] = False
        reason = HOLDS
        if not recall(board, finished, walk, walk.zones[ply]):
            if wins:
                reason = begin_win(board, walk, ply, attacker_moves)
            else:
                reason = begin_hold(board, walk, ply, attacker_moves)
            if reason == HOLDS:
                reason = remember(board, finished, walk, walk.zones[ply])
        while reason == HOLDS:
            if ply == 0:
                return HOLDS if walk.at[0] == walk.numbers.size else TOO_LONG
            ply -= 1
            board.stones[walk.move[ply]] = 0
            attacker_moves = attacker_first == (ply % 2 == 0)
            if wins:
                reason = end_win(board, walk, ply, attacker_moves)
            else:
                reason = end_hold(board, walk, ply)
            if reason == HOLDS:
                reason = remember(board, finished, walk, walk.zones[ply])
        if reason != GO_ON:
            return reason
        board.stones[walk.move[ply]] = 1 if attacker_moves else 2
        ply += 1
