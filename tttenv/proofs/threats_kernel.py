"""Compiled proof-number search for wins by threats, at any rank.

After each move of the attacker he has to win by single threats if the defender passes, and only
the replies in the zones of such wins are followed; see `threat_board_kernel`. What is proved is a
win with its zone; a position that is given up may still be won.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import ATTACKER, DEFENDER, NONE, SEVERAL
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.transposition_kernel import ZobristHashes, new_hashes, toggle_hash
from tttenv.game.types import Boards, Numbers
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.table_kernel import LEAF, ProofTable, find, new_proof_table, place_for, words
from tttenv.proofs.threat_board_kernel import (
    ThreatBoard,
    add_guards,
    completing,
    find_passes,
    find_win,
    keep_win,
    lowest_two,
    new_threat_board,
    put,
    take,
)
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate, record

INFINITY = 1 << 30
THREAT, SINGLE = 1, 12  # first proof numbers: a threat; another move, divided by its lines
RANK_KEY = 0x9E3779B97F4A7C15  # by the rank a part of a position's hash
MOVER_KEY = 0x5DEECE66D1CE4E5B  # with the defender to move
WORKED = 2**16  # sets of the attacker's stones whose last winning move is remembered

FRAME = record(
    [
        ("key", np.uint64),  # of the position in the table
        ("proof", np.int64),  # 0 once the attacker is proved to win,
        ("disproof", np.int64),  # 0 once the search gives up the position
        ("proof_limit", np.int64),  # the position is left once a number reaches its limit
        ("disproof_limit", np.int64),
        ("before", np.int64),  # nodes searched before it
        ("mover", np.int64),  # ATTACKER or DEFENDER
        ("moves", np.int64),  # how many are listed
        ("chosen", np.int64),  # which of them is searched
    ],
)


@dataclass(frozen=True, eq=False)
class ThreatSearch(Struct):
    """A search for wins by threats with its board, table and stack, one row per ply."""

    on: ThreatBoard
    table: ProofTable
    hashes: ZobristHashes
    frames: Numbers  # (plies,) of FRAME
    cells: Annotated[NDArray[np.int16], "plies, cells"]  # the moves that are not settled yet
    proofs: Annotated[NDArray[np.int64], "plies, cells"]  # their proof numbers
    disproofs: Annotated[NDArray[np.int64], "plies, cells"]
    zones: Annotated[NDArray[np.uint64], "plies, words"]  # as far as they are known
    replies: Annotated[NDArray[np.uint64], "plies, words"]  # that the defender has
    lines: Annotated[NDArray[np.int64], "cells"]  # that a move adds to: working memory
    worked: Annotated[NDArray[np.int16], "sets"]  # the move that won last with the stones of
    worked_with: Annotated[NDArray[np.uint64], "sets"]  # the attacker that have this hash
    attackers: Annotated[NDArray[np.uint64], "1"]  # hash of the attacker's stones
    rank: Annotated[NDArray[np.int64], "1"]
    nodes: Annotated[NDArray[np.int64], "1"]  # positions looked at


def new_threat_search(rules: Rules, places: int) -> ThreatSearch:
    """Return a search on an empty board, whose table has `places` entries, a power of two.

    It does not use symmetries: the threats of an image are tried in another order.
    """
    cells = rules.cells
    sizes = {"cells": cells, "plies": cells + 2, "words": words(cells), "sets": WORKED}
    return allocate(
        ThreatSearch,
        sizes,
        on=new_threat_board(rules),
        table=new_proof_table(places, cells),
        hashes=new_hashes(maps(rules)[:1]),
        frames=np.zeros(cells + 2, FRAME),
    )


@bare
def set_position(t: ThreatSearch, board: Boards, rank: int) -> None:
    """Set the stones from a board (cells,), on which 1 marks the attacker's, and the rank."""
    for cell in range(board.size):
        stone = 0 if board[cell] == 0 else 1 if board[cell] == 1 else 2
        before = t.on.board.stones[cell]
        if before != stone:
            if before != 0:
                remove_stone(t, cell, before - 1)
            if stone != 0:
                place_stone(t, cell, stone - 1)
    change_rank(t, rank - t.rank[0])


