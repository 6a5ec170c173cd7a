"""Compiled recording of wins by threats, for `checking_kernel`.

The steps of a proof are described in `tttenv.proofs.steps_kernel`.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import ATTACKER, DEFENDER, NONE, SEVERAL
from tttenv.game.rules import Rules
from tttenv.proofs import steps_kernel as steps
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.table_kernel import LEAF, find, words
from tttenv.proofs.threat_board_kernel import (
    MOVE,
    add_guards,
    completing,
    find_passes,
    find_win,
    lowest_two,
)
from tttenv.proofs.threats_kernel import ThreatSearch, change_rank, place_stone, remove_stone
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate

FINISHED, FOLLOWS, FULL, FAILED, UNSOLVED = 0, 1, -1, -2, -3  # of a position; see `record_threats`
ROOM = 2**20  # numbers of one win by threats
POSITIONS = 2**21  # places for finished positions; half of them are used


@dataclass(frozen=True, eq=False)
class ThreatRecording(Struct):
    """The numbers of one win, the finished positions of all, and one row per ply of the walk."""

    numbers: Annotated[NDArray[np.int16], "room"]
    length: Annotated[NDArray[np.int64], "1"]
    keys: Annotated[NDArray[np.uint64], "positions"]  # of finished positions, else 0
    key_zones: Annotated[NDArray[np.uint64], "positions, words"]
    finished: Annotated[NDArray[np.int64], "1"]  # how many there are
    written: Annotated[NDArray[np.int64], "1"]  # positions of the proof
    ply: Annotated[NDArray[np.int64], "1"]  # of the position that is being written
    kind: Annotated[NDArray[np.int64], "plies"]  # of a step, as in `steps_kernel`
    move: Annotated[NDArray[np.int64], "plies"]  # the move whose position is being written
    zones: Annotated[NDArray[np.uint64], "plies, words"]
    left: Annotated[NDArray[np.uint64], "plies, words"]  # replies to be written
    passes: Annotated[NDArray[np.int64], "plies"]  # of the defender, to be written
    pass_at: Annotated[NDArray[np.int64], "plies"]  # the next one's place among the wins
    plan: Annotated[NDArray[np.int64], "cells"]  # moves of the attacker, at the end
    planned: Annotated[NDArray[np.int64], "1"]  # how many of them are left


def new_threat_recording(rules: Rules) -> ThreatRecording:
    """Return an empty recording."""
    cells = rules.cells
    sizes = {"room": ROOM, "positions": POSITIONS, "plies": 2 * cells + 2}
    return allocate(ThreatRecording, sizes | {"words": words(cells), "cells": cells})


@bare
def record_threats(t: ThreatSearch, r: ThreatRecording, going: bool) -> int:
    """Write the win by threats of the search's position, the attacker to move, to `numbers`.

    Returns FINISHED, and the zone is the first row of `zones`; FULL; FAILED; or UNSOLVED: then the
    position that the search shows has to be searched, before the next call, which is `going` on.
    """
    if not going:
        r.length[0] = r.ply[0] = r.planned[0] = 0
    ply, returning = r.ply[0], False
    while True:
        attacks = ply % 2 == 0
        before = r.length[0]
        if returning:
            state = _continue(t, r, ply, attacks)
        elif attacks:
            state = _open_attack(t, r, ply)
        else:
            state = _open_replies(t, r, ply)
        if state < 0:
            r.length[0], r.ply[0] = before, ply
            return state
        returning = state == FINISHED
        if returning:
            if ply == 0:
                return FINISHED
            ply -= 1
            _step(t, r.move[ply], ply % 2, -1)
        else:
            _step(t, r.move[ply], ply % 2, 1)
            ply += 1


@bare
def finished_zone(t: ThreatSearch, r: ThreatRecording) -> bool:
    """Return whether the search's position is finished, and copy its zone to the first row."""
    at = _place(t, r)
    if r.keys[at] == np.uint64(0):
        return False
    sets.copy_set(r.key_zones[at], r.zones[0])
    return True


@bare
def finish_quiet(t: ThreatSearch, r: ThreatRecording) -> None:
    """Keep the search's position as finished, with the zone in the first row of `zones`."""
    _finish(t, r, 0)


@inner
def _step(t: ThreatSearch, move: int, side: int, step: int) -> None:
    """Make a move or a pass (`step` 1), or take it back (-1)."""
    if move == steps.PASS:
        change_rank(t, step)
    elif step == 1:
        place_stone(t, move, side)
    else:
        remove_stone(t, move, side)


