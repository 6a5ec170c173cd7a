"""Compiled rules of the game: lines, threats, endings and moves."""

import numpy as np

from tttenv.game.outcomes_kernel import DRAW, GOING, SEEN_BY_OTHER, WIN, Outcomes
from tttenv.game.types import Boards, Cells, Mask, Stones
from tttenv.utils.compiled import bare, compiled, inner

# What compiled code knows of a game, see `Rules.game`: m, n, k, and the outcome for the side that
# completes a line. Compiled code accepts a plain tuple faster than a struct.
Game = tuple[int, int, int, int]

# One step along a row, a column and both diagonals; the opposite steps are their negatives.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@compiled
def completes(board: Stones, cell: int, game: Game) -> bool:
    """Return whether the stone on `cell` is part of a line of k or more of its side's stones.

    The board (cells,) holds two kinds of stone, 1 and -1, and 0 where it is empty.
    """
    m, n, k, _ = game
    stone = board[cell]
    row = cell // n
    column = cell - row * n
    for down, right in DIRECTIONS:
        run = 1
        for sign in (1, -1):
            r = row + sign * down
            c = column + sign * right
            while 0 <= r < m and 0 <= c < n and board[r * n + c] == stone:
                run += 1
                r += sign * down
                c += sign * right
        if run >= k:
            return True
    return False


@inner
def outcome(line: bool, full: bool, game: Game) -> int:
    """Return the outcome for the side whose move made a `line` or the board `full`."""
    _, _, _, worth = game
    return worth if line else DRAW if full else GOING


@compiled
def ended(board: Stones, cell: int, game: Game) -> int:
    """Return the outcome for the side that has just put a stone on `cell` of a board (cells,)."""
    return outcome(completes(board, cell, game), full(board), game)


@compiled
def winning_cells(boards: Boards, side: int, game: Game) -> Mask:
    """Return a mask (batch, cells) of the empty cells where `side` (1 or -1) wins at once."""
    result = np.zeros(boards.shape, np.bool_)
    for i in range(len(boards) if outcome(True, False, game) == WIN else 0):  # else none wins
        board = boards[i].copy()
        for cell in range(board.size):
            if board[cell] == 0:
                board[cell] = side
                result[i, cell] = completes(board, cell, game)
                board[cell] = 0
    return result


@bare
def threats(board: Stones, cell: int, game: Game, found: Cells) -> int:
    """Write the threats made by the stone on `cell` to `found` (8,), and return their number.

    They are the empty cells where its owner completes a line. The first empty cell in each of the
    eight directions, after stones of this owner, is the only candidate of that direction. The board
    (cells,) is left as it was.
    """
    m, n, _, _ = game
    stone = board[cell]
    row = cell // n
    column = cell - row * n
    count = 0
    for down, right in DIRECTIONS:
        for sign in (1, -1):
            r = row + sign * down
            c = column + sign * right
            while 0 <= r < m and 0 <= c < n and board[r * n + c] == stone:
                r += sign * down
                c += sign * right
            if 0 <= r < m and 0 <= c < n and board[r * n + c] == 0:
                other = r * n + c
                board[other] = stone
                if completes(board, other, game):
                    found[count] = other
                    count += 1
                board[other] = 0
    return count


@compiled
def full(board: Stones) -> bool:
    """Return whether `board` (cells,) has no empty cell."""
    for cell in range(board.size):
        if board[cell] == 0:
            return False
    return True


@compiled
def outcomes(boards: Boards, game: Game) -> Outcomes:
    """Return the outcomes (batch,) of boards (batch, cells) for the side to move."""
    result = np.empty(len(boards), np.int8)
    for i in range(len(boards)):
        result[i] = SEEN_BY_OTHER[outcome(has_line(boards[i], game), full(boards[i]), game)]
    return result


@compiled
def at_least(boards: Boards, least: int, game: Game) -> Mask:
    """Return a mask (batch,) of the boards (batch, cells) with the outcome `least` or a later one.

    These are the finished boards for WIN, and those that the side to move has lost for LOSS.
    """
    return outcomes(boards, game) >= least


@inner
def has_line(board: Stones, game: Game) -> bool:
    """Return whether the side that has just moved, whose stones are -1, has a line."""
    for cell in range(board.size):
        if board[cell] == -1 and completes(board, cell, game):
            return True
    return False


@compiled
def play(boards: Boards, cells: Cells) -> Boards:
    """Return boards (batch, cells) after playing `cells` (batch,), with the sides swapped."""
    result = np.empty_like(boards)
    for i in range(len(boards)):
        for cell in range(boards.shape[1]):
            result[i, cell] = -boards[i, cell]
        result[i, cells[i]] = -1
    return result