@inner
def place_stone(t: ThreatSearch, cell: int, side: int) -> None:
    """Put a stone of `side` on an empty cell."""
    put(t.on, cell, side)
    _toggle(t, cell, side)


@inner
def remove_stone(t: ThreatSearch, cell: int, side: int) -> None:
    """Remove the stone of `side` from a cell."""
    take(t.on, cell, side)
    _toggle(t, cell, side)


@inner
def _toggle(t: ThreatSearch, cell: int, side: int) -> None:
    toggle_hash(t.hashes, cell, side)
    if side == ATTACKER:
        t.attackers[0] ^= t.hashes.stone_keys[cell, side, 0]


@inner
def change_rank(t: ThreatSearch, step: int) -> None:
    """Add `step` to the rank of the position."""
    change = np.uint64(t.rank[0]) * np.uint64(RANK_KEY)
    t.rank[0] += step
    t.hashes.current[0] ^= change ^ np.uint64(t.rank[0]) * np.uint64(RANK_KEY)


@bare
def threats_win(t: ThreatSearch, nodes: int) -> bool:
    """Return whether the attacker, to move, is proved to win; search at most so many nodes.

    If so, the first row of `zones` is the zone of the win. The board is left as it was.
    """
    stop = t.nodes[0] + nodes
    ply = 0
    first = t.frames[0]
    first.mover = ATTACKER
    first.proof_limit = first.disproof_limit = INFINITY
    _enter(t, 0)
    while True:
        frame = t.frames[ply]
        best, second = _weigh(t, ply)
        if (
            t.nodes[0] >= stop
            or frame.proof >= frame.proof_limit
            or frame.disproof >= frame.disproof_limit
            or frame.proof == 0
            or frame.disproof == 0
        ):
            _store(t, ply, t.cells[ply, best] if best >= 0 else LEAF)
            if ply == 0:
                return bool(frame.proof == 0)
            ply -= 1
            _take_back(t, ply)
            continue
        frame.chosen = best
        _set_limits(t, ply, best, second)
        place_stone(t, t.cells[ply, best], frame.mover)
        ply += 1
        t.frames[ply].mover = 1 - frame.mover
        _enter(t, ply)


@inner
def _take_back(t: ThreatSearch, ply: int) -> None:
    """Undo the chosen move, and note the numbers and the zone of the position after it."""
    frame, after = t.frames[ply], t.frames[ply + 1]
    chosen = frame.chosen
    remove_stone(t, t.cells[ply, chosen], frame.mover)
    t.proofs[ply, chosen], t.disproofs[ply, chosen] = after.proof, after.disproof
    if after.proof == 0:
        _use_zone(t, ply, t.cells[ply, chosen], t.zones[ply + 1])


@inner
def _use_zone(t: ThreatSearch, ply: int, cell: int, zone: NDArray[np.uint64]) -> None:
    """Add a move that is proved to win, or a reply that is proved to lose, to the zone."""
    frame = t.frames[ply]
    if frame.mover == ATTACKER and frame.proof == 0:
        return  # another move wins
    sets.unite(t.zones[ply], zone)
    if frame.mover == ATTACKER:
        frame.proof = 0
        sets.add(t.zones[ply], cell)


@inner
def _set_limits(t: ThreatSearch, ply: int, best: int, second: int) -> None:
    """Set the limits for the position after the best move, using the second-best number."""
    frame, after = t.frames[ply], t.frames[ply + 1]
    better = second + 1 + (second >> 2)  # a quarter more, so that it does not change at every step
    if frame.mover == ATTACKER:
        after.proof_limit = min(frame.proof_limit, better)
        after.disproof_limit = min(INFINITY, frame.disproof_limit - (frame.moves - 1))
    else:
        after.disproof_limit = min(frame.disproof_limit, better)
        after.proof_limit = min(INFINITY, frame.proof_limit - frame.proof + t.proofs[ply, best])


