"""Compiled proof-number search: can the attacker complete a line before the defender does?

If not, the defender holds: he completes a line first, or the board fills up. The search is
depth-first with proof and disproof numbers as limits (df-pn: Nagai, 2002). A proof number is 0 once
the attacker is proved to win, INFINITY once the defender is proved to hold; a disproof number the
reverse. New positions start with numbers made of the attacker's potential.

Every position that the defender holds has a **zone**, a set of empty cells such that the defender
holds even if the attacker already owned all empty cells outside it. So whatever the attacker does
outside the zone after one of his moves, the same defence works, and only cells that lie in the
zones of all moves answered so far are left to try (relevance zones: Wu and Lin, 2010; must-play
regions: Hayward, 2003). The zone of a position:

- no line is open to the attacker: empty;
- the potential is below 2**k with the defender to move, or half of that with the attacker to move
  (Erdos and Selfridge, 1973): all empty cells of the open lines;
- a pairing strategy: the cells of its pairs;
- the defender completes a line: its last cell, and one cell of each other open line;
- the defender has two threats to complete lines: the cells of both, and two of each open line;
- the defender moves: his cell and the zone after it;
- the attacker moves: the zones after his moves, together; if he has to answer a threat, also the
  cell of the threat, and two of each open line that does not pass through it.

A search of threats only tries moves of the attacker after which he wins by threats if the defender
passes, and the replies that lie in the zones of all such wins; see `win_zones_kernel`. It proves
wins, at any rank, and its other results say nothing.
"""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

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
    place,
    remove,
    set_stones,
    threat_through,
)
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.threat_sequences_kernel import ThreatStack, new_threat_stack, winning_threats
from tttenv.game.transposition_kernel import (
    ZobristHashes,
    canonical_image,
    new_hashes,
    toggle_hash,
)
from tttenv.game.types import Boards, Numbers
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.pairing_kernel import Pairing, find_pairing, new_pairing
from tttenv.proofs.table_kernel import LEAF, ProofTable, find, place_for, words
from tttenv.proofs.win_zones_kernel import Passes, find_passes
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate, record

INFINITY = 1 << 30
LARGEST = INFINITY - 1  # of a position that is open
NOT_STARTED = -1  # instead of a ply
ATTACKER_WINS, DEFENDER_HOLDS, OPEN = 0, 1, 2  # the state of a position: what is proved of it

PAIRS_TRIED = 30  # in the search for a pairing strategy
PAIRING_RATIO = 4.0  # no pairing strategy is looked for if the potential is so many times its bound
THREATS_TRIED = 30  # in the search for a win by threats alone
QUIET = 2  # added to the proof number of an attacker's move that makes no threat
PREPARES, SINGLE = 2, 12  # proof numbers in searches of threats: moves on several lines or on one
RANK_KEY = 0x9E3779B97F4A7C15  # by the rank a part of a position's hash

FRAME = record(
    [
        ("key", np.uint64),  # of the position in the table
        ("proof", np.int64),
        ("disproof", np.int64),
        ("proof_limit", np.int64),  # the position is left once a number reaches its limit
        ("disproof_limit", np.int64),
        ("before", np.int64),  # nodes searched before it
        ("image", np.int64),  # the number of the map to the position's canonical image
        ("mover", np.int64),  # ATTACKER or DEFENDER
        ("state", np.int64),  # ATTACKER_WINS, DEFENDER_HOLDS or OPEN
        ("moves", np.int64),  # how many are listed in `Frames.cells`
        ("chosen", np.int64),  # which of them is searched
        ("forced", np.int64),  # the only move that does not lose at once, or NONE
    ],
)


@dataclass(frozen=True, eq=False)
class Frames(Struct):
    """The search stack: the state of each position on the current path, one row per ply."""

    of: Numbers  # (plies,) of FRAME
    cells: Annotated[NDArray[np.int16], "plies, cells"]  # the moves that are not settled yet
    proofs: Annotated[NDArray[np.int64], "plies, cells"]  # their proof numbers
    disproofs: Annotated[NDArray[np.int64], "plies, cells"]
    zones: Annotated[NDArray[np.uint64], "plies, words"]
    left: Annotated[NDArray[np.uint64], "plies, words"]  # attacks that no zone answers yet
    scratch: Annotated[NDArray[np.uint64], "words"]


