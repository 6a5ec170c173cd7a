"""Alpha-beta search (Knuth and Moore, 1975) as negamax, with a stack of one frame per ply.

A search can be run in slices, so that Python can look at the clock between them. Scores are for the
side to move: 0 is a draw, a game won when s stones are on the board scores WIN_SCORE - s and a lost
one s - WIN_SCORE, so that quick wins and slow losses are best. A position at the depth limit is
scored, between those numbers, by its open lines or by a network
(`tttenv.game.line_patterns_kernel`). The side to move never has an immediate win here: the caller
handles such boards, and a position with two threats against the side to move is scored as lost. So
only the threats that the last stone makes have to be found.

With `threats`, wins by sequences of single threats are searched for at inner positions and a side
that could make a double threat has one more proof of a win; the other side then tries only moves
that stop it. These prunings leave exact scores as they are.

With `threats` the search is also selective, except where it reaches the end of the game. Principal
variation search (Marsland and Campbell, 1982) tries every move but the first in a null window, and
once more in the whole one if it turns out better. Late moves are searched one or two plies less
deep at first (late-move reductions), unless they answer a threat; one that turns out better than
alpha is then searched to the full depth. Entries of deeper searches in the transposition table
count. Without `threats` none of this is done, so that scores to a depth do not depend on the order
of moves.

With an `attacker` only wins by force are searched for: that side plays threats and moves after
which a double threat could follow, in Gomoku fours and threes, the other side answers; its answers
are not counted in the depth, and a position in which nothing has to be answered is scored 0
(threat-space search: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1994).

Move ordering: the transposition table's move first, then the highest move score by open lines (on
an empty board that of the centre, later winning cells and blocks of threats), then row by row.
Killer moves (Akl and Newborn, 1977) only break ties: open lines are the better guide.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game import line_patterns_kernel as network
from tttenv.game.line_board_kernel import NONE, SEVERAL, threat_through
from tttenv.game.line_patterns_kernel import LinePatterns, PatternTables, new_line_patterns
from tttenv.game.open_lines_kernel import (
    OpenLines,
    new_open_lines,
    set_board,
    stones_needed,
    update_stone,
)
from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import Game
from tttenv.game.symmetry import maps
from tttenv.game.threat_sequences_kernel import (
    MOVE,
    TRIED,
    ThreatStack,
    new_threat_stack,
    winning_threats,
)
from tttenv.game.transposition_kernel import (
    EXACT,
    LOWER_BOUND,
    SEED,
    UPPER_BOUND,
    ZobristHashes,
    canonical_image,
    new_hashes,
    new_table,
    probe,
    store,
    toggle_hash,
)
from tttenv.game.types import Boards, Cells, Mask, Numbers
from tttenv.players.search.threat_moves_kernel import (
    ThreatRoom,
    can_make_double_threat,
    new_threat_room,
    only_answers,
    only_attacks,
)
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate, record

WIN_SCORE = 1 << 30
PROVEN = 1 << 29  # a score beyond this is a proven win or loss, within it a draw or a heuristic
MAX_GUESS = 1 << 28  # the highest heuristic score
INFINITY = (1 << 31) - 1  # above every score
UNLIMITED = 1 << 62  # positions left to search without a limit

# The hash of an empty board in searches with a kept table: by the stones that side 0 has more than
# side 1 when it is to move, from -1 to 1, and by the attacker, NONE or a side.
ORIGINS = np.random.default_rng(SEED + 1).integers(2**64, size=(3, 3), dtype=np.uint64)

FRAME = record(
    [
        ("alpha", np.int32),  # the window, narrowed by the moves tried so far
        ("beta", np.int32),
        ("given_alpha", np.int32),  # the window that the caller gave
        ("given_beta", np.int32),
        ("lower", np.int32),  # bounds of the true score, from the stones and the open lines
        ("upper", np.int32),
        ("best", np.int32),  # the best score of the moves tried; at the end the frame's score
        ("best_cell", np.int16),  # the move with that score
        ("cell", np.int16),  # the move being tried
        ("table_move", np.int16),  # the transposition table's move, or -1
        ("forced", np.int16),  # the only move that does not lose at once, or -1
        ("tried", np.int16),  # the number of moves tried
        ("listed", np.int16),  # the number of moves in `order`, from the second one on
        ("stage", np.int8),  # how the move is being searched: FULL, NULL_WINDOW or REDUCED
        ("again", np.bool_),  # whether the same move is searched next, as `stage` says
        ("answering", np.bool_),  # whether the moves are only those that stop a double threat
        ("image", np.int16),  # the number of the map to the position's canonical image
        ("depth", np.int16),  # plies left to search
        ("key", np.uint64),  # of the position in the transposition table
    ],
)


@dataclass(frozen=True, eq=False)
class SearchState(Struct):
    """Arrays and settings of a search; side 0, with stones 1, is to move at the root."""

    game: Game
    width: int  # the largest number of moves tried at a position
    stones: Annotated[NDArray[np.int64], "1"]  # the number of stones on the root's board
    age: Annotated[NDArray[np.int64], "2"]  # of this search and of the first whose table
    # entries count, an earlier one only with `keep_table`
    keep_table: bool  # whether entries of earlier searches count
    origin: Annotated[NDArray[np.uint64], "1"]  # the hash of an empty board in this search
    threats: int  # tried in one search for a win by single threats; 0 for no such search
    attacker: Annotated[NDArray[np.int64], "1", NONE]  # the side that plays only threats and
    # moves before double threats
    lines: OpenLines  # with the board; side 0 is to move at the root
    patterns: LinePatterns  # the network that scores positions; without vectors, open lines do
    hashes: ZobristHashes
    table: Numbers  # (entries,), of transposition.ENTRY
    frames: Numbers  # (cells + 2,), of FRAME, one for each ply
    tried: Annotated[Mask, "plies, cells"]  # moves that are not to be tried at each ply
    order: Annotated[NDArray[np.int16], "plies, cells"]  # best first, from ply 2 on
    scores: Annotated[NDArray[np.int64], "cells"]  # their ordering scores, while they are listed
    killers: Annotated[Cells, "plies, 2", -1]  # the last two moves that caused a cutoff at each ply
    ply: Annotated[NDArray[np.int64], "1"]  # the current frame; 0 when the search is done
    left: Annotated[NDArray[np.int64], "1"]  # how many positions may still be searched
    room: ThreatRoom
    stack: ThreatStack


def new_search_state(
    rules: Rules,
    entries: int,
    width: int,
    threats: int,
    tables: PatternTables | None = None,
    keep_table: bool = False,
) -> SearchState:
    """Allocate the arrays of a search; see `SearchState`.

    With `keep_table` a search uses the table entries of earlier ones, so its result may depend on
    them.
    """
    cells = rules.cells
    open_lines = new_open_lines(rules)
    return allocate(
        SearchState,
        {"cells": cells, "plies": cells + 2},
        game=rules.game,
        width=width,
        keep_table=keep_table,
        threats=threats,
        lines=open_lines,
        patterns=new_line_patterns(rules, tables),
        hashes=new_hashes(maps(rules)),
        table=new_table(entries),
        frames=np.zeros(cells + 2, FRAME),
        room=new_threat_room(open_lines, cells),
        stack=new_threat_stack(cells),
    )


def start(search: SearchState, board: Boards, attacker: int = NONE) -> None:
    """Reset the arrays to search from `board` (cells,), only for wins of an `attacker`, 0 or 1.

    With the new `age`, the entries of earlier searches are ignored. With `keep_table` they count,
    for searches with the same attacker and the same side to move.
    """
    search.age[0] += 1
    if search.keep_table:
        search.age[1] = 1
        search.origin[0] = ORIGINS[int(board.sum()) + 1, attacker - NONE]
    else:
        search.age[1] = search.age[0]
    put_board(search, board)
    search.stones[0], search.attacker[0] = np.count_nonzero(board), attacker


@bare
def put_board(s: SearchState, board: Boards) -> None:
    """Set all arrays that depend on the root's board (cells,)."""
    set_board(s.lines, board)
    network.begin(s.patterns, board)
    s.ply[0] = 0
    s.killers[:] = -1
    s.hashes.current[:] = s.origin[0]
    for cell in range(board.size):
        if board[cell] != 0:
            toggle_hash(s.hashes, cell, 0 if board[cell] == 1 else 1)


