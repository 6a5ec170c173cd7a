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
from tttenv.game.symmetry import inverses, maps
from tttenv.game.transposition_kernel import canonical_image
from tttenv.game.types import Cells
from tttenv.proofs import steps_kernel as steps
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.pairing_kernel import find_pairing
from tttenv.proofs.search_kernel import (
    ATTACKER_WINS,
    DEFENDER_HOLDS,
    PAIRS_TRIED,
    ProofSearch,
    change_rank,
    hit_open_lines,
    judge,
    key_after,
    place_stone,
    remove_stone,
    survey,
)
from tttenv.proofs.table_kernel import LEAF, CellSet, find, forget, words
from tttenv.proofs.win_zones_kernel import (
    add_guards,
    find_passes,
    find_win,
    keep_win,
    lowest_two,
)
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
    key_maps: Annotated[NDArray[np.int64], "room"]  # of each, the map to the canonical image
    key_zones: Annotated[NDArray[np.uint64], "room, words"]  # their zones on the canonical image
    between: Cells  # (maps, maps): the map that is the first after the second one's inverse
    finished: Annotated[NDArray[np.int64], "1"]  # how many there are
    written: Annotated[NDArray[np.int64], "1"]  # positions of the proof
    ply: Annotated[NDArray[np.int64], "1"]  # of the position that is being written
    mover: Annotated[NDArray[np.int64], "1"]  # who is to move there, ATTACKER or DEFENDER
    returning: Annotated[NDArray[np.int64], "1"]  # 1 if the position after its `move` is finished
    kind: Annotated[NDArray[np.int64], "plies"]  # one of the numbers above
    move: Annotated[NDArray[np.int64], "plies"]  # the move whose position is being written
    zones: Annotated[NDArray[np.uint64], "plies, words"]
    left: Annotated[NDArray[np.uint64], "plies, words"]
    passes: Annotated[NDArray[np.int64], "plies"]  # of the defender, to be written
    count_at: Annotated[NDArray[np.int64], "plies"]  # where their number is written
    pass_at: Annotated[NDArray[np.int64], "plies"]  # the next one's place in `Passes`, or NONE
    plan: Annotated[NDArray[np.int64], "cells"]  # moves of the attacker, at the end
    planned: Annotated[NDArray[np.int64], "1"]  # how many of them are left
    unsolved: Annotated[NDArray[np.int64], "1"]  # attack before the UNSOLVED position, or NONE
    scratch: Annotated[NDArray[np.uint64], "words"]
    image: Annotated[NDArray[np.uint64], "words"]


def new_recording(rules: Rules, room: int) -> Recording:
    """Return an empty proof with a capacity of `room` numbers, a power of two."""
    found, cells = maps(rules), rules.cells
    products = found[:, inverses(rules)]  # (maps, maps, cells)
    between = (products[:, :, None] == found).all(axis=-1).argmax(axis=-1)
    sizes = {"room": room, "plies": 2 * cells + 2, "words": words(cells), "cells": cells}
    return allocate(Recording, sizes, between=between)


@bare
def record(
    s: ProofSearch, t: ProofSearch, r: Recording, wins: bool, first: int, positions: int
) -> int:
    """Record a proof, or part of one, that the attacker wins (`wins`) or the defender holds.

    `t` is the search of threats that may have found the win.

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
        if returning:
            state = _continue_win(s, r, ply, mover) if wins else _continue_hold(s, r, ply)
        else:
            state = _open_win(s, t, r, ply, mover) if wins else _open_hold(s, r, ply, mover)
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
            _step(s, r.move[ply], mover, -1)
            if wins:
                _step(t, r.move[ply], mover, -1)
        else:
            _step(s, r.move[ply], mover, 1)
            if wins:
                _step(t, r.move[ply], mover, 1)
            ply += 1
            mover = 1 - mover
        state = BUSY
    r.ply[0], r.returning[0], r.mover[0] = ply, returning, mover
    return state


@inner
def _step(s: ProofSearch, move: int, mover: int, step: int) -> None:
    """Make a move or a pass on a search's board (`step` 1), or take it back (-1)."""
    if move == steps.PASS:
        change_rank(s, step)
    elif step == 1:
        place_stone(s, move, mover)
    else:
        remove_stone(s, move, mover)


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
        cell = _settled_move(s, r, DEFENDER_HOLDS)
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