@dataclass(frozen=True, eq=False)
class ProofSearch(Struct):
    """A proof-number search with its board, table and working memory."""

    board: LineBoard
    table: ProofTable
    frames: Frames
    pairing: Pairing
    threats: ThreatStack
    hashes: ZobristHashes
    passes: Passes
    threats_only: bool
    rank: Annotated[NDArray[np.int64], "1"]  # of the root; above 0 in a search of threats only
    weights: Annotated[NDArray[np.int64], "cells"]  # the attacker's potential through each
    live: Annotated[NDArray[np.int64], "cells"]  # lines open to either side through each
    nodes: Annotated[NDArray[np.int64], "1"]  # positions judged
    ply: Annotated[NDArray[np.int64], "1", NOT_STARTED]  # of the searched position


def new_proof_search(rules: Rules, table: ProofTable, threats_only: bool = False) -> ProofSearch:
    """Return a search on an empty board; searches with the same attacker may share a table.

    A search of threats does not use symmetries: the threats of an image are tried in another order.
    """
    cells = rules.cells
    sizes = {"cells": cells, "plies": cells + 2, "words": words(cells)}
    return allocate(
        ProofSearch,
        sizes,
        board=new_line_board(rules),
        table=table,
        frames=allocate(Frames, sizes, of=np.zeros(cells + 2, FRAME)),
        pairing=new_pairing(len(rules.lines), cells),
        threats=new_threat_stack(cells),
        hashes=new_hashes(maps(rules)[:1] if threats_only else maps(rules)),
        passes=allocate(Passes, sizes),
        threats_only=threats_only,
    )


@inner
def rank_key(rank: int) -> Any:
    """Return the part (a uint64) of a position's hash by its rank."""
    return np.uint64(rank) * np.uint64(RANK_KEY)


@bare
def set_board(s: ProofSearch, board: Boards) -> None:
    """Set the stones from a board (cells,), on which 1 marks the attacker's stones."""
    set_stones(s.board, board)
    for image in range(s.hashes.current.size):
        s.hashes.current[image] = rank_key(s.rank[0])
    for cell in range(board.size):
        if board[cell] != 0:
            toggle_hash(s.hashes, cell, ATTACKER if board[cell] == 1 else DEFENDER)


def start(s: ProofSearch, rules: Rules, position: Boards, attacker: str) -> int:
    """Set up a position (cells,), seen by the side to move; return that side's number."""
    s.rank[0] = 0
    attacks = "XO"[int(rules.seat(position))] == attacker
    set_board(s, position if attacks else -position)
    return ATTACKER if attacks else DEFENDER


@inner
def place_stone(s: ProofSearch, cell: int, side: int) -> None:
    """Put a stone of `side` on an empty cell."""
    place(s.board, cell, side)
    toggle_hash(s.hashes, cell, side)


@inner
def change_rank(s: ProofSearch, step: int) -> None:
    """Add `step` to the rank of the board."""
    change = rank_key(s.rank[0]) ^ rank_key(s.rank[0] + step)
    s.rank[0] += step
    for image in range(s.hashes.current.size):
        s.hashes.current[image] ^= change


@inner
def remove_stone(s: ProofSearch, cell: int, side: int) -> None:
    """Remove the stone of `side` from a cell."""
    remove(s.board, cell, side)
    toggle_hash(s.hashes, cell, side)


@bare
def search(s: ProofSearch, mover: int, nodes: int, entries: int, early: bool) -> int:
    """Start or continue a search of the current board; return its state.

    While its position is open, its board follows the search, so that another call continues as if
    there had been no limit. `mover` is to move when a search starts. It stops after so many
    `nodes`, at this number of table `entries`, or at once if `early`.
    """
    frames = s.frames.of
    stop = s.nodes[0] + nodes
    ply = s.ply[0]
    entering = ply == NOT_STARTED
    if entering:
        ply = 0
        frames[0].mover = mover
        frames[0].proof_limit = frames[0].disproof_limit = INFINITY
    while True:
        if entering:
            _enter(s, ply)
        entering = False
        frame = frames[ply]
        best, second = _weigh(s, ply)
        if (
            early
            or frame.state != OPEN
            or frame.proof >= frame.proof_limit
            or frame.disproof >= frame.disproof_limit
        ):
            _store(s, ply, s.frames.cells[ply, best] if best >= 0 else LEAF)
            if ply == 0:
                s.ply[0] = NOT_STARTED
                return int(frame.state)
            ply -= 1
            _take_back(s, ply)
            continue
        if s.nodes[0] >= stop or s.table.filled[0] >= entries:
            s.ply[0] = ply
            return OPEN
        frame.chosen = best
        _set_limits(s, ply, best, second)
        place_stone(s, s.frames.cells[ply, best], frame.mover)
        ply += 1
        frames[ply].mover = 1 - frame.mover
        entering = True


