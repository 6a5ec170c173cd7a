"""Compiled recording of a proof from a finished search's table, for `checking_kernel`.

The steps of a proof are described in `tttenv.proofs.steps_kernel`.
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
    completing_cell,
)
from tttenv.game.rules import Rules
from tttenv.game.transposition_kernel import canonical_image
from tttenv.proofs import steps_kernel as steps
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.pairing_kernel import find_pairing
from tttenv.proofs.search_kernel import (
    ATTACKER_WINS,
    DEFENDER_HOLDS,
    PAIRS_TRIED,
    ProofSearch,
    hit_open_lines,
    judge,
    key_after,
    place_stone,
    remove_stone,
    survey,
)
from tttenv.proofs.table_kernel import LEAF, CellSet, find, forget, words
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate

# Instead of a length: there is no room left, the table does not hold the proof, more is to be done,
# a position has to be searched first.
FULL, FAILED, BUSY, UNSOLVED = -1, -2, -3, -4
FINISHED, FOLLOWS = 0, 1  # a position: finished, or the one after `Recording.move` comes first


@dataclass(frozen=True, eq=False)
class Recording(Struct):
    """The proof recorded so far, its positions, and one row per ply of the walk."""

    numbers: Annotated[NDArray[np.int16], "room"]
    length: Annotated[NDArray[np.int64], "1"]
    keys: Annotated[NDArray[np.uint64], "room"]  # of finished positions, else 0; a power of 2
    key_zones: Annotated[NDArray[np.uint64], "room, words"]  # their zones on the canonical image
    finished: Annotated[NDArray[np.int64], "1"]  # how many there are
    written: Annotated[NDArray[np.int64], "1"]  # positions of the proof
    ply: Annotated[NDArray[np.int64], "1"]  # of the position that is being written
    mover: Annotated[NDArray[np.int64], "1"]  # who is to move there, ATTACKER or DEFENDER
    returning: Annotated[NDArray[np.int64], "1"]  # 1 if the position after its `move` is finished
    kind: Annotated[NDArray[np.int64], "plies"]  # one of the numbers above
    move: Annotated[NDArray[np.int64], "plies"]  # the move whose position is being written
    zones: Annotated[NDArray[np.uint64], "plies, words"]
    left: Annotated[NDArray[np.uint64], "plies, words"]
    unsolved: Annotated[NDArray[np.int64], "1"]  # attack before the UNSOLVED position, or NONE
    scratch: Annotated[NDArray[np.uint64], "words"]


def new_recording(rules: Rules, room: int) -> Recording:
    """Return an empty proof with a capacity of `room` numbers, a power of two."""
    cells = rules.cells
    return allocate(
        Recording, {"room": room, "plies": cells + 2, "words": words(cells), "cells": cells}
    )


@bare
def record(s: ProofSearch, r: Recording, first: int, positions: int) -> int:
    """Record a proof, or part of one, that the defender holds.

    The board of the finished or aborted search follows the walk. After UNSOLVED it must be searched
    before the next call, after the attacker's move `r.unsolved` if that is a cell. Returns the
    proof's length; FULL, FAILED or UNSOLVED; or BUSY after so many `positions`.
    """
    stop = r.written[0] + positions
    ply, returning = r.ply[0], r.returning[0] != 0
    mover = first if ply % 2 == 0 else 1 - first
    state = BUSY
    while r.written[0] < stop:
        before = r.length[0]
        state = _continue_hold(s, r, ply) if returning else _open_hold(s, r, ply, mover)
        if state == UNSOLVED:
            r.length[0] = before
        if state < 0:
            break
        returning = state == FINISHED
        if returning:
            if ply == 0:
                return int(r.length[0])
            ply -= 1
            mover = 1 - mover
            remove_stone(s, r.move[ply], mover)
        else:
            place_stone(s, r.move[ply], mover)
            ply += 1
            mover = 1 - mover
        state = BUSY
    r.ply[0], r.returning[0], r.mover[0] = ply, returning, mover
    return state


@inner
def _open_hold(s: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """Start recording a position the defender holds; return FINISHED, FOLLOWS or an error code."""
    zone = r.zones[ply]
    sets.clear(zone)
    if _known(s, r, zone):
        return FINISHED
    if r.length[0] + 2 * r.move.size + 8 > r.numbers.size or 2 * r.finished[0] > r.keys.size:
        return FULL
    potential, mine, theirs = survey(s, mover)
    state = judge(s, mover, potential, mine, theirs, zone)
    if state == ATTACKER_WINS:
        return FAILED
    if state == DEFENDER_HOLDS:
        _write_judged(s, r, mover, mine, theirs, zone)
        return _finish(s, r, ply)
    if find_pairing(s.board, s.pairing, PAIRS_TRIED):
        _write_pairs(s, r, zone)
        return _finish(s, r, ply)
    if mover == DEFENDER:
        r.unsolved[0] = NONE
        cell = settled_move(s, DEFENDER_HOLDS)
        if cell < 0:
            return cell
        r.kind[ply] = steps.MOVE
    elif theirs != NONE:
        cell = theirs
        r.kind[ply] = steps.ANSWER
    else:
        r.kind[ply] = steps.MOVES
        sets.clear(r.left[ply])
        for other in range(s.live.size):
            if s.board.stones[other] == 0:
                sets.add(r.left[ply], other)
        _write(r, steps.MOVES)
        return _next_attack(s, r, ply)
    _write(r, r.kind[ply])
    _write(r, cell)
    r.move[ply] = cell
    return FOLLOWS


@inner
def _continue_hold(s: ProofSearch, r: Recording, ply: int) -> int:
    """Continue after the position of `r.move` has been recorded; return as `_open_hold` does."""
    zone, after = r.zones[ply], r.zones[ply + 1]
    sets.unite(zone, after)
    if r.kind[ply] == steps.MOVES:
        sets.intersect(r.left[ply], after)
        if not sets.is_empty(r.left[ply]):
            return _next_attack(s, r, ply)
        return _finish(s, r, ply)
    sets.add(zone, r.move[ply])
    if r.kind[ply] == steps.ANSWER:
        sets.copy_set(zone, r.scratch)
        hit_open_lines(s.board, zone, 2, r.move[ply])
        _write_new_cells(s, r, zone)
    return _finish(s, r, ply)


@inner
def _next_attack(s: ProofSearch, r: Recording, ply: int) -> int:
    """Choose the proven attacking move whose zone leaves the fewest other moves."""
    best, fewest = NONE, 1 << 30
    strongest, weight = NONE, -1
    for cell in range(s.live.size):
        if not sets.contains(r.left[ply], cell):
            continue
        image, key = key_after(s, cell, ATTACKER)
        at = find(s.table, key)
        if at >= 0 and s.table.entries[at].disproof == 0:
            sets.map_set(s.table.zones[at], s.hashes.origins[image], r.scratch)
            common = sets.size_of_common(r.scratch, r.left[ply])
            if common < fewest:
                best, fewest = cell, common
        if s.board.through_count[cell] > weight:
            strongest, weight = cell, s.board.through_count[cell]
    if best == NONE:
        r.unsolved[0] = strongest
        return UNSOLVED
    _write(r, best)
    r.move[ply] = best
    return FOLLOWS


@bare
def settled_move(s: ProofSearch, wanted: int) -> int:
    """Return the move that proves the `wanted` state of the board, or else FAILED or UNSOLVED."""
    hashes = s.hashes
    image = canonical_image(hashes)
    at = find(s.table, hashes.current[image] | np.uint64(1))
    if at < 0:
        return UNSOLVED
    entry = s.table.entries[at]
    if entry.proof != 0 and entry.disproof != 0:
        return UNSOLVED
    if (entry.proof == 0) != (wanted == ATTACKER_WINS):
        return FAILED
    if entry.cell == LEAF:
        # An image of this board was settled by pairs or threats that are not found on this one
        # within the same limit: forget it, so that the search finds a move.
        forget(s.table, at)
        return UNSOLVED
    cell = int(hashes.origins[image, entry.cell])
    return cell if s.board.stones[cell] == 0 else FAILED


@inner
def _place(s: ProofSearch, r: Recording) -> tuple[int, int]:
    """Return the index of the canonical map, and the board's slot or else a free slot."""
    image = canonical_image(s.hashes)
    key = s.hashes.current[image] | np.uint64(1)
    at = np.int64(key & np.uint64(r.keys.size - 1))
    while r.keys[at] not in (np.uint64(0), key):
        at = (at + 1) & (r.keys.size - 1)
    return image, int(at)