# The stages of a move's search: a REDUCED one is less deep, one in a NULL_WINDOW only says whether
# the move is better than alpha. If it is, the search goes on with the stage before.
FULL, NULL_WINDOW, REDUCED = range(3)
LATE = 4  # moves of a position that are searched to the full depth
VERY_LATE = 10  # later ones are searched two plies less deep, those between them one
LEAST_DEPTH = 3  # plies left from which on moves are reduced

KILLER_BONUS = 8  # added to a killer move's score by open lines: little more than a tie-break


@inner
def next_move(s: SearchState, ply: int) -> int:
    """Return the untried move with the highest ordering score, or -1 if none is left to try."""
    frame = s.frames[ply]
    limit = 1 if frame.forced >= 0 else s.tried.shape[1] if frame.answering else s.width
    if frame.alpha >= frame.beta or frame.tried >= limit:
        return -1
    frame.tried += 1
    if frame.forced >= 0:
        return int(frame.forced)
    if frame.tried == 1:  # often it is the only one
        if list_moves(s, ply, 1) == 0:
            return -1
        s.tried[ply, s.order[ply, 0]] = True
        return int(s.order[ply, 0])
    if frame.tried == 2:
        frame.listed = list_moves(s, ply, limit - 1)
    return int(s.order[ply, frame.tried - 2]) if frame.tried - 2 < frame.listed else -1