@inner
def _open_win(s: ProofSearch, t: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """Start recording a position that the attacker wins; return as `_open_hold` does."""
    zone, planned = r.zones[ply], r.planned[0] > 0
    sets.clear(zone)
    if mover == ATTACKER and not planned:
        image, at = _place(s, r)
        if r.keys[at] != np.uint64(0):
            sets.map_set(r.key_zones[at], s.hashes.origins[image], zone)
            _write(r, steps.KNOWN - r.between[image, r.key_maps[at]])
            return FINISHED
    if r.length[0] + 8 > r.numbers.size or 2 * r.finished[0] > r.keys.size:
        return FULL
    _, mine, theirs = survey(s, mover)
    if mover == DEFENDER:
        return _open_replies(s, t, r, ply) if mine == NONE else FAILED
    cell = NONE
    if mine != NONE:
        cell = completing_cell(s.board, ATTACKER, NONE)
        _write(r, cell)
        sets.add(zone, cell)
        return _finish(s, r, ply)
    if not planned and theirs != SEVERAL and find_win(s.board, s.threats, theirs) != NONE:
        keep_win(s.board, s.threats, s.passes, 2, s.rank[0])
        _plan(s, r, 2)
        planned = True
    if planned:
        cell = r.plan[r.plan.size - r.planned[0]]
        r.planned[0] -= 1
    else:
        cell = _threat_move(t)
        if cell == NONE and s.rank[0] == 0:
            cell = _settled_move(s, r, ATTACKER_WINS)
        elif cell == NONE:
            r.unsolved[0] = NONE
            return UNSOLVED
        if cell < 0:
            return cell
    _write(r, cell)
    r.move[ply] = cell
    return FOLLOWS


@inner
def _open_replies(s: ProofSearch, t: ProofSearch, r: Recording, ply: int) -> int:
    """Start recording a position of the defender, who cannot complete a line."""
    first, second = lowest_two(s.board, NONE)
    if second != NONE:
        sets.add(r.zones[ply], first)
        sets.add(r.zones[ply], second)
        add_guards(s.board, r.zones[ply], s.rank[0], s.passes.hits)
        return _finish(s, r, ply)
    if first != NONE:
        r.kind[ply] = steps.ANSWER
        r.move[ply] = first
        return FOLLOWS
    sets.clear(r.left[ply])
    for cell in range(s.live.size):
        if s.board.stones[cell] == 0:
            sets.add(r.left[ply], cell)
    count = find_passes(s.board, s.threats, s.passes, s.rank[0])
    r.kind[ply], r.pass_at[ply] = steps.PASSES, 0
    if count == 0:
        r.pass_at[ply] = NONE
        change_rank(t, 1)
        count = 1 if _threat_move(t) != NONE else 0
        change_rank(t, -1)
    r.passes[ply], r.count_at[ply] = count, r.length[0]
    _write(r, count)
    return _next_reply(s, r, ply)


@inner
def _next_reply(s: ProofSearch, r: Recording, ply: int) -> int:
    """Choose the defender's next pass or reply; return as `_open_hold` does."""
    if r.kind[ply] == steps.PASSES:
        if r.passes[ply] > 0:
            r.passes[ply] -= 1
            r.move[ply] = steps.PASS
            if r.pass_at[ply] != NONE:
                _plan(s, r, r.pass_at[ply])
                r.pass_at[ply] += 1
            return FOLLOWS
        r.kind[ply] = steps.MOVES
        _write(r, sets.size_of_common(r.left[ply], r.left[ply]))
    for cell in range(s.live.size):
        if sets.contains(r.left[ply], cell):
            sets.discard(r.left[ply], cell)
            _write(r, cell)
            r.move[ply] = cell
            return FOLLOWS
    if sets.is_empty(r.zones[ply]):
        return FAILED  # a full board
    add_guards(s.board, r.zones[ply], s.rank[0], s.passes.hits)
    return _finish(s, r, ply)


@inner
def _continue_win(s: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """Continue after the position of `r.move` has been recorded; return as `_open_win` does."""
    zone, after, cell = r.zones[ply], r.zones[ply + 1], r.move[ply]
    sets.unite(zone, after)
    if mover == DEFENDER and r.kind[ply] != steps.ANSWER:
        if cell == steps.PASS:
            sets.intersect(r.left[ply], after)
            if r.pass_at[ply] == NONE and s.rank[0] == 0:
                _use_images(s, r, ply)
        return _next_reply(s, r, ply)
    sets.add(zone, cell)
    if mover == DEFENDER:
        add_guards(s.board, zone, s.rank[0], s.passes.hits)
    return _finish(s, r, ply)


@inner
def _plan(s: ProofSearch, r: Recording, at: int) -> None:
    """Plan the attacker's next moves: those of a win that `keep_win` kept."""
    count = s.passes.lengths[at]
    r.planned[0] = count
    for i in range(count):
        r.plan[r.plan.size - count + i] = s.passes.moves[at, i]


@inner
def _threat_move(t: ProofSearch) -> int:
    """Return the move that wins the board by threats, at its rank, or NONE if none is known."""
    at = find(t.table, t.hashes.current[0] | np.uint64(1))
    return int(t.table.entries[at].cell) if at >= 0 and t.table.entries[at].proof == 0 else NONE


@inner
def _use_images(s: ProofSearch, r: Recording, ply: int) -> None:
    """Pass on a symmetric board once more for each image of the pass that leaves fewer replies."""
    zone, left = r.zones[ply], r.left[ply]
    sets.copy_set(zone, r.scratch)
    for image in range(1, s.hashes.current.size):
        if s.hashes.current[image] != s.hashes.current[0]:
            continue
        sets.map_set(r.scratch, s.hashes.origins[image], r.image)
        if sets.size_of_common(r.image, left) < sets.size_of_common(left, left):
            r.numbers[r.count_at[ply]] += 1
            _write(r, steps.KNOWN - image)
            sets.intersect(left, r.image)
            sets.unite(zone, r.image)


@inner
def _settled_move(s: ProofSearch, r: Recording, wanted: int) -> int:
    """Return the move that proves the `wanted` state of the board, or else FAILED or UNSOLVED."""
    hashes = s.hashes
    image = canonical_image(hashes)
    at = find(s.table, hashes.current[image] | np.uint64(1))
    r.unsolved[0] = NONE
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
    r.keys[at], r.key_maps[at] = s.hashes.current[image] | np.uint64(1), image
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
