"""Which move alpha-beta tries next: the sooner it meets the best, the more it can cut off.

The table's move comes first, then the cells that most invite a stone by their open lines (on an
empty board those of the centre, then winning and warding off threats), then row by row. Killer
moves (Akl and Newborn, 1977) only break ties: lines that they touch say more.
"""

import numpy as np

from tttenv.kernels.bare import bare
from tttenv.kernels.frames import Search

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