class Searches(NamedTuple):
    """The searches of one attacker: of everything, and of threats only."""

    whole: ProofSearch
    threats: ProofSearch


def threats_win(s: ProofSearch, nodes: int) -> bool:
    """Return whether a search of threats proves in so many nodes that its board is won."""
    try:
        state = search(s, ATTACKER, nodes, 1 << 60, False)
    finally:  # also after Ctrl-C
        leave(s)
    return bool(state == ATTACKER_WINS)


def leave(s: ProofSearch) -> None:
    """Abort a search in progress: keep its results in the table and restore the board."""
    if s.ply[0] != NOT_STARTED:
        search(s, ATTACKER, 0, 0, True)


@inner
def _take_back(s: ProofSearch, ply: int) -> None:
    """Undo the chosen move, and store the proof numbers of the position after it."""
    frame, after, chosen = s.frames.of[ply], s.frames.of[ply + 1], s.frames.of[ply].chosen
    remove_stone(s, s.frames.cells[ply, chosen], frame.mover)
    s.frames.proofs[ply, chosen] = after.proof
    s.frames.disproofs[ply, chosen] = after.disproof


@inner
def _set_limits(s: ProofSearch, ply: int, best: int, second: int) -> None:
    """Set the limits for the position after the best move, using the second-best number."""
    frame, after = s.frames.of[ply], s.frames.of[ply + 1]
    better = second + 1 + (second >> 2)  # a quarter more, so that it does not change at every step
    if frame.mover == ATTACKER:
        after.proof_limit = min(frame.proof_limit, better)
        spare = frame.disproof_limit - (frame.moves - 1)
        after.disproof_limit = min(INFINITY, spare)
    else:
        after.disproof_limit = min(frame.disproof_limit, better)
        spare = frame.proof_limit - frame.proof + s.frames.proofs[ply, best]
        after.proof_limit = min(INFINITY, spare)


@inner
def _weigh(s: ProofSearch, ply: int) -> tuple[int, int]:
    """Compute a position's proof numbers from those of its moves, and settle it if possible.

    Returns the best move's place in the list, -1 without moves, and the second best number.
    """
    frame = s.frames.of[ply]
    if frame.state != OPEN:
        return -1, INFINITY
    if frame.mover == DEFENDER:
        return _weigh_replies(s, ply)
    if frame.forced == NONE:
        _use_zones(s, ply)
    return _weigh_attacks(s, ply)


@inner
def _weigh_attacks(s: ProofSearch, ply: int) -> tuple[int, int]:
    """Compute the numbers of an attacker's position: one winning move is enough.

    The disproof number is the largest among the moves plus one for each other move: a sum would
    count the same defence many times over (Ueda, Hashimoto, Hashimoto and Iida, 2008: weak
    proof-number search).
    """
    frame = s.frames.of[ply]
    disproofs = s.frames.disproofs[ply]
    best, least, second = _two_least(s.frames.proofs[ply], disproofs, frame.moves)
    most = 0
    for i in range(frame.moves):
        most = max(most, disproofs[i])
    frame.proof = least
    frame.disproof = min(LARGEST, most + frame.moves - 1) if frame.moves > 0 else 0
    if least == 0:
        _settle(frame, ATTACKER_WINS)
    elif frame.moves == 0:
        _settle(frame, DEFENDER_HOLDS)
    elif frame.forced != NONE and s.frames.disproofs[ply, 0] == 0:
        if _settled_zone(s, ply, 0):
            cell = s.frames.cells[ply, 0]
            sets.copy_set(s.frames.scratch, s.frames.zones[ply])
            sets.add(s.frames.zones[ply], cell)
            hit_open_lines(s.board, s.frames.zones[ply], 2, cell)
            _settle(frame, DEFENDER_HOLDS)
        else:
            frame.disproof = 1
    return best, second