@inner
def list_moves(s: SearchState, ply: int, limit: int) -> int:
    """Write the untried moves with the highest ordering scores to `order`; return their number."""
    order, scores, count = s.order[ply], s.scores, 0
    for cell in range(s.tried.shape[1]):
        if s.lines.board.stones[cell] == 0 and not s.tried[ply, cell]:
            score = ordering_score(s, ply, cell)
            if count < limit:
                count += 1
            elif score <= scores[count - 1]:
                continue
            at = count - 1
            while at > 0 and scores[at - 1] < score:
                order[at], scores[at] = order[at - 1], scores[at - 1]
                at -= 1
            order[at], scores[at] = cell, score
    return count


@inner
def ordering_score(s: SearchState, ply: int, cell: int) -> int:
    """Return the ordering score of the move `cell`: the higher, the earlier it is tried."""
    score = int(s.lines.move_score[cell])
    if cell == s.frames[ply].table_move:
        score += 1 << 50
    elif cell == s.killers[ply, 0] or cell == s.killers[ply, 1]:
        score += KILLER_BONUS
    return score


# Where the numbers of a root's progress stand: depths finished, moves tried, best moves, their
# score, the last two as they were at the last depth that was finished, and 1 if the current move is
# searched once more because it is better than all before, else 0.
STEP, TRIED_MOVES, BEST, SCORE, FOUND, FOUND_SCORE, AGAIN = range(7)


@dataclass(frozen=True, eq=False)
class RootSearch(Struct):
    """Progress of an iterative-deepening search."""

    order: Cells  # (moves,): in which they are tried
    depths: Cells  # (depths,): in plies, the move counted
    best: Cells  # (moves,): the best moves first, as many as `progress` says
    found: Cells  # (moves,): the same of the last depth that was finished
    progress: NDArray[np.int64]  # (7,)


def new_root_search(order: list[int], depths: list[int]) -> RootSearch:
    """Return the state of a search before it starts, with the first move as the best so far."""
    moves = np.array(order, np.int64)
    progress = np.array([0, 0, 0, -INFINITY, 1, 0, 0], np.int64)
    return RootSearch(moves, np.array(depths, np.int64), moves.copy(), moves.copy(), progress)