@inner
def _weigh(t: ThreatSearch, ply: int) -> tuple[int, int]:
    """Compute a position's numbers from those of its moves.

    Returns the best move's place in the list, -1 if the position is settled, and the second best
    number. The disproof number of the attacker's position is the largest of a move plus one for
    each other (Ueda, Hashimoto, Hashimoto and Iida, 2008: weak proof-number search).
    """
    frame = t.frames[ply]
    if frame.moves == 0:  # settled when it was entered
        return -1, INFINITY
    attacks = frame.mover == ATTACKER
    numbers, others = (
        (t.proofs[ply], t.disproofs[ply]) if attacks else (t.disproofs[ply], t.proofs[ply])
    )
    best, least, second, total, most = -1, INFINITY, INFINITY, 0, 0
    for i in range(frame.moves):
        total += others[i]
        most = max(most, others[i])
        if numbers[i] < least or (best >= 0 and numbers[i] == least and others[i] > others[best]):
            second = min(second, least)
            best, least = i, numbers[i]
        elif numbers[i] < second:
            second = numbers[i]
    if attacks:
        frame.proof = min(INFINITY, least)
        frame.disproof = (
            INFINITY
            if least == 0
            else 0
            if least >= INFINITY
            else min(INFINITY - 1, most + frame.moves - 1)
        )
    else:
        frame.disproof = least if total > 0 else INFINITY
        frame.proof = INFINITY if least == 0 else min(INFINITY - 1, total)
        if total == 0:
            frame.proof = 0
            add_guards(t.on, t.zones[ply], t.rank[0])
    return best, second


@inner
def _store(t: ThreatSearch, ply: int, cell: int) -> None:
    """Store a position's numbers, best move, zone and replies in the table."""
    frame = t.frames[ply]
    at = place_for(t.table, frame.key)
    entry = t.table.entries[at]
    entry.proof, entry.disproof = frame.proof, frame.disproof
    entry.work = min(np.int64(entry.work) + t.nodes[0] - frame.before, np.int64(INFINITY))
    if cell != LEAF:
        entry.cell = cell
    sets.copy_set(t.zones[ply], t.table.zones[at])
    sets.copy_set(t.replies[ply], t.table.left[at])
    if frame.proof == 0 and frame.mover == ATTACKER and cell != LEAF:
        remember(t, cell)


@inner
def remember(t: ThreatSearch, cell: int) -> None:
    """Remember that a move won with these stones of the attacker."""
    at = np.int64(t.attackers[0] & np.uint64(WORKED - 1))
    t.worked_with[at], t.worked[at] = t.attackers[0], cell


@inner
def _settle(frame: Any, wins: bool) -> None:
    frame.moves = 0
    frame.proof, frame.disproof = (0, INFINITY) if wins else (INFINITY, 0)


@inner
def _enter(t: ThreatSearch, ply: int) -> None:
    """Evaluate a newly reached position, and list its moves if it is still open."""
    frame = t.frames[ply]
    t.nodes[0] += 1
    frame.before = t.nodes[0] - 1
    frame.key = (t.hashes.current[0] ^ np.uint64(frame.mover * MOVER_KEY)) | np.uint64(1)
    frame.moves, frame.proof, frame.disproof = 0, 1, 1
    sets.clear(t.zones[ply])
    sets.clear(t.replies[ply])
    known = find(t.table, frame.key)
    if known >= 0:
        entry = t.table.entries[known]
        if entry.proof == 0 or entry.disproof == 0:
            _settle(frame, entry.proof == 0)
            sets.copy_set(t.table.zones[known], t.zones[ply])
            return
    if frame.mover == ATTACKER:
        _enter_attack(t, ply, known)
    else:
        _enter_replies(t, ply, known)


@inner
def _enter_attack(t: ThreatSearch, ply: int, known: int) -> None:
    """Evaluate a position with the attacker to move."""
    frame, zone = t.frames[ply], t.zones[ply]
    first = lowest_two(t.on)[0]
    if first != NONE:
        sets.add(zone, first)
        _settle(frame, True)
        return
    wanted = completing(t.on, DEFENDER)
    length = 0
    if known < 0 and wanted != SEVERAL:
        length = find_win(t.on, ATTACKER, wanted)
    if length > 0:
        keep_win(t.on, 2, t.rank[0])
        sets.copy_set(t.on.zones[2], zone)
        _settle(frame, True)
    elif wanted == NONE:
        _list_attacks(t, ply)
    elif wanted != SEVERAL:
        _add_move(t, ply, wanted, 1)
    if frame.proof > 0 and frame.moves == 0:
        _settle(frame, False)