@inner
def _weigh_replies(s: ProofSearch, ply: int) -> tuple[int, int]:
    """Compute the numbers of a defender's position: one holding move is enough."""
    frame = s.frames.of[ply]
    proofs = s.frames.proofs[ply]
    best, least, second = _two_least(s.frames.disproofs[ply], proofs, frame.moves)
    total = 0
    for i in range(frame.moves):
        total += proofs[i]
    frame.proof, frame.disproof = min(LARGEST, total), least
    if total == 0:
        _settle(frame, ATTACKER_WINS)
    elif least == 0:
        if _settled_zone(s, ply, best):
            sets.copy_set(s.frames.scratch, s.frames.zones[ply])
            sets.add(s.frames.zones[ply], s.frames.cells[ply, best])
            _settle(frame, DEFENDER_HOLDS)
        else:
            frame.proof, frame.disproof = 1, 1
    return best, second


@inner
def _two_least(
    numbers: NDArray[np.int64], others: NDArray[np.int64], moves: int
) -> tuple[int, int, int]:
    """Return the move of the least number, of equals that of the highest other, -1 without moves.

    The least number and the second least come with it.
    """
    best, least, second = -1, INFINITY, INFINITY
    for i in range(moves):
        tie = numbers[i] == least and best >= 0
        if numbers[i] < least or (tie and others[i] > others[best]):
            second = min(second, least)
            best, least = i, numbers[i]
        elif numbers[i] < second:
            second = numbers[i]
    return best, least, second


@inner
def _settle(frame: Any, state: int) -> None:
    """Set the state of a position that is proved, and its proof numbers."""
    frame.state = state
    frame.proof = 0 if state == ATTACKER_WINS else INFINITY
    frame.disproof = INFINITY if state == ATTACKER_WINS else 0


@inner
def _use_zones(s: ProofSearch, ply: int) -> None:
    """Drop the attacker's refuted moves, and every other move that their zones refute."""
    frame = s.frames.of[ply]
    i = 0
    while i < frame.moves:
        if s.frames.disproofs[ply, i] != 0:
            i += 1
            continue
        if not _settled_zone(s, ply, i):
            i += 1
            continue
        sets.unite(s.frames.zones[ply], s.frames.scratch)
        sets.intersect(s.frames.left[ply], s.frames.scratch)
        kept = 0
        for j in range(frame.moves):
            cell = s.frames.cells[ply, j]
            if j != i and sets.contains(s.frames.left[ply], cell):
                s.frames.cells[ply, kept] = cell
                s.frames.proofs[ply, kept] = s.frames.proofs[ply, j]
                s.frames.disproofs[ply, kept] = s.frames.disproofs[ply, j]
                kept += 1
        frame.moves = kept
        i = 0


@inner
def _settled_zone(s: ProofSearch, ply: int, move: int) -> bool:
    """Write a settled move's zone to `Frames.scratch`; False, and unsettle it, if it is lost."""
    mover, cell = s.frames.of[ply].mover, s.frames.cells[ply, move]
    image, key = key_after(s, cell, mover)
    entry = find(s.table, key)
    if entry < 0 or s.table.entries[entry].disproof != 0:
        s.frames.proofs[ply, move] = s.frames.disproofs[ply, move] = 1
        return False
    sets.map_set(s.table.zones[entry], s.hashes.origins[image], s.frames.scratch)
    if s.threats_only:  # any other move may still win
        for other in range(s.live.size):
            sets.add(s.frames.scratch, other)
    return True


@inner
def key_after(s: ProofSearch, cell: int, mover: int) -> tuple[int, int]:
    """Return the index of the canonical map and the key of the board after a move."""
    hashes = s.hashes
    best = 0
    least = hashes.current[0] ^ hashes.stone_keys[cell, mover, 0]
    for i in range(1, hashes.current.size):
        candidate = hashes.current[i] ^ hashes.stone_keys[cell, mover, i]
        if candidate < least:
            best, least = i, candidate
    return best, least | np.uint64(1)