@inner
def _open_attack(t: ThreatSearch, r: ThreatRecording, ply: int) -> int:
    """Start to write a position of the attacker; return FINISHED, FOLLOWS or an error code."""
    zone, planned = r.zones[ply], r.planned[0] > 0
    sets.clear(zone)
    if not planned:
        at = _place(t, r)
        if r.keys[at] != np.uint64(0):
            sets.copy_set(r.key_zones[at], zone)
            _write(r, steps.KNOWN)
            return FINISHED
    if r.length[0] + 8 > r.numbers.size:
        return FULL
    cell = lowest_two(t.on)[0]
    if cell != NONE:
        _write(r, cell)
        sets.add(zone, cell)
        return _finish(t, r, ply)
    if not planned:
        wanted = completing(t.on, DEFENDER)
        length = 0 if wanted == SEVERAL else find_win(t.on, ATTACKER, wanted)
        for i in range(length):
            r.plan[r.plan.size - length + i] = t.on.sequence[i, MOVE]
        r.planned[0] = length
        planned = length > 0
    if planned:
        cell = int(r.plan[r.plan.size - r.planned[0]])
        r.planned[0] -= 1
    else:
        known = find(t.table, t.hashes.current[0] | np.uint64(1))
        if known < 0 or t.table.entries[known].proof != 0:
            return UNSOLVED
        cell = int(t.table.entries[known].cell)
        if cell == LEAF:
            return FAILED
    _write(r, cell)
    r.move[ply] = cell
    return FOLLOWS


@inner
def _open_replies(t: ThreatSearch, r: ThreatRecording, ply: int) -> int:
    """Start to write a position of the defender, who cannot complete a line."""
    zone = r.zones[ply]
    sets.clear(zone)
    first, second = lowest_two(t.on)
    if second != NONE:
        sets.add(zone, first)
        sets.add(zone, second)
        add_guards(t.on, zone, t.rank[0])
        return _finish(t, r, ply)
    if first != NONE:
        r.kind[ply], r.move[ply] = steps.ANSWER, first
        return FOLLOWS
    count = find_passes(t.on, t.rank[0])
    if count == 0:
        return FAILED
    sets.clear(r.left[ply])
    for cell in range(t.lines.size):
        if t.on.board.stones[cell] == 0:
            sets.add(r.left[ply], cell)
    r.kind[ply], r.passes[ply], r.pass_at[ply] = steps.PASSES, count, 0
    _write(r, count)
    return _next_reply(t, r, ply)


@inner
def _next_reply(t: ThreatSearch, r: ThreatRecording, ply: int) -> int:
    """Choose the defender's next pass or reply; return as `_open_attack` does."""
    left = r.left[ply]
    if r.kind[ply] == steps.PASSES:
        at = r.pass_at[ply]
        if at < r.passes[ply]:
            if at == 1:  # what was found for this position may be overwritten
                find_passes(t.on, t.rank[0])
            length = t.on.lengths[at]
            for i in range(length):
                r.plan[r.plan.size - length + i] = t.on.moves[at, i]
            r.planned[0] = length
            r.pass_at[ply] += 1
            r.move[ply] = steps.PASS
            return FOLLOWS
        r.kind[ply] = steps.MOVES
        _write(r, sets.size_of_common(left, left))
    for cell in range(t.lines.size):
        if sets.contains(left, cell):
            sets.discard(left, cell)
            _write(r, cell)
            r.move[ply] = cell
            return FOLLOWS
    add_guards(t.on, r.zones[ply], t.rank[0])
    return _finish(t, r, ply)


@inner
def _continue(t: ThreatSearch, r: ThreatRecording, ply: int, attacks: bool) -> int:
    """Continue after the position of `r.move` is written; return as `_open_attack` does."""
    zone, after, cell = r.zones[ply], r.zones[ply + 1], r.move[ply]
    sets.unite(zone, after)
    if not attacks and r.kind[ply] != steps.ANSWER:
        if cell == steps.PASS:
            sets.intersect(r.left[ply], after)
        return _next_reply(t, r, ply)
    sets.add(zone, cell)
    if not attacks:
        add_guards(t.on, zone, t.rank[0])
    return _finish(t, r, ply)


@inner
def _place(t: ThreatSearch, r: ThreatRecording) -> int:
    """Return the slot of the position, or else a free one."""
    key = t.hashes.current[0] | np.uint64(1)
    at = np.int64(key & np.uint64(r.keys.size - 1))
    while r.keys[at] not in (np.uint64(0), key):
        at = (at + 1) & (r.keys.size - 1)
    return int(at)


@inner
def _finish(t: ThreatSearch, r: ThreatRecording, ply: int) -> int:
    """Count a written position, and keep the attacker's with its zone; return FINISHED."""
    r.written[0] += 1
    if ply % 2 == 0 and 2 * r.finished[0] < r.keys.size:
        at = _place(t, r)
        r.keys[at] = t.hashes.current[0] | np.uint64(1)
        sets.copy_set(r.zones[ply], r.key_zones[at])
        r.finished[0] += 1
    return FINISHED


@inner
def _write(r: ThreatRecording, number: int) -> None:
    r.numbers[r.length[0]] = number
    r.length[0] += 1