@inner
def _enter_replies(t: ThreatSearch, ply: int, known: int) -> None:
    """Evaluate a position with the defender to move."""
    frame, zone, replies = t.frames[ply], t.zones[ply], t.replies[ply]
    if completing(t.on, DEFENDER) != NONE:
        _settle(frame, False)
        return
    first, second = lowest_two(t.on)
    if second != NONE:
        sets.add(zone, first)
        sets.add(zone, second)
    elif first != NONE:
        sets.add(zone, first)
        sets.add(replies, first)
    elif known >= 0:
        sets.copy_set(t.table.zones[known], zone)
        sets.copy_set(t.table.left[known], replies)
    else:
        count = find_passes(t.on, t.rank[0])
        if count == 0:
            _settle(frame, False)
            return
        for i in range(count):
            sets.unite(zone, t.on.zones[i])
        sets.unite(zone, t.on.answers)
        for word in range(replies.size):
            both = t.on.zones[0, word] & t.on.zones[count - 1, word]
            replies[word] = both & ~t.on.answered[word]
    for cell in range(t.lines.size):
        if sets.contains(replies, cell):
            _add_move(t, ply, cell, 1)
    if frame.moves == 0:
        add_guards(t.on, zone, t.rank[0])
        _settle(frame, True)


@inner
def _list_attacks(t: ThreatSearch, ply: int) -> None:
    """List the moves on lines on which the attacker has two or three stones less than he needs."""
    board, lines = t.on.board, t.lines
    k = board.lines.shape[1]
    lines[:] = 0
    for count in range(max(1, k - 3), k - 1):
        for i in range(t.on.size[ATTACKER, count]):
            line = t.on.open[ATTACKER, count, i]
            for j in range(k):
                cell = int(board.lines[line, j])
                if board.stones[cell] == 0:
                    lines[cell] += 1 if count == k - 3 else lines.size
    at = np.int64(t.attackers[0] & np.uint64(WORKED - 1))
    worked = int(t.worked[at]) if t.worked_with[at] == t.attackers[0] else NONE
    if worked != NONE and lines[worked] == 0:
        worked = NONE
    for cell in range(lines.size):
        if lines[cell] == 0:
            continue
        proof = THREAT if lines[cell] >= lines.size else max(2, SINGLE // int(lines[cell]))
        _add_move(t, ply, cell, THREAT if cell == worked else proof + (worked != NONE))
        if t.frames[ply].proof == 0:
            return


@inner
def _add_move(t: ThreatSearch, ply: int, cell: int, proof: int) -> None:
    """Add a move to the list, with its numbers from the table or initial ones."""
    frame = t.frames[ply]
    after = t.hashes.current[0] ^ t.hashes.stone_keys[cell, frame.mover, 0]
    known = find(t.table, (after ^ np.uint64((1 - frame.mover) * MOVER_KEY)) | np.uint64(1))
    disproof = 1
    if known >= 0:
        entry = t.table.entries[known]
        proof, disproof = int(entry.proof), int(entry.disproof)
        if proof == 0:
            _use_zone(t, ply, cell, t.table.zones[known])
            if frame.mover == DEFENDER:
                return
        elif disproof == 0 and frame.mover == ATTACKER:
            return
    at = frame.moves
    frame.moves += 1
    t.cells[ply, at] = cell
    t.proofs[ply, at], t.disproofs[ply, at] = proof, disproof


@bare
def immediate(t: ThreatSearch) -> tuple[int, int, int]:
    """Return the two lowest cells where the attacker completes a line, and the defender's one.

    Each may be NONE, the last also SEVERAL.
    """
    first, second = lowest_two(t.on)
    return first, second, completing(t.on, DEFENDER)


@bare
def defender_wins(t: ThreatSearch) -> bool:
    """Return whether the defender, to move, completes a line or wins by threats alone."""
    if completing(t.on, DEFENDER) != NONE:
        return True
    wanted = completing(t.on, ATTACKER)
    return bool(wanted != SEVERAL and find_win(t.on, DEFENDER, wanted) > 0)