@inner
def _store(s: ProofSearch, ply: int, cell: int) -> None:
    """Store a position's numbers, best move and zone in the table."""
    frame = s.frames.of[ply]
    hashes = s.hashes
    at = place_for(s.table, frame.key)
    entry = s.table.entries[at]
    entry.proof, entry.disproof = frame.proof, frame.disproof
    entry.work = min(np.int64(entry.work) + s.nodes[0] - frame.before, np.int64(INFINITY))
    if cell != LEAF:
        entry.cell = hashes.images[frame.image, cell]
    sets.map_set(s.frames.zones[ply], hashes.images[frame.image], s.table.zones[at])
    sets.map_set(s.frames.left[ply], hashes.images[frame.image], s.table.left[at])


@inner
def _enter(s: ProofSearch, ply: int) -> None:
    """Evaluate a newly reached position, and list its moves if it is still open."""
    frame = s.frames.of[ply]
    s.nodes[0] += 1
    frame.before = s.nodes[0] - 1
    frame.image = canonical_image(s.hashes)
    frame.key = s.hashes.current[frame.image] | np.uint64(1)
    frame.moves, frame.forced = 0, NONE
    sets.clear(s.frames.zones[ply])
    sets.clear(s.frames.left[ply])
    known = find(s.table, frame.key)
    if known >= 0:
        entry = s.table.entries[known]
        if entry.proof == 0 or entry.disproof == 0:
            _settle(frame, ATTACKER_WINS if entry.proof == 0 else DEFENDER_HOLDS)
            origins = s.hashes.origins[frame.image]
            sets.map_set(s.table.zones[known], origins, s.frames.zones[ply])
            return
    potential, mine, theirs = survey(s, frame.mover)
    state = judge(s, frame.mover, potential, mine, theirs, s.frames.zones[ply])
    if state == OPEN and known < 0:
        state = _judge_longer(s, frame.mover, potential, theirs, s.frames.zones[ply])
    frame.state = state
    if state != OPEN:
        _settle(frame, state)
        return
    if frame.mover == ATTACKER:
        for cell in range(s.live.size):
            if s.live[cell] > 0:
                sets.add(s.frames.left[ply], cell)
        if known >= 0:
            origins = s.hashes.origins[frame.image]
            sets.map_set(s.table.zones[known], origins, s.frames.zones[ply])
            sets.map_set(s.table.left[known], origins, s.frames.left[ply])
    elif s.threats_only and theirs == NONE and not _reduce_replies(s, ply, known):
        _settle(frame, DEFENDER_HOLDS)
        return
    frame.forced = theirs
    _list_moves(s, ply, potential, known < 0)


@inner
def _reduce_replies(s: ProofSearch, ply: int, known: int) -> bool:
    """Write the replies to search to `Frames.zones`; return False if threats do not win."""
    replies = s.frames.zones[ply]
    if known >= 0:
        sets.copy_set(s.table.zones[known], replies)
        return True
    count = find_passes(s.board, s.threats, s.passes, s.rank[0])
    if count == 0:
        return False
    sets.copy_set(s.passes.zones[0], replies)
    if count == 2:
        sets.intersect(replies, s.passes.zones[1])
    for word in range(replies.size):
        replies[word] &= ~s.passes.answered[word]
    return True


@inner
def survey(s: ProofSearch, mover: int) -> tuple[int, int, int]:
    """Compute `weights` and `live`; return the potential and the cells that complete a line.

    The cells are those of the mover and of the other side: a cell, NONE or SEVERAL.
    """
    board = s.board
    k = board.lines.shape[1]
    for cell in range(s.live.size):
        s.weights[cell] = s.live[cell] = 0
    potential = 0
    attack, defence = NONE, NONE
    for line in range(len(board.lines)):
        attackers, defenders = board.held[line, ATTACKER], board.held[line, DEFENDER]
        if attackers > 0 and defenders > 0:
            continue
        weight = 1 << int(attackers) if defenders == 0 else 0
        potential += weight
        for i in range(k):
            cell = int(board.lines[line, i])
            if board.stones[cell] == 0:
                s.live[cell] += 1
                s.weights[cell] += weight
                if attackers == k - 1:
                    attack = _one_more(attack, cell)
                elif defenders == k - 1:
                    defence = _one_more(defence, cell)
    if mover == ATTACKER:
        return potential, attack, defence
    return potential, defence, attack


@inner
def _one_more(found: int, cell: int) -> int:
    """Return `cell` if it is the only cell found so far, else SEVERAL."""
    if found == NONE:
        return cell
    return cell if found == cell else SEVERAL