@bare
def search_deeper(s: SearchState, root: RootSearch, first: bool, budget: int) -> bool:
    """Search the root's moves with increasing depth, up to the last depth or a proof.

    Return whether the search is done; if not, after about `budget` positions, call again. With
    `first` only the first of equally good moves, row by row, is wanted.
    """
    stop = max(0, s.left[0] - budget)
    progress = root.progress
    while progress[STEP] < len(root.depths):
        depth = root.depths[progress[STEP]]
        if not search_root(s, root, depth, first, stop):
            return False
        count, score = progress[BEST], progress[SCORE]
        for i in range(count):
            root.found[i] = root.best[i]
        progress[FOUND], progress[FOUND_SCORE] = count, score
        move_to_front(root.order, root.found, count)
        progress[STEP] += 1
        progress[TRIED_MOVES], progress[BEST], progress[SCORE] = 0, 0, -INFINITY
        if abs(score) > PROVEN and WIN_SCORE - abs(score) - s.stones[0] <= depth:
            break  # a quicker win, or a slower loss, would have been found by now
    return True


@inner
def search_root(s: SearchState, root: RootSearch, depth: int, first: bool, stop: int) -> bool:
    """Search the root's moves at one depth; return False once only `stop` positions are left."""
    progress = root.progress
    while progress[TRIED_MOVES] < len(root.order):
        cell = root.order[progress[TRIED_MOVES]]
        any_best, score = progress[BEST] > 0, progress[SCORE]
        ties = not first or not any_best or cell < root.best[0]
        narrow = s.threats > 0 and any_best and progress[AGAIN] == 0
        beta = score + 1 if narrow else INFINITY
        if s.ply[0] == 0:
            if s.left[0] <= stop:
                return False
            # The window begins one below the best score, so that a tie differs from a worse move.
            alpha = score - 1 if any_best and ties else score
            begin_move(s, cell, alpha, beta, depth - 1)
        if s.ply[0] > 0:
            search_nodes(s, s.left[0] - stop)
            if s.ply[0] > 0:
                return False
        found = -s.frames[1].best
        progress[AGAIN] = 1 if narrow and found >= beta else 0
        if progress[AGAIN] == 1:
            continue
        if found > score or (found == score and ties and first):
            root.best[0], progress[BEST], progress[SCORE] = cell, 1, found
        elif found == score and ties:
            root.best[progress[BEST]] = cell
            progress[BEST] += 1
        progress[TRIED_MOVES] += 1
    return True


@inner
def move_to_front(order: Cells, best: Cells, count: int) -> None:
    """Move the first `count` best moves to the front, keeping the order of the others."""
    placed = 0
    for i in range(len(order)):
        cell = order[i]
        for at in range(count):
            if best[at] == cell:
                for j in range(i, placed, -1):
                    order[j] = order[j - 1]
                order[placed] = cell
                placed += 1
                break


@bare
def begin_move(s: SearchState, cell: int, alpha: int, beta: int, depth: int) -> None:
    """Start searching the root move `cell` in the window (alpha, beta), `depth` plies deep."""
    s.left[0] -= 1
    s.frames[0].cell = cell
    toggle_stone(s, 0, cell)
    s.ply[0] = 1
    if not open_frame(s, 1, -beta, -alpha, depth):
        undo_move(s, 1)


@bare
def search_nodes(s: SearchState, budget: int) -> None:
    """Search about `budget` more positions, but no more than are left.

    When the root's move is done, `ply` is 0, and its score for its side `-frames[1].best`.
    """
    stop = max(0, s.left[0] - budget)
    while s.ply[0] > 0 and s.left[0] > stop:
        ply = s.ply[0]
        frame = s.frames[ply]
        if not frame.again:
            cell = next_move(s, ply)
            if cell < 0:
                close_frame(s, ply)
                undo_move(s, ply)
                continue
            frame.cell, frame.stage = cell, first_stage(s, ply)
        frame.again = False
        s.left[0] -= 1
        toggle_stone(s, ply, frame.cell)
        s.ply[0] = ply + 1
        free = frame.forced < 0 and (s.attacker[0] == NONE or not frame.answering)
        depth = frame.depth - 1 if free else frame.depth
        if frame.stage == REDUCED:
            depth -= 1 if frame.tried <= VERY_LATE else 2
        beta = frame.beta if frame.stage == FULL else frame.alpha + 1
        if not open_frame(s, ply + 1, -beta, -frame.alpha, depth):
            undo_move(s, ply + 1)


