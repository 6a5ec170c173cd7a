"""Write a proof down, from the table of a finished search, for `proof_checking` to verify.

A proof is a list of numbers, the positions in the order of a depth-first walk. A position that is
an image of one that is finished already takes no number. With the defender to prove that he holds:

    POTENTIAL                           the attacker's potential is below its bound
    PAIRS n a1 b1 .. an bn              a pairing strategy
    MOVE cell                           the defender's move; the position after it follows
    WIN cell n c1 .. cn                 he completes a line; c1 .. cn with `cell` hit all open lines
    TWO_THREATS a b n c1 .. cn          he can complete lines on a and on b; with c1 .. cn two cells
                                        on each line open to the attacker
    ANSWER cell, position, n c1 .. cn   he threatens on `cell`; the position after the attacker's
                                        answer, then cells that hit each open line twice
    MOVES a1, position, a2, position .. attacker's moves, until no cell is in all of their zones

With the attacker to prove that he wins, there is his cell wherever he moves. The defender's moves
are not written: first to last empty cell, or only the one on which the attacker would win.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.attack_board_kernel import ATTACKER, DEFENDER, NONE, SEVERAL, place, remove
from tttenv.game.threat_sequences_kernel import winning_threats
from tttenv.game.transposition_kernel import canonical_image
from tttenv.proofs.bitset_kernel import (
    CellSet,
    add,
    clear,
    contains,
    copy_set,
    intersect,
    is_empty,
    map_set,
    size_of_common,
    unite,
    words,
)
from tttenv.proofs.pairing_kernel import find_pairing
from tttenv.proofs.search_kernel import (
    HELD,
    OPEN,
    PAIRS_TRIED,
    THREATS_TRIED,
    WON,
    ProofSearch,
    begin,
    hit_open_lines,
    judge,
    leave,
    search,
    survey,
)
from tttenv.proofs.table_kernel import LEAF, find, forget
from tttenv.utils.bare import bare, inner
from tttenv.utils.struct import Struct

POTENTIAL, PAIRS, MOVE, WIN, TWO_THREATS, ANSWER, MOVES = range(7)
# Instead of a length: there is no room left, the table does not hold the proof, more is to be done.
FULL, FAILED, BUSY = -1, -2, -3
SLICE = 10_000  # nodes in one call of the search for a position that the table has lost
UNLIMITED = 1 << 60  # entries of the table


@dataclass(frozen=True, eq=False)
class Recording(Struct):
    """The proof so far, the positions in it and a row for each ply of the walk."""

    numbers: NDArray[np.int16]  # (room,)
    length: NDArray[np.int64]  # (1,)
    keys: NDArray[np.uint64]  # (places,): of the finished positions, 0 where free; a power of two
    key_zones: NDArray[np.uint64]  # (places, words): their zones on the canonical image
    finished: NDArray[np.int64]  # (1,): how many there are
    ply: NDArray[np.int64]  # (1,): of the position that is being written
    kind: NDArray[np.int64]  # (plies,): one of the numbers above
    move: NDArray[np.int64]  # (plies,): the move whose position is being written
    zones: NDArray[np.uint64]  # (plies, words)
    left: NDArray[np.uint64]  # (plies, words)
    scratch: NDArray[np.uint64]  # (words,)


def new_recording(cells: int, room: int) -> Recording:
    """An empty proof with room for so many numbers, a power of two."""
    plies, size = cells + 2, words(cells)
    return Recording(
        numbers=np.zeros(room, np.int16),
        length=np.zeros(1, np.int64),
        keys=np.zeros(room, np.uint64),
        key_zones=np.zeros((room, size), np.uint64),
        finished=np.zeros(1, np.int64),
        ply=np.zeros(1, np.int64),
        kind=np.zeros(plies, np.int64),
        move=np.zeros(plies, np.int64),
        zones=np.zeros((plies, size), np.uint64),
        left=np.zeros((plies, size), np.uint64),
        scratch=np.zeros(size, np.uint64),
    )


@bare
def record(s: ProofSearch, r: Recording, wins: bool, first: int, positions: int) -> int:
    """Write the proof that the attacker wins, or that the defender holds; or a part of it.

    Args:
        s: a search that is finished or left; while the proof is BUSY, its board stays where the
            walk is.
        r: what is written so far.
        wins: what is to be shown: that the attacker wins, or that the defender holds.
        first: who is to move, ATTACKER or DEFENDER.
        positions: after how many more it is BUSY, so that the caller can look up.

    Returns:
        The proof's length; or FULL, FAILED or BUSY. After BUSY, another call goes on.
    """
    stop = r.finished[0] + positions
    ply = r.ply[0]
    mover = first if ply % 2 == 0 else 1 - first
    opened = BUSY
    while r.finished[0] < stop:
        before = r.length[0]
        opened = _open_win(s, r, ply, mover) if wins else _open_hold(s, r, ply, mover)
        if opened == BUSY:
            r.length[0] = before
        while opened == 0:  # the position is finished
            if ply == 0:
                return int(r.length[0])
            ply -= 1
            mover = 1 - mover
            remove(s.board, r.move[ply], mover)
            after = r.move[ply]
            opened = _continue_win(s, r, ply, mover) if wins else _continue_hold(s, r, ply, mover)
            if opened == BUSY:  # the next call finds the position after the move finished
                r.move[ply] = after
                place(s.board, after, mover)
                ply += 1
        if opened < 0:
            break
        place(s.board, r.move[ply], mover)
        ply += 1
        mover = 1 - mover
        opened = BUSY
    r.ply[0] = ply
    return opened


@inner
def _open_hold(s: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """Write the beginning of a position: 1 if another follows, after `r.move`, 0 if it is finished.

    Or FULL, FAILED or BUSY.
    """
    zone = r.zones[ply]
    clear(zone)
    if _known(s, r, zone):
        return 0
    if r.length[0] + 2 * r.move.size + 8 > r.numbers.size or 2 * r.finished[0] > r.keys.size:
        return FULL
    potential, mine, theirs = survey(s, mover)
    state = judge(s, mover, potential, mine, theirs, zone)
    if state == WON:
        return FAILED
    if state == HELD:
        _write_judged(s, r, mover, mine, theirs, zone)
        return _finish(s, r, ply)
    if find_pairing(s.board, s.pairing, PAIRS_TRIED):
        _write_pairs(s, r, zone)
        return _finish(s, r, ply)
    if mover == DEFENDER:
        cell = _settled_move(s, mover, HELD)
        if cell < 0:
            return FAILED if cell == NONE else BUSY
        r.kind[ply] = MOVE
    elif theirs != NONE:
        cell = theirs
        r.kind[ply] = ANSWER
    else:
        r.kind[ply] = MOVES
        clear(r.left[ply])
        for other in range(s.live.size):
            if s.board.stones[other] == 0:
                add(r.left[ply], other)
        _write(r, MOVES)
        return _next_attack(s, r, ply)
    _write(r, r.kind[ply])
    _write(r, cell)
    r.move[ply] = cell
    return 1


@inner
def _continue_hold(s: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """Go on with a position after that of `r.move` is finished, as `_open_hold`."""
    zone, after = r.zones[ply], r.zones[ply + 1]
    unite(zone, after)
    if r.kind[ply] == MOVES:
        intersect(r.left[ply], after)
        if not is_empty(r.left[ply]):
            return _next_attack(s, r, ply)
        return _finish(s, r, ply)
    add(zone, r.move[ply])
    if r.kind[ply] == ANSWER:
        copy_set(zone, r.scratch)
        hit_open_lines(s.board, zone, 2, r.move[ply])
        _write_new_cells(s, r, zone)
    return _finish(s, r, ply)


@inner
def _next_attack(s: ProofSearch, r: Recording, ply: int) -> int:
    """Choose the attacker's next move: the settled one whose zone leaves the fewest others."""
    hashes = s.board.hashes
    best, fewest = NONE, 1 << 30
    strongest, weight = NONE, -1
    for cell in range(s.live.size):
        if not contains(r.left[ply], cell):
            continue
        place(s.board, cell, ATTACKER)
        image = canonical_image(hashes)
        at = find(s.table, hashes.current[image] | np.uint64(1))
        if at >= 0 and s.table.entries[at].disproof == 0:
            map_set(s.table.zones[at], hashes.origins[image], r.scratch)
            common = size_of_common(r.scratch, r.left[ply])
            if common < fewest:
                best, fewest = cell, common
        remove(s.board, cell, ATTACKER)
        if s.board.through_count[cell] > weight:
            strongest, weight = cell, s.board.through_count[cell]
    if best == NONE:
        best = strongest
        place(s.board, best, ATTACKER)
        state = _solve(s, DEFENDER)
        remove(s.board, best, ATTACKER)
        if state != HELD:
            return BUSY if state == OPEN else FAILED
    _write(r, best)
    r.move[ply] = best
    return 1