@inner
def judge(
    s: ProofSearch, mover: int, potential: int, mine: int, theirs: int, zone: NDArray[np.uint64]
) -> int:
    """Return a surveyed position's state by its lines; fill `zone` if the defender holds."""
    bound = 1 << s.board.lines.shape[1]
    if mover == ATTACKER:
        if mine != NONE:
            return ATTACKER_WINS
        if theirs == SEVERAL:
            _add_winning_cells(s.board, DEFENDER, zone)
            hit_open_lines(s.board, zone, 2, NONE)
            return DEFENDER_HOLDS
        bound >>= 1
    else:
        if mine != NONE:
            cell = mine
            if mine == SEVERAL:
                cell = _add_winning_cells(s.board, DEFENDER, zone)
                sets.clear(zone)
            sets.add(zone, cell)
            hit_open_lines(s.board, zone, 1, cell)
            return DEFENDER_HOLDS
        if theirs == SEVERAL:
            return ATTACKER_WINS
    if potential < bound:
        for cell in range(s.weights.size):
            if s.weights[cell] > 0:
                sets.add(zone, cell)
        return DEFENDER_HOLDS
    return OPEN


@inner
def _judge_longer(
    s: ProofSearch, mover: int, potential: int, theirs: int, zone: NDArray[np.uint64]
) -> int:
    """Return a position's state by threats or a pairing; fill `zone` if the defender holds."""
    if mover == ATTACKER and (
        winning_threats(s.board, ATTACKER, s.threats, theirs, THREATS_TRIED) != NONE
    ):
        return ATTACKER_WINS
    if theirs != NONE or s.threats_only:
        return OPEN
    bound = 1 << (s.board.lines.shape[1] - (1 if mover == ATTACKER else 0))
    if potential < PAIRING_RATIO * bound and find_pairing(s.board, s.pairing, PAIRS_TRIED):
        for cell in range(s.weights.size):
            if s.pairing.partner[cell] >= 0:
                sets.add(zone, cell)
        return DEFENDER_HOLDS
    return OPEN


@inner
def _add_winning_cells(board: LineBoard, side: int, cells: NDArray[np.uint64]) -> int:
    """Add to `cells` every cell on which `side` completes a line; return the last one."""
    k = board.lines.shape[1]
    last = NONE
    for line in range(len(board.lines)):
        if board.held[line, side] == k - 1 and board.held[line, 1 - side] == 0:
            last = empty_cell(board, line, NONE)
            sets.add(cells, last)
    return last


@inner
def hit_open_lines(board: LineBoard, zone: NDArray[np.uint64], times: int, but: int) -> None:
    """Add `times` cells of each line open to the attacker, but of those through the cell `but`."""
    k = board.lines.shape[1]
    for line in range(len(board.lines)):
        if board.held[line, DEFENDER] != 0 or (but != NONE and board.on_line[line, but]):
            continue
        count = 0
        for i in range(k):
            cell = int(board.lines[line, i])
            if board.stones[cell] == 0 and sets.contains(zone, cell):
                count += 1
        while count < times:
            best = NONE
            for i in range(k):
                cell = int(board.lines[line, i])
                if board.stones[cell] != 0 or sets.contains(zone, cell):
                    continue
                if best == NONE or board.through_count[cell] > board.through_count[best]:
                    best = cell
            if best == NONE:
                break
            sets.add(zone, best)
            count += 1


@inner
def _list_moves(s: ProofSearch, ply: int, potential: int, fresh: bool) -> None:
    """List the moves of a position with their proof numbers.

    On the first visit, where the attacker would win by threats if the defender passed, the replies
    that change nothing about that are settled at once.
    """
    frame = s.frames.of[ply]
    if frame.forced != NONE:
        _add_move(s, ply, frame.forced, potential)
        return
    threatened = False
    if s.threats_only:
        fresh = False
    if fresh and frame.mover == DEFENDER:
        threatened = winning_threats(s.board, ATTACKER, s.threats, NONE, THREATS_TRIED) != NONE
    for cell in range(s.live.size):
        if s.live[cell] == 0 and not (s.threats_only and frame.mover == DEFENDER):
            continue
        if frame.mover == ATTACKER and not sets.contains(s.frames.left[ply], cell):
            continue
        if s.threats_only and _out_of_search(s, ply, cell):
            continue
        _add_move(s, ply, cell, potential)
        last = frame.moves - 1
        if threatened and s.frames.proofs[ply, last] > 0 and s.frames.disproofs[ply, last] > 0:
            place_stone(s, cell, DEFENDER)
            wanted = threat_through(s.board, cell, DEFENDER)
            found = NONE
            if wanted != SEVERAL:
                found = winning_threats(s.board, ATTACKER, s.threats, wanted, THREATS_TRIED)
            if found != NONE:
                _store_win(s, ply + 1)
                s.frames.proofs[ply, last] = 0
                s.frames.disproofs[ply, last] = INFINITY
            remove_stone(s, cell, DEFENDER)