@inner
def first_stage(s: SearchState, ply: int) -> int:
    """Return the stage at which to start searching the move about to be tried."""
    frame = s.frames[ply]
    if s.threats == 0 or s.attacker[0] != NONE or frame.tried == 1:
        return FULL
    # A frame as deep as there are empty cells is searched to the end of the game.
    to_the_end = frame.depth >= s.tried.shape[1] - s.stones[0] - ply
    if frame.tried <= LATE or frame.depth < LEAST_DEPTH or frame.answering or to_the_end:
        return NULL_WINDOW
    return REDUCED


@inner
def toggle_stone(s: SearchState, ply: int, cell: int) -> None:
    """Put a stone of the side to move at `ply` on `cell`, or remove it."""
    side = ply % 2
    step = 1 if s.lines.board.stones[cell] == 0 else -1
    update_stone(s.lines, cell, side, step)
    toggle_hash(s.hashes, cell, side)


@inner
def undo_move(s: SearchState, ply: int) -> None:
    """Remove the stone that led to the frame at `ply`, and back up its score."""
    before = s.frames[ply - 1]
    cell = before.cell
    toggle_stone(s, ply - 1, cell)
    s.ply[0] = ply - 1
    if ply == 1:
        return
    score = -s.frames[ply].best
    is_bound = before.stage == REDUCED or (before.stage == NULL_WINDOW and score < before.beta)
    if is_bound and score > before.alpha:
        before.stage -= 1
        before.again = True
        return
    if score > before.best:
        before.best, before.best_cell = score, cell
    before.alpha = max(before.alpha, score)
    killers = s.killers[ply - 1]
    if before.alpha >= before.beta and before.forced < 0 and killers[0] != cell:
        killers[1] = killers[0]
        killers[0] = cell


@inner
def open_frame(s: SearchState, ply: int, alpha: int, beta: int, depth: int) -> bool:
    """Fill the frame of a newly reached position; return False if no moves have to be tried."""
    frame = s.frames[ply]
    stones = s.stones[0] + ply
    empty = s.tried.shape[1] - stones
    threat = threat_through(s.lines.board, s.frames[ply - 1].cell, 1 - ply % 2)
    if threat == SEVERAL:
        frame.best = stones + 2 - WIN_SCORE
        return False
    frame.forced = threat
    mine, theirs = stones_needed(s.lines, ply % 2), stones_needed(s.lines, 1 - ply % 2)
    soonest, latest = max(3, 2 * mine - 1), max(4, 2 * theirs)
    frame.upper = WIN_SCORE - stones - soonest if soonest <= empty else 0
    frame.lower = stones + latest - WIN_SCORE if latest <= empty else 0
    frame.given_alpha, frame.given_beta = alpha, beta
    frame.alpha, frame.beta = max(alpha, frame.lower), min(beta, frame.upper)
    if frame.alpha >= frame.beta:
        frame.best = frame.lower if frame.lower >= beta else frame.upper
        return False
    frame.depth = min(depth, empty)
    frame.best, frame.best_cell = -INFINITY, 0
    frame.tried = 0
    frame.answering = frame.again = False
    if s.threats > 0 and threat == NONE:
        return open_with_threats(s, ply, depth)
    if depth <= 0 and threat == NONE:
        frame.best = guess(s, ply)
        return False
    for cell in range(s.tried.shape[1]):
        s.tried[ply, cell] = False
    return not probe_table(s, ply)


@inner
def guess(s: SearchState, ply: int) -> int:
    """Return the network's or the open lines' score of the position, within its frame's bounds.

    With `threats` the move is worth one and a half lines with k - 2 stones: then scores are on
    average as high at odd depths as at even ones (measured on 15,15,5).
    """
    frame = s.frames[ply]
    if s.patterns.vectors.size > 0:
        found = network_value(s, ply)
    else:
        found = (1 - 2 * (ply % 2)) * s.lines.evaluation[0]
        if s.threats > 0:
            k = s.lines.board.lines.shape[1]
            found += 3 * s.lines.line_value[k - 2, 0] // 2
    score: int = min(max(found, -MAX_GUESS, frame.lower), MAX_GUESS, frame.upper)
    return score


