"""The open-line heuristic, updated stone by stone: an open line has stones of at most one side.

An open line with j stones has the value 4 ** (j - 1) for its side; a line with stones of both sides
has none. The lines give an order of moves, a score of unfinished games, and bounds on how soon a
side can win. Whether a side has won is decided by `rules.completes` alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Stones
from tttenv.utils.bare import bare, inner
from tttenv.utils.struct import Struct

MAX_EXPONENT = 8  # values stop growing at 4 ** 8, so that sums stay small
NONE_OPEN = 1000  # returned by `stones_needed` without open lines; more than there are cells


@dataclass(frozen=True, eq=False)
class OpenLines(Struct):
    """The stones on every line and the sums over lines; side 0 owns the stones 1, side 1 the -1."""

    cells: NDArray[np.int16]  # (lines, k): the cells of each line
    lines_through: NDArray[np.int16]  # (cells, most): the lines through each cell, then zeros
    through_count: NDArray[np.int64]  # (cells,): how many lines go through each cell
    line_value: NDArray[np.int64]  # (k + 1, k + 1): by stones of side 0 and 1, for side 0
    line_score: NDArray[np.int64]  # (k + 1, k + 1): what such a line adds to its cells' scores
    stones: NDArray[np.int8]  # (lines, 2): the numbers of stones of side 0 and of side 1
    move_score: NDArray[np.int64]  # (cells,): the sum of `line_score` over the lines through a cell
    open_count: NDArray[np.int64]  # (2, k + 1): open lines of each side by its stones on them
    evaluation: NDArray[np.int64]  # (1,): the sum of `line_value` over all lines


def new_open_lines(lines: NDArray[np.int64], cells: int) -> OpenLines:
    """The open lines of an empty board.

    Args:
        lines: the cells of every line, (lines, k).
        cells: how many cells the board has.
    """
    k = lines.shape[1]
    rows = [np.flatnonzero((lines == cell).any(axis=1)) for cell in range(cells)]
    through = np.zeros((cells, max(1, *map(len, rows))), np.int16)
    for cell, row in enumerate(rows):
        through[cell, : len(row)] = row
    # powers[j] is the value of an open line with j stones; powers[0] is 0.
    powers = 4 ** np.clip(np.arange(-1, k + 1), 0, MAX_EXPONENT) * (np.arange(-1, k + 1) >= 0)
    own, other = np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij")
    value = np.where(other == 0, powers[own], 0) - np.where(own == 0, powers[other], 0)
    # The score of a move on a line is the line's value with one more stone, of either side.
    score = np.where((own == 0) | (other == 0), powers[np.maximum(own, other) + 1], 0)
    state = OpenLines(
        cells=lines.astype(np.int16),
        lines_through=through,
        through_count=np.array([len(row) for row in rows], np.int64),
        line_value=value.astype(np.int64),
        line_score=score.astype(np.int64),
        stones=np.zeros((len(lines), 2), np.int8),
        move_score=np.zeros(cells, np.int64),
        open_count=np.zeros((2, k + 1), np.int64),
        evaluation=np.zeros(1, np.int64),
    )
    set_board(state, np.zeros(cells, np.int8))
    return state


@bare
def set_board(lines: OpenLines, board: Stones) -> None:
    """Compute all sums anew for `board` (cells,)."""
    for line in range(len(lines.stones)):
        lines.stones[line, 0] = lines.stones[line, 1] = 0
    for held in range(lines.open_count.shape[1]):
        lines.open_count[0, held] = lines.open_count[1, held] = 0 if held else len(lines.stones)
    lines.evaluation[0] = 0
    for cell in range(board.size):
        lines.move_score[cell] = lines.through_count[cell] * lines.line_score[0, 0]
    for cell in range(board.size):
        if board[cell] != 0:
            update_stone(lines, cell, 0 if board[cell] == 1 else 1, 1)


@inner
def update_stone(lines: OpenLines, cell: int, side: int, step: int) -> None:
    """Update the sums for a stone of `side` (0 or 1) added on `cell` (`step` 1) or removed (-1)."""
    for i in range(lines.through_count[cell]):
        line = lines.lines_through[cell, i]
        before = lines.stones[line, 0], lines.stones[line, 1]
        update_line(lines, line, -1)
        lines.stones[line, side] += step
        update_line(lines, line, 1)
        now = lines.stones[line, 0], lines.stones[line, 1]
        change = lines.line_score[now] - lines.line_score[before]
        if change != 0:
            for j in range(lines.cells.shape[1]):
                lines.move_score[lines.cells[line, j]] += change


@inner
def update_line(lines: OpenLines, line: int, step: int) -> None:
    """Add the value of a line to the sums (`step` 1) or subtract it (-1)."""
    own, other = lines.stones[line, 0], lines.stones[line, 1]
    lines.evaluation[0] += step * lines.line_value[own, other]
    if other == 0:
        lines.open_count[0, own] += step
    if own == 0:
        lines.open_count[1, other] += step


@bare
def stones_needed(lines: OpenLines, side: int) -> int:
    """The least number of stones `side` (0 or 1) needs to complete a line.

    NONE_OPEN if no line is open for it.
    """
    k: int = lines.cells.shape[1]
    for held in range(k, -1, -1):
        if lines.open_count[side, held] > 0:
            return k - held
    return NONE_OPEN