@inner
def _out_of_search(s: ProofSearch, ply: int, cell: int) -> bool:
    """Return whether a search of threats leaves out a move."""
    if s.frames.of[ply].mover == DEFENDER:
        return not sets.contains(s.frames.zones[ply], cell)
    return _threat_proof(s.board, cell) == 0


@inner
def _threat_proof(board: LineBoard, cell: int) -> int:
    """Return the first proof number of an attacker's move in a search of threats, 0 for no move."""
    k = board.lines.shape[1]
    prepares = 0
    for i in range(board.through_count[cell]):
        line = board.lines_through[cell, i]
        if board.held[line, DEFENDER] != 0:
            continue
        if board.held[line, ATTACKER] == k - 2:
            return 1
        prepares += board.held[line, ATTACKER] == k - 3
    return PREPARES if prepares > 1 else SINGLE if prepares == 1 else 0


@inner
def _store_win(s: ProofSearch, ply: int) -> None:
    """Store the current board in the table as a win for the attacker."""
    frame = s.frames.of[ply]
    frame.image = canonical_image(s.hashes)
    frame.key = s.hashes.current[frame.image] | np.uint64(1)
    frame.before = s.nodes[0]
    _settle(frame, ATTACKER_WINS)
    sets.clear(s.frames.zones[ply])
    sets.clear(s.frames.left[ply])
    _store(s, ply, LEAF)


@bare
def is_settled(s: ProofSearch) -> bool:
    """Return whether the table holds the state of the board."""
    at = find(s.table, s.hashes.current[canonical_image(s.hashes)] | np.uint64(1))
    return at >= 0 and (s.table.entries[at].proof == 0 or s.table.entries[at].disproof == 0)


@bare
def store_win(s: ProofSearch, cell: int) -> None:
    """Store that the attacker wins the board, at its rank, by a move."""
    entry = s.table.entries[place_for(s.table, s.hashes.current[0] | np.uint64(1))]
    entry.proof, entry.disproof, entry.cell = 0, INFINITY, cell


@inner
def _add_move(s: ProofSearch, ply: int, cell: int, potential: int) -> None:
    """Add a move to the list, with proof numbers from the table or initial ones.

    The first disproof number is the cube of the potential after the move over the bound of Erdos
    and Selfridge, the first proof number 1, with an addition for the attacker's quiet moves.
    """
    frame = s.frames.of[ply]
    at = frame.moves
    frame.moves += 1
    s.frames.cells[ply, at] = cell
    known = find(s.table, key_after(s, cell, frame.mover)[1])
    if known >= 0:
        s.frames.proofs[ply, at] = s.table.entries[known].proof
        s.frames.disproofs[ply, at] = s.table.entries[known].disproof
        return
    k = s.board.lines.shape[1]
    proof = 1
    if frame.mover == ATTACKER:
        ratio = (potential + s.weights[cell]) / (1 << k)
        if s.threats_only:
            proof = max(1, _threat_proof(s.board, cell))
        elif not _makes_threat(s.board, cell):
            proof += QUIET
    else:
        ratio = (potential - s.weights[cell]) / (1 << (k - 1))
    s.frames.proofs[ply, at] = proof
    s.frames.disproofs[ply, at] = max(1, int(ratio * ratio * ratio))


@inner
def _makes_threat(board: LineBoard, cell: int) -> bool:
    """Return whether a stone of the attacker on `cell` threatens to complete a line."""
    k = board.lines.shape[1]
    for i in range(board.through_count[cell]):
        line = board.lines_through[cell, i]
        if board.held[line, ATTACKER] == k - 2 and board.held[line, DEFENDER] == 0:
            return True
    return False
