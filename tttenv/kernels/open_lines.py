"""The open-line heuristic, kept up to date stone by stone: lines that one side alone still has.

A line with stones of both sides is dead; one with j stones of a single side is worth 4 ** (j - 1)
to that side. Counting lines orders moves, values unfinished games and shows dead draws; who has
won is said by `rules.completes` alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.bare import bare
from tttenv.kernels.types import Stones

STEEPEST = 8  # longer lines stop growing in worth at 4 ** 8, so that sums stay small
NEVER = 1000  # more stones than there are cells


class OpenLines(NamedTuple):
    """What every line holds, and what that makes of the board; side 0 owns the stones 1."""

    cells: NDArray[np.int16]  # (lines, k): the cells of each line
    through: NDArray[np.int16]  # (cells, most): the lines through each cell, first `many` of a row
    many: NDArray[np.int64]  # (cells,)
    worth: NDArray[np.int64]  # (k + 1, k + 1): of a line with so many stones of side 0 and 1
    draw_of: NDArray[np.int64]  # (k + 1, k + 1): how much such a line invites a stone of either
    stones: NDArray[np.int8]  # (lines, 2): stones of side 0 and 1
    pull: NDArray[np.int64]  # (cells,): how much the lines through a cell invite a stone
    open: NDArray[np.int64]  # (2, k + 1): lines that hold so many stones of a side and no others
    total: NDArray[np.int64]  # (1,): what all lines are worth to side 0 less side 1


def open_lines(lines: NDArray[np.int64], cells: int) -> OpenLines:
    """The heuristic of an empty board, from the lines (lines, k) of its rules."""
    k = lines.shape[1]
    rows = [np.flatnonzero((lines == cell).any(axis=1)) for cell in range(cells)]
    through = np.zeros((cells, max(1, *map(len, rows))), np.int16)
    for cell, row in enumerate(rows):
        through[cell, : len(row)] = row
    steps = 4 ** np.clip(np.arange(-1, k + 1), 0, STEEPEST) * (np.arange(-1, k + 1) >= 0)
    own, other = np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij")
    worth = np.where(other == 0, steps[own], 0) - np.where(own == 0, steps[other], 0)
    invites = np.where((own == 0) | (other == 0), steps[np.maximum(own, other) + 1], 0)
    state = OpenLines(
        lines.astype(np.int16),
        through,
        np.array([len(row) for row in rows], np.int64),
        worth.astype(np.int64),
        invites.astype(np.int64),
        np.zeros((len(lines), 2), np.int8),
        np.zeros(cells, np.int64),
        np.zeros((2, k + 1), np.int64),
        np.zeros(1, np.int64),
    )
    reset(state, np.zeros(cells, np.int8))
    return state


@bare
def reset(lines: OpenLines, board: Stones) -> None:
    """Make it the heuristic of `board` (cells,)."""
    for line in range(len(lines.stones)):
        lines.stones[line, 0] = lines.stones[line, 1] = 0
    for held in range(lines.open.shape[1]):
        lines.open[0, held] = lines.open[1, held] = 0 if held else len(lines.stones)
    lines.total[0] = 0
    for cell in range(board.size):
        lines.pull[cell] = lines.many[cell] * lines.draw_of[0, 0]
    for cell in range(board.size):
        if board[cell] != 0:
            count(lines, cell, 0 if board[cell] == 1 else 1, 1)


@bare
def count(lines: OpenLines, cell: int, side: int, step: int) -> None:
    """Count a stone of `side` (0 or 1) on `cell` in (`step` 1) or out again (-1)."""
    for i in range(lines.many[cell]):
        line = lines.through[cell, i]
        before = lines.stones[line, 0], lines.stones[line, 1]
        tally(lines, line, -1)
        lines.stones[line, side] += step
        tally(lines, line, 1)
        now = lines.stones[line, 0], lines.stones[line, 1]
        change = lines.draw_of[now] - lines.draw_of[before]
        if change != 0:
            for j in range(lines.cells.shape[1]):
                lines.pull[lines.cells[line, j]] += change


@bare
def tally(lines: OpenLines, line: int, step: int) -> None:
    """Count what a line holds into the sums (`step` 1) or out of them (-1)."""
    own, other = lines.stones[line, 0], lines.stones[line, 1]
    lines.total[0] += step * lines.worth[own, other]
    if other == 0:
        lines.open[0, own] += step
    if own == 0:
        lines.open[1, other] += step


@bare
def missing(lines: OpenLines, side: int) -> int:
    """How many more stones `side` (0 or 1) needs at least for a line; NEVER if it has none open."""
    k: int = lines.cells.shape[1]
    for held in range(k, -1, -1):
        if lines.open[side, held] > 0:
            return k - held
    return NEVER