@inner
def network_value(s: SearchState, ply: int) -> int:
    """Return the network's value of the current position, after updating it for earlier moves."""
    net, same, last = s.patterns, 0, ply - 1
    while same < min(net.length[0], last) and net.path[same] == s.frames[same].cell:
        same += 1
    network.take_back(net, same)
    for at in range(same, last):
        network.put(net, s.frames[at].cell)
    return int(network.value_after(net, s.frames[last].cell))


@inner
def open_with_threats(s: SearchState, ply: int, depth: int) -> bool:
    """Finish `open_frame` for a position in which neither side can complete a line."""
    frame, side = s.frames[ply], ply % 2
    if can_make_double_threat(s.lines, side, s.room):
        frame.best = frame.upper  # no win is faster
        return False
    if depth <= 0 and s.attacker[0] == NONE:
        frame.best = guess(s, ply)
        return False
    if depth > 0 and probe_table(s, ply):
        return False
    length = threat_win(s, side)
    if length > 0:
        frame.table_move = s.stack[0, MOVE]
        frame.lower = max(frame.lower, WIN_SCORE - s.stones[0] - ply - length)
        frame.alpha = max(frame.alpha, frame.lower)
        if frame.alpha >= frame.beta:
            frame.best = frame.lower
            return False
    if s.attacker[0] == side:
        frame.best = 0
        if depth <= 0 or only_attacks(s.lines, side, s.room, s.tried[ply]) == 0:
            return False
        frame.best = -INFINITY
        return True
    frame.answering = only_answers(s.lines, side, s.room, s.tried[ply])
    if s.attacker[0] != NONE and not frame.answering:
        frame.best = 0
        return False
    if not frame.answering:
        for cell in range(s.tried.shape[1]):
            s.tried[ply, cell] = False
    return depth > 0 or not probe_table(s, ply)


@inner
def threat_win(s: SearchState, side: int) -> int:
    """Return the number of stones in a win by single threats, or 0 if none was found."""
    k = s.lines.board.lines.shape[1]
    short = s.lines.open_count[side, k - 2]
    if short == 0 or short + s.lines.open_count[side, k - 3] < 2:
        return 0  # no threat, or no second line that could cross it
    limit = min(s.threats, s.left[0])
    if limit <= 0:
        return 0
    cell = winning_threats(s.lines.board, side, s.stack, NONE, limit)
    s.left[0] -= min(s.stack[TRIED], limit)
    if cell < 0:
        return 0
    pairs = 0
    while s.stack[pairs, MOVE] >= 0:
        pairs += 1
    return 2 * pairs + 1


@inner
def probe_table(s: SearchState, ply: int) -> bool:
    """Look up the position and note its stored move; return True if its score can be used."""
    frame = s.frames[ply]
    frame.image = canonical_image(s.hashes)
    frame.key = s.hashes.current[frame.image]
    frame.table_move = -1
    slot = probe(s.table, frame.key, s.age[1])
    if slot < 0:
        return False
    entry = s.table[slot]
    frame.table_move = s.hashes.origins[frame.image, entry.cell]
    # Of a deeper search nothing is taken without `threats`, so that scores do not hang on the order
    # of moves; what a less deep one has proved, this one would prove, too.
    score, less = entry.score, entry.depth < frame.depth
    selective = s.threats > 0 and s.attacker[0] == NONE
    same = entry.depth == frame.depth or (selective and not less)
    won, lost = less and score > PROVEN, less and score < -PROVEN
    high = entry.bound != UPPER_BOUND and score >= frame.beta and (same or won)
    low = entry.bound != LOWER_BOUND and score <= frame.alpha and (same or lost)
    if high or low or (same and entry.bound == EXACT):
        frame.best = score
        return True
    return False


@inner
def close_frame(s: SearchState, ply: int) -> None:
    """Set a frame's score once its moves are tried or cut off, and store it in the table."""
    frame = s.frames[ply]
    frame.best = min(max(frame.best, frame.lower), frame.upper)
    bound = EXACT
    if frame.best <= frame.given_alpha:
        bound = UPPER_BOUND
    elif frame.best >= frame.given_beta:
        bound = LOWER_BOUND
    cell = s.hashes.images[frame.image, frame.best_cell]
    store(s.table, frame.key, s.age, frame.best, cell, frame.depth, bound)
