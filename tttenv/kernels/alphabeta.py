"""Alpha-beta (Knuth and Moore, 1975) as negamax on a stack of frames, to be run in slices.

Scores are for the side to move: 0 is a draw, a game won when s stones are on the board scores
WIN - s and a lost one s - WIN, so that quick wins and slow losses are best; what a depth limit
cuts off scores by its open lines, between those. No side ever has a winning stone at hand in
here: the caller answers such boards, and a position where the side to move must ward off two
threats is scored as lost. So only the threats of the last stone need looking for.

Which move is tried next: the table's move first, then the cells that most invite a stone by their
open lines (on an empty board those of the centre, then winning and warding off threats), then row
by row. Killer moves (Akl and Newborn, 1977) only break ties: lines that they touch say more.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.bare import bare
from tttenv.kernels.open_lines import OpenLines, count, missing, open_lines, reset
from tttenv.kernels.rules import threats
from tttenv.kernels.transposition import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    Hashes,
    hashes,
    key_image,
    probe,
    store,
    table,
    turn_stone,
)
from tttenv.kernels.types import Cells, Mask, Numbers, Stones

WIN = 1 << 30
PROVEN = 1 << 29  # beyond this a score is a win or a loss, within it a draw or a guess
GREATEST = 1 << 28  # the highest guess
NO_LIMIT = (1 << 31) - 1  # a bound beyond every score

FRAME = np.dtype(
    [
        ("alpha", np.int32),  # the window as narrowed so far
        ("beta", np.int32),
        ("floor", np.int32),  # alpha as given
        ("ceiling", np.int32),  # beta as given
        ("least", np.int32),  # what the true score can be, by stones and open lines
        ("most", np.int32),
        ("best", np.int32),  # of the moves tried; at the end the frame's score
        ("best_cell", np.int16),
        ("cell", np.int16),  # the move being tried
        ("favourite", np.int16),  # the table's move, or -1
        ("forced", np.int16),  # the only move that does not lose at once, or -1
        ("tried", np.int16),  # how many moves
        ("image", np.int16),  # the map to the canonical image
        ("depth", np.int16),  # plies still to search
        ("key", np.uint64),
    ],
    align=True,
)


class Search(NamedTuple):
    """All a search works on; side 0, with stones 1, is to move at the root."""

    m: int
    n: int
    k: int
    width: int  # at most so many moves are tried at a position
    stones: int  # on the root's board
    age: int  # the number of the search, for the table
    board: Stones  # (cells,)
    lines: OpenLines
    hashes: Hashes
    table: Numbers  # (entries,), of transposition.ENTRY
    frames: Numbers  # (cells + 2,), of FRAME, one a ply
    tried: Mask  # (cells + 2, cells): the moves already tried at each ply
    killers: Cells  # (cells + 2, 2): the last moves that cut at each ply
    found: Cells  # (8,), room for threats
    ply: NDArray[np.int64]  # (1,): the frame being worked on; 0 when there is none


def search(
    shape: tuple[int, int, int], lines: Cells, maps: Cells, entries: int, width: int
) -> Search:
    """Room for searches on boards of shape (m, n, k), with a table of so many entries.

    Args:
        shape: rows, columns and how many in a row win.
        lines: the cells of every line, (lines, k).
        maps: the symmetries, (maps, cells).
        entries: of the table.
        width: at most so many moves are tried at a position.
    """
    cells = maps.shape[1]
    plies = cells + 2
    return Search(
        *shape,
        width=width,
        stones=0,
        age=0,
        board=np.zeros(cells, np.int8),
        lines=open_lines(lines, cells),
        hashes=hashes(maps),
        table=table(entries),
        frames=np.zeros(plies, FRAME),
        tried=np.zeros((plies, cells), np.bool_),
        killers=np.full((plies, 2), -1, np.int64),
        found=np.zeros(8, np.int64),
        ply=np.zeros(1, np.int64),
    )


def ready(room: Search, board: Stones) -> Search:
    """The same room made ready to search from `board` (cells,), as if it were never used before.

    All but the table starts anew; there it is the new `age` that puts old entries out of date.
    """
    room.board[:] = board
    room.killers[:] = -1
    room.ply[:] = 0
    reset(room.lines, board)
    stones = np.flatnonzero(board)
    sides = (board[stones] == -1).astype(np.int64)
    room.hashes.now[:] = np.bitwise_xor.reduce(room.hashes.of_stones[stones, sides], axis=0)
    return room._replace(stones=len(stones), age=room.age + 1)


KILLER = 8  # what a killer adds to the promise of its open lines: little more than a tie-break


@bare
def next_cell(s: Search, ply: int) -> int:
    """The most promising move not yet tried; -1 if none is left or the frame is cut off."""
    frame = s.frames[ply]
    limit = 1 if frame.forced >= 0 else s.width
    if frame.alpha >= frame.beta or frame.tried >= limit:
        return -1
    frame.tried += 1
    if frame.forced >= 0:
        return int(frame.forced)
    best, best_cell = np.int64(-1), -1
    for cell in range(s.board.size):
        if s.board[cell] == 0 and not s.tried[ply, cell]:
            promise = s.lines.pull[cell]
            if cell == frame.favourite:
                promise += 1 << 50
            elif cell == s.killers[ply, 0] or cell == s.killers[ply, 1]:
                promise += KILLER
            if promise > best:
                best, best_cell = promise, cell
    if best_cell >= 0:
        s.tried[ply, best_cell] = True
    return best_cell


@bare
def begin(s: Search, cell: int, alpha: int, beta: int, depth: int) -> None:
    """Set out to score the root's move `cell` within (alpha, beta), `depth` plies after it."""
    s.frames[0].cell = cell
    place(s, 0, cell)
    s.ply[0] = 1
    if not enter(s, 1, -beta, -alpha, depth):
        leave(s, 1)