@inner
def _open_win(s: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """As `_open_hold`, of a position that the attacker wins."""
    clear(r.zones[ply])
    if _known(s, r, r.zones[ply]):
        return 0
    if r.length[0] + 8 > r.numbers.size or 2 * r.finished[0] > r.keys.size:
        return FULL
    _, mine, theirs = survey(s, mover)
    if mover == DEFENDER:
        if mine != NONE:
            return FAILED
        if theirs == SEVERAL:
            return _finish(s, r, ply)
        r.kind[ply] = MOVES
        if theirs != NONE:
            r.kind[ply] = ANSWER
            r.move[ply] = theirs
            return 1
        return 1 if _next_reply(s, r, ply, 0) == 1 else FAILED
    r.kind[ply] = MOVE
    if mine != NONE:
        cell = mine
        if mine == SEVERAL:
            cell = _winning_cell(s)
        _write(r, cell)
        return _finish(s, r, ply)
    cell = winning_threats(s.board, s.threats, theirs, THREATS_TRIED)
    if cell == NONE:
        cell = _settled_move(s, mover, WON)
    if cell < 0:
        return FAILED if cell == NONE else BUSY
    _write(r, cell)
    r.move[ply] = cell
    return 1


@inner
def _continue_win(s: ProofSearch, r: Recording, ply: int, mover: int) -> int:
    """Go on with a position after that of `r.move` is finished, as `_open_win`."""
    if mover == DEFENDER and r.kind[ply] == MOVES and _next_reply(s, r, ply, r.move[ply] + 1) == 1:
        return 1
    return _finish(s, r, ply)


@inner
def _next_reply(s: ProofSearch, r: Recording, ply: int, cell: int) -> int:
    """Choose the first empty cell from `cell` on as the reply: 1, or 0 if there is none."""
    while cell < s.live.size:
        if s.board.stones[cell] == 0:
            r.move[ply] = cell
            return 1
        cell += 1
    return 0


@inner
def _winning_cell(s: ProofSearch) -> int:
    """A cell on which the attacker completes a line."""
    k = s.board.lines.shape[1]
    for line in range(len(s.board.lines)):
        if s.board.held[line, ATTACKER] == k - 1 and s.board.held[line, DEFENDER] == 0:
            for i in range(k):
                if s.board.stones[s.board.lines[line, i]] == 0:
                    return int(s.board.lines[line, i])
    return NONE


@inner
def _solve(s: ProofSearch, mover: int) -> int:
    """Search the board as it stands: WON or HELD, or OPEN if that takes more than one call."""
    begin(s, mover)
    state = search(s, SLICE, UNLIMITED)
    leave(s)
    return state


@inner
def _settled_move(s: ProofSearch, mover: int, wanted: int) -> int:
    """The move that settles the board as `wanted`, from the table or searched; NONE or BUSY."""
    hashes = s.board.hashes
    for _ in range(3):
        state = _solve(s, mover)
        if state != wanted:
            return BUSY if state == OPEN else NONE
        image = canonical_image(hashes)
        at = find(s.table, hashes.current[image] | np.uint64(1))
        if at >= 0 and s.table.entries[at].cell != LEAF:
            cell = int(hashes.origins[image, s.table.entries[at].cell])
            return cell if s.board.stones[cell] == 0 else NONE
        if at >= 0:
            # An image of this board was settled by pairs or threats that are not found on this one
            # within the same limit: forget it, so that the search finds a move.
            forget(s.table, at)
    return NONE


@inner
def _place(s: ProofSearch, r: Recording) -> tuple[int, int]:
    """The canonical image's map, and the place of the board as it stands or the free one for it."""
    image = canonical_image(s.board.hashes)
    key = s.board.hashes.current[image] | np.uint64(1)
    at = np.int64(key & np.uint64(r.keys.size - 1))
    while r.keys[at] not in (np.uint64(0), key):
        at = (at + 1) & (r.keys.size - 1)
    return image, int(at)


@inner
def _known(s: ProofSearch, r: Recording, zone: CellSet) -> bool:
    """Whether the board as it stands is written already; its zone."""
    image, at = _place(s, r)
    if r.keys[at] == np.uint64(0):
        return False
    map_set(r.key_zones[at], s.board.hashes.origins[image], zone)
    return True


@inner
def _finish(s: ProofSearch, r: Recording, ply: int) -> int:
    """Remember the board as it stands and its zone; 0."""
    image, at = _place(s, r)
    r.keys[at] = s.board.hashes.current[image] | np.uint64(1)
    map_set(r.zones[ply], s.board.hashes.images[image], r.key_zones[at])
    r.finished[0] += 1
    return 0


@inner
def _write(r: Recording, number: int) -> None:
    r.numbers[r.length[0]] = number
    r.length[0] += 1


@inner
def _write_judged(
    s: ProofSearch, r: Recording, mover: int, mine: int, theirs: int, zone: CellSet
) -> None:
    """Write why `judge` says that the defender holds."""
    clear(r.scratch)
    if mover == DEFENDER and mine != NONE:
        cell = _defenders_cell(s, NONE)
        clear(zone)
        add(zone, cell)
        add(r.scratch, cell)
        hit_open_lines(s.board, zone, 1, cell)
        _write(r, WIN)
        _write(r, cell)
        _write_new_cells(s, r, zone)
    elif mover == ATTACKER and theirs == SEVERAL:
        first = _defenders_cell(s, NONE)
        second = _defenders_cell(s, first)
        clear(zone)
        for cell in (first, second):
            add(zone, cell)
            add(r.scratch, cell)
        hit_open_lines(s.board, zone, 2, NONE)
        _write(r, TWO_THREATS)
        _write(r, first)
        _write(r, second)
        _write_new_cells(s, r, zone)
    else:
        _write(r, POTENTIAL)


@inner
def _defenders_cell(s: ProofSearch, but: int) -> int:
    """A cell other than `but` on which the defender completes a line."""
    k = s.board.lines.shape[1]
    for line in range(len(s.board.lines)):
        if s.board.held[line, DEFENDER] == k - 1 and s.board.held[line, ATTACKER] == 0:
            for i in range(k):
                cell = int(s.board.lines[line, i])
                if s.board.stones[cell] == 0 and cell != but:
                    return cell
    return NONE


@inner
def _write_new_cells(s: ProofSearch, r: Recording, zone: CellSet) -> None:
    """Write the number of the zone's cells that are not in `r.scratch`, and these cells."""
    at = r.length[0]
    _write(r, 0)
    for cell in range(s.live.size):
        if contains(zone, cell) and not contains(r.scratch, cell):
            _write(r, cell)
    r.numbers[at] = r.length[0] - at - 1


@inner
def _write_pairs(s: ProofSearch, r: Recording, zone: CellSet) -> None:
    """Write the pairs that `find_pairing` has found; their cells are the zone."""
    _write(r, PAIRS)
    at = r.length[0]
    _write(r, 0)
    for cell in range(s.live.size):
        partner = s.pairing.partner[cell]
        if partner >= 0:
            add(zone, cell)
            if cell < partner:
                _write(r, cell)
                _write(r, partner)
    r.numbers[at] = (r.length[0] - at - 1) // 2
