"""Compiled scoring of attacks on a player, and judging of its moves by threats.

Boards are seen by the player, which is to move on all of them. A line is open for a side if it has
no stone of the other side. The boards of a batch have little in common, so lines are counted anew.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import LineBoard, new_line_board, set_stones
from tttenv.game.open_lines_kernel import MAX_EXPONENT
from tttenv.game.outcomes_kernel import DRAWN, WON
from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import Game, completes
from tttenv.game.threat_sequences_kernel import ThreatStack, judge, new_threat_stack
from tttenv.game.types import Boards, Cells, Stones
from tttenv.utils.compiled import bare, compiled, inner
from tttenv.utils.struct import Struct

FORK = 1 << 40  # the score of a double threat, if the player cannot win first
LEFT_OPEN = 1 << 30  # the penalty for leaving the player a line that needs one more stone
OPEN, FAILED, DONE = 0, 1, 2  # states of a search for mistakes, after the player's move


@compiled
def score(
    boards: Boards, moves: NDArray[np.int64], k: int, lines: LineBoard, scores: NDArray[np.int64]
) -> None:
    """Write the score of each of `moves` (replies, 3): board, player's cell, attacker's cell.

    The score of a position is the sum of 4 ** stones over the attacker's open lines minus the same
    for the player, plus a bonus for a fork and minus a penalty for an open line of the player that
    needs one more stone. The moves are sorted, with no win among them.
    """
    held = np.empty((len(lines.lines), 2), np.int64)  # stones of the player and of the attacker
    board = np.empty(boards.shape[1], np.int8)
    base, short = 0, 0
    for row in range(len(moves)):
        at, own, reply = moves[row, 0], moves[row, 1], moves[row, 2]
        if row == 0 or at != moves[row - 1, 0] or own != moves[row - 1, 1]:
            board[:] = boards[at]
            board[own] = 1
            base, short = _count(board, lines, k, held)
        board[reply] = -1
        scores[row] = base + _gain(board, reply, k, lines, held, short)
        board[reply] = 0


@inner
def _power(stones: int) -> int:
    """Return the value of an open line with the given number of stones."""
    return 4 ** min(stones, MAX_EXPONENT) if stones > 0 else 0


@inner
def _count(board: Stones, lines: LineBoard, k: int, held: NDArray[np.int64]) -> tuple[int, int]:
    """Write the stones on every line of a board (cells,) to `held` (lines, 2).

    Return the board's score, and the number of the player's open lines that need one more stone.
    """
    score, short = 0, 0
    for line in range(len(held)):
        mine, theirs = 0, 0
        for j in range(k):
            stone = board[lines.lines[line, j]]
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
    lines: LineBoard,
    held: NDArray[np.int64],
    short: int,
) -> int:
    """Return how much the attacker's stone on `reply`, already placed, raises `_count`'s score."""
    gain, threat, fork = 0, -1, False
    for j in range(lines.through_count[reply]):
        line = lines.lines_through[reply, j]
        mine, theirs = held[line, 0], held[line, 1]
        if mine == 0:
            gain += _power(theirs + 1) - _power(theirs)
            if theirs == k - 2:
                for place in range(k):
                    cell = int(lines.lines[line, place])
                    if board[cell] == 0:
                        fork = fork or (threat >= 0 and threat != cell)
                        threat = cell
        elif theirs == 0:
            gain += _power(mine)
            short -= mine == k - 1
    if short > 0:
        return gain - LEFT_OPEN
    return gain + FORK if fork else gain


@dataclass(frozen=True, eq=False)
class Referee(Struct):
    """A board with working memory for threat search."""

    board: LineBoard  # side 0 is the player
    stack: ThreatStack
    threats: int  # maximum threats tried in the search for the opponent's win
    must_win: bool  # whether a draw is a failure


def new_referee(rules: Rules, threats: int, must_win: bool) -> Referee:
    """Create a referee with an empty board; the other arguments are as in `Referee`."""
    return Referee(new_line_board(rules), new_threat_stack(rules.cells), threats, must_win)


@bare
def judge_moves(
    boards: Boards, moves: Cells, game: Game, r: Referee, found: NDArray[np.int8]
) -> None:
    """Put the player's move on each board (batch, cells), and judge it.

    It is OPEN; FAILED if the opponent wins by threats, or if a draw is certain but not enough; or
    DONE if the player has won, or cannot lose and a draw is enough.
    """
    for i in range(len(boards)):
        boards[i, moves[i]] = 1
        if completes(boards[i], moves[i], game):
            found[i] = DONE
            continue
        set_stones(r.board, boards[i])
        proof, _ = judge(r.board, 1, r.stack, r.threats)
        if proof == WON:
            found[i] = FAILED
        elif proof == DRAWN:
            found[i] = FAILED if r.must_win else DONE
        else:
            hope = False  # for the side whose lines decide
            for line in range(len(r.board.lines)):
                if r.board.held[line, 1 if r.must_win else 0] == 0:
                    hope = True
                    break
            found[i] = OPEN if hope else FAILED if r.must_win else DONE


@compiled
def attack_scores(boards: Boards, lines: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum (batch,) of 4 ** stones over the opponent's open lines minus the player's."""
    scores = np.zeros(len(boards))
    for i in range(len(boards)):
        for line in lines:
            mine, theirs = 0, 0
            for cell in line:
                mine += boards[i, cell] == 1
                theirs += boards[i, cell] == -1
            if mine == 0:
                scores[i] += 4.0**theirs
            elif theirs == 0:
                scores[i] -= 4.0**mine
    return scores
