"""Incrementally updated open-line heuristic; an open line has stones of at most one side.

An open line with j stones has the value 4 ** (j - 1) for its side; a line with stones of both sides
has none. The sums stand beside the board, because searches by threats need none of them. They give
an order of moves, a score of unfinished games, and bounds on how soon a side can win. Whether a
side has won is decided by `rules.completes` alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import LineBoard, change_stone, new_line_board
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct

MAX_EXPONENT = 8  # values stop growing at 4 ** 8, so that sums stay small
NONE_OPEN = 1000  # returned by `stones_needed` without open lines; more than there are cells


@dataclass(frozen=True, eq=False)
class OpenLines(Struct):
    """A board with the sums of the open-line heuristic."""

    board: LineBoard
    line_value: NDArray[np.int64]  # (k + 1, k + 1): by stones of side 0 and 1, for side 0
    line_score: NDArray[np.int64]  # (k + 1, k + 1): what such a line adds to its cells' scores
    move_score: NDArray[np.int64]  # (cells,): the sum of `line_score` over the lines through a cell
    open_count: NDArray[np.int64]  # (2, k + 1): open lines of each side by its stones on them
    evaluation: NDArray[np.int64]  # (1,): the sum of `line_value` over all lines


def new_open_lines(rules: Rules) -> OpenLines:
    """Return the open lines of an empty board."""
    k, cells = rules.k, rules.cells
    # powers[j] is the value of an open line with j stones; powers[0] is 0.
    powers = 4 ** np.clip(np.arange(-1, k + 1), 0, MAX_EXPONENT) * (np.arange(-1, k + 1) >= 0)
    own, other = np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij")
    value = np.where(other == 0, powers[own], 0) - np.where(own == 0, powers[other], 0)
    # The score of a move on a line is the line's value with one more stone, of either side.
    score = np.where((own == 0) | (other == 0), powers[np.maximum(own, other) + 1], 0)
    state = OpenLines(
        board=new_line_board(rules),
        line_value=value.astype(np.int64),
        line_score=score.astype(np.int64),
        move_score=np.zeros(cells, np.int64),
        open_count=np.zeros((2, k + 1), np.int64),
        evaluation=np.zeros(1, np.int64),
    )
    set_board(state, np.zeros(cells, np.int8))
    return state


@bare
def set_board(lines: OpenLines, board: Boards) -> None:
    """Set the stones from a board (cells,): 1 is a stone of side 0, -1 a stone of side 1."""
    count = len(lines.board.lines)
    for line in range(count):
        lines.board.held[line, 0] = lines.board.held[line, 1] = 0
    for held in range(lines.open_count.shape[1]):
        lines.open_count[0, held] = lines.open_count[1, held] = 0 if held else count
    lines.evaluation[0] = 0
    for cell in range(board.size):
        lines.board.stones[cell] = 0
        lines.move_score[cell] = lines.board.through_count[cell] * lines.line_score[0, 0]
    for cell in range(board.size):
        if board[cell] != 0:
            update_stone(lines, cell, 0 if board[cell] == 1 else 1, 1)


@inner
def update_stone(lines: OpenLines, cell: int, side: int, step: int) -> None:
    """Put a stone of `side` on an empty cell (`step` 1) or remove it (-1)."""
    board = lines.board
    change_stone(board, cell, side, step)
    for i in range(board.through_count[cell]):
        line = board.lines_through[cell, i]
        own, other = board.held[line, 0], board.held[line, 1]
        own_before = own - step if side == 0 else own
        other_before = other - step if side == 1 else other
        _add_line(lines, own_before, other_before, -1)
        _add_line(lines, own, other, 1)
        change = lines.line_score[own, other] - lines.line_score[own_before, other_before]
        if change != 0:
            for j in range(board.lines.shape[1]):
                lines.move_score[board.lines[line, j]] += change


@inner
def _add_line(lines: OpenLines, own: int, other: int, step: int) -> None:
    """Add (`step` 1) or subtract (-1) the value of a line with `own` and `other` stones."""
    lines.evaluation[0] += step * lines.line_value[own, other]
    if other == 0:
        lines.open_count[0, own] += step
    if own == 0:
        lines.open_count[1, other] += step


@bare
def stones_needed(lines: OpenLines, side: int) -> int:
    """Return the least stones that `side` (0 or 1) needs for a line; NONE_OPEN if none is open."""
    k: int = lines.board.lines.shape[1]
    for held in range(k, -1, -1):
        if lines.open_count[side, held] > 0:
            return k - held
    return NONE_OPEN