@inner
def _known(s: ProofSearch, r: Recording, zone: CellSet) -> bool:
    """Return whether the current board is already recorded; if so, fill `zone`."""
    image, at = _place(s, r)
    if r.keys[at] == np.uint64(0):
        return False
    sets.map_set(r.key_zones[at], s.hashes.origins[image], zone)
    return True


@inner
def _finish(s: ProofSearch, r: Recording, ply: int) -> int:
    """Add the current board and its zone to the recorded positions; return FINISHED."""
    image, at = _place(s, r)
    r.keys[at] = s.hashes.current[image] | np.uint64(1)
    sets.map_set(r.zones[ply], s.hashes.images[image], r.key_zones[at])
    r.finished[0] += 1
    r.written[0] += 1
    return FINISHED


@inner
def _write(r: Recording, number: int) -> None:
    r.numbers[r.length[0]] = number
    r.length[0] += 1


@inner
def _write_judged(
    s: ProofSearch, r: Recording, mover: int, mine: int, theirs: int, zone: CellSet
) -> None:
    """Record why `judge` found that the defender holds."""
    if mover == DEFENDER and mine != NONE:
        count = 1
    elif mover == ATTACKER and theirs == SEVERAL:
        count = 2
    else:
        _write(r, steps.POTENTIAL)
        return
    sets.clear(r.scratch)
    _write(r, steps.COMPLETES if count == 1 else steps.TWO_THREATS)
    cell = NONE
    for _ in range(count):
        cell = completing_cell(s.board, DEFENDER, cell)
        sets.add(r.scratch, cell)
        _write(r, cell)
    sets.copy_set(r.scratch, zone)
    hit_open_lines(s.board, zone, count, cell if count == 1 else NONE)
    _write_new_cells(s, r, zone)


@inner
def _write_new_cells(s: ProofSearch, r: Recording, zone: CellSet) -> None:
    """Record the number of zone cells that are not in `r.scratch`, then these cells."""
    at = r.length[0]
    _write(r, 0)
    for cell in range(s.live.size):
        if sets.contains(zone, cell) and not sets.contains(r.scratch, cell):
            _write(r, cell)
    r.numbers[at] = r.length[0] - at - 1


@inner
def _write_pairs(s: ProofSearch, r: Recording, zone: CellSet) -> None:
    """Record the pairs found by `find_pairing`, and add their cells to the zone."""
    _write(r, steps.PAIRS)
    at = r.length[0]
    _write(r, 0)
    for cell in range(s.live.size):
        partner = s.pairing.partner[cell]
        if partner >= 0:
            sets.add(zone, cell)
            if cell < partner:
                _write(r, cell)
                _write(r, partner)
    r.numbers[at] = (r.length[0] - at - 1) // 2