@bare
def advance(s: Search, budget: int) -> int:
    """Search up to `budget` nodes further and say how many; `ply` is 0 when all is done.

    The score of the root's move, for the side that makes it, is then `-frames[1].best`.
    """
    used = 0
    while s.ply[0] > 0 and used < budget:
        ply = s.ply[0]
        cell = next_cell(s, ply)
        if cell < 0:
            finish(s, ply)
            leave(s, ply)
            continue
        used += 1
        frame = s.frames[ply]
        frame.cell = cell
        place(s, ply, cell)
        s.ply[0] = ply + 1
        depth = frame.depth if frame.forced >= 0 else frame.depth - 1
        if not enter(s, ply + 1, -frame.beta, -frame.alpha, depth):
            leave(s, ply + 1)
    return used


@bare
def place(s: Search, ply: int, cell: int) -> None:
    """Put a stone of the side to move at `ply` on `cell`, or take it away again."""
    side = ply % 2
    step = 1 if s.board[cell] == 0 else -1
    s.board[cell] = (1 - 2 * side) if step == 1 else 0
    count(s.lines, cell, side, step)
    turn_stone(s.hashes, cell, side)


@bare
def leave(s: Search, ply: int) -> None:
    """Take the last stone back and credit its score, the frame's at `ply`, to the move before."""
    before = s.frames[ply - 1]
    cell = before.cell
    place(s, ply - 1, cell)
    s.ply[0] = ply - 1
    if ply == 1:
        return
    score = -s.frames[ply].best
    if score > before.best:
        before.best, before.best_cell = score, cell
    before.alpha = max(before.alpha, score)
    killers = s.killers[ply - 1]
    if before.alpha >= before.beta and before.forced < 0 and killers[0] != cell:
        killers[1] = killers[0]
        killers[0] = cell


@bare
def enter(s: Search, ply: int, alpha: int, beta: int, depth: int) -> bool:
    """Open the frame of a position just reached; False if it is scored without trying moves."""
    frame = s.frames[ply]
    stones = s.stones + ply
    empty = s.board.size - stones
    many = threats(s.board, s.frames[ply - 1].cell, s.m, s.n, s.k, s.found)
    if many > 1:
        frame.best = stones + 2 - WIN
        return False
    frame.forced = s.found[0] if many == 1 else -1
    mine, theirs = missing(s.lines, ply % 2), missing(s.lines, 1 - ply % 2)
    soonest, latest = max(3, 2 * mine - 1), max(4, 2 * theirs)
    frame.most = WIN - stones - soonest if soonest <= empty else 0
    frame.least = stones + latest - WIN if latest <= empty else 0
    frame.floor, frame.ceiling = alpha, beta
    frame.alpha, frame.beta = max(alpha, frame.least), min(beta, frame.most)
    if frame.alpha >= frame.beta:
        frame.best = frame.least if frame.least >= beta else frame.most
        return False
    if depth <= 0 and many == 0:
        guess = (1 - 2 * (ply % 2)) * s.lines.total[0]
        frame.best = min(max(guess, -GREATEST, frame.least), GREATEST, frame.most)
        return False
    frame.depth = min(depth, empty)
    frame.best, frame.best_cell = -NO_LIMIT, -1
    frame.tried = 0
    for cell in range(s.board.size):
        s.tried[ply, cell] = False
    return not recall(s, ply)


@bare
def recall(s: Search, ply: int) -> bool:
    """Ask the table; True if that settles the frame's score, else take over its favourite move."""
    frame = s.frames[ply]
    frame.image = key_image(s.hashes)
    frame.key = s.hashes.now[frame.image]
    frame.favourite = -1
    slot = probe(s.table, frame.key, s.age)
    if slot < 0:
        return False
    entry = s.table[slot]
    frame.favourite = s.hashes.origins[frame.image, entry.cell]
    score, deep = entry.score, entry.depth >= frame.depth
    high = entry.bound != AT_MOST and score >= frame.beta and (deep or score > PROVEN)
    low = entry.bound != AT_LEAST and score <= frame.alpha and (deep or score < -PROVEN)
    if high or low or (deep and entry.bound == EXACT):
        frame.best = score
        return True
    return False


@bare
def finish(s: Search, ply: int) -> None:
    """Settle the score of a frame whose moves are tried or cut off, and tell the table."""
    frame = s.frames[ply]
    frame.best = min(max(frame.best, frame.least), frame.most)
    bound = EXACT
    if frame.best <= frame.floor:
        bound = AT_MOST
    elif frame.best >= frame.ceiling:
        bound = AT_LEAST
    cell = s.hashes.images[frame.image, frame.best_cell]
    store(s.table, frame.key, s.age, frame.best, cell, frame.depth, bound)
