"""The best attacking replies of the opponent of a given player, compiled.

Boards are in the view of the player, which is to move on all of them: 1 is its own stone, -1 the
attacker's. A line is open for a side if it has no stone of the other side.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.open_lines_kernel import MAX_EXPONENT, OpenLines
from tttenv.game.rules_kernel import completes
from tttenv.game.types import Boards, Probs, Stones
from tttenv.utils.bare import inner
from tttenv.utils.compiled import compiled
from tttenv.utils.struct import Struct

FORK = 1 << 40  # the score of a double threat, if the player cannot win first
LEFT_OPEN = 1 << 30  # the penalty for leaving the player a line that needs one more stone


@dataclass(frozen=True, eq=False)
class Attacks(Struct):
    """The output of `attack`: the best replies to each board, the best first."""

    scores: NDArray[np.int64]  # (boards, most)
    moves: NDArray[np.int64]  # (boards, most, 2): the player's cell and the attacker's
    counts: NDArray[np.int64]  # (boards,): the number of replies
    won: NDArray[np.int64]  # (boards, 2): the two cells after which the attacker has won, or -1


@compiled
def attack(
    boards: Boards, probs: Probs, m: int, n: int, k: int, lines: OpenLines, found: Attacks
) -> None:
    """Write the best replies to every move of the player on each of the boards.

    The score of a position is the sum of 4 ** stones over the attacker's open lines minus the same
    for the player, plus a bonus for a fork and minus a penalty for an open line of the player that
    needs one more stone.

    Args:
        boards: (boards, cells), undecided, the player to move.
        probs: its probabilities (boards, cells); all above zero are followed.
        m: the board's rows.
        n: the board's columns.
        k: stones in a row to win.
        lines: the lines and those through each cell; its sums are not used.
        found: output.
    """
    cells = boards.shape[1]
    held = np.empty((len(lines.cells), 2), np.int64)  # stones of the player and of the attacker
    for i in range(len(boards)):
        board = boards[i].copy()
        found.counts[i] = 0
        found.won[i] = -1
        count = 0
        for own in range(cells):
            if probs[i, own] <= 0:
                continue
            board[own] = 1
            if not completes(board, own, m, n, k):
                base, short = _count(board, lines, k, held)
                for reply in range(cells):
                    if board[reply] != 0:
                        continue
                    board[reply] = -1
                    if completes(board, reply, m, n, k):
                        found.won[i, 0], found.won[i, 1] = own, reply
                    score = base + _gain(board, reply, k, lines, held, short)
                    board[reply] = 0
                    count = _insert(found, i, count, score, own, reply)
            board[own] = 0
        found.counts[i] = count


@inner
def _insert(found: Attacks, i: int, count: int, score: int, own: int, reply: int) -> int:
    """Insert a move and a reply among a board's best, after those with the same score.

    Args:
        found: the best so far, the highest score first.
        i: the board.
        count: the number of entries.
        score: of the two moves.
        own: the player's cell.
        reply: the attacker's cell.

    Returns:
        The new number of entries.
    """
    at = count
    while at > 0 and found.scores[i, at - 1] < score:
        at -= 1
    most = found.scores.shape[1]
    if at == most:
        return count
    for rank in range(min(count, most - 1), at, -1):
        found.scores[i, rank] = found.scores[i, rank - 1]
        found.moves[i, rank, 0] = found.moves[i, rank - 1, 0]
        found.moves[i, rank, 1] = found.moves[i, rank - 1, 1]
    found.scores[i, at] = score
    found.moves[i, at, 0], found.moves[i, at, 1] = own, reply
    return int(min(count + 1, most))


@inner
def _power(stones: int) -> int:
    """Return the value of an open line with this number of stones."""
    return 4 ** min(stones, MAX_EXPONENT) if stones > 0 else 0


@inner
def _count(board: Stones, lines: OpenLines, k: int, held: NDArray[np.int64]) -> tuple[int, int]:
    """Count the stones on every line.

    Args:
        board: (cells,), the attacker to move.
        lines: the lines.
        k: stones in a row to win.
        held: output: (lines, 2).

    Returns:
        The score of the board, and the number of the player's open lines that need one more stone.
    """
    score, short = 0, 0
    for line in range(len(held)):
        mine, theirs = 0, 0
        for j in range(k):
            stone = board[lines.cells[line, j]]
            mine += stone == 1
            theirs += stone == -1
        held[line, 0], held[line, 1] = mine, theirs
        if mine == 0:
            score += _power(theirs)
        elif theirs == 0:
            score -= _power(mine)
            short += mine == k - 1
    return score, short


@inner
def _gain(
    board: Stones,
    reply: int,
    k: int,
    lines: OpenLines,
    held: NDArray[np.int64],
    short: int,
) -> int:
    """Return what the attacker's stone on `reply` (already on the board) adds to the score.

    Args:
        board: (cells,).
        reply: the cell.
        k: stones in a row to win.
        lines: the lines and those through each cell.
        held: stones on every line before this one, (lines, 2).
        short: the number of the player's open lines that needed one more stone before this one.
    """
    gain, threat, fork = 0, -1, False
    for j in range(lines.through_count[reply]):
        line = lines.lines_through[reply, j]
        mine, theirs = held[line, 0], held[line, 1]
        if mine == 0:
            gain += _power(theirs + 1) - _power(theirs)
            if theirs == k - 2:
                for place in range(k):
                    cell = int(lines.cells[line, place])
                    if board[cell] == 0:
                        fork = fork or (threat >= 0 and threat != cell)
                        threat = cell
        elif theirs == 0:
            gain += _power(mine)
            short -= mine == k - 1
    if short > 0:
        return gain - LEFT_OPEN
    return gain + FORK if fork else gain
