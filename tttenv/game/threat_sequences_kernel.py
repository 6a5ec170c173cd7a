"""Positions decided by their lines or won by threats alone, and forced moves.

In a sequence of threats each move of the attacker leaves the defender a single reply.
The attacker has k - 2 stones on an open line and places one more; the defender has to take the last
cell. The attacker wins if a move makes two threats at once (Allis, 1994: threat-space search, here
over sequences of single threats, which Gomoku calls fours).
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import (
    NONE,
    SEVERAL,
    LineBoard,
    empty_cell,
    place,
    remove,
    threat_through,
)
from tttenv.game.outcomes_kernel import DRAWN, LOST, UNPROVEN, WON
from tttenv.utils.compiled import bare, inner

ThreatStack = NDArray[np.int64]  # (plies, 4): by pairs of moves, see the columns below
NEXT, WANTED, MOVE, REPLY = 0, 1, 2, 3  # line and end to try next; the defender's threat; the cells
TRIED = -1, 0  # where the number of threats that the last search tried stands


def new_threat_stack(cells: int) -> ThreatStack:
    """Allocate the stack for the longest sequence on a board, and a row for the counter."""
    return np.zeros((cells // 2 + 4, 4), np.int64)


@inner
def winning_threats(
    board: LineBoard, side: int, stack: ThreatStack, wanted: int, limit: int
) -> int:
    """Return the first move of a win by threats alone, or NONE if none was found.

    The attacker, `side`, is to move and cannot complete a line at once; `wanted` is the one cell on
    which the defender would, or NONE. The board is left as it was. If a win is found, MOVE and
    REPLY of the stack hold it from row 0 on, up to the move that makes two threats and the reply to
    one of them, then MOVE is NONE. TRIED is how many threats were tried, `limit` + 1 if that was
    reached.
    """
    k, other = board.lines.shape[1], 1 - side
    depth = tried = 0
    found = NONE
    stack[0, NEXT] = 0
    stack[0, WANTED] = wanted
    while True:
        deeper = False
        end = stack[depth, NEXT]  # twice the line's number, plus one for its second empty cell
        while end < 2 * len(board.lines):
            line = end >> 1
            if board.held[line, side] != k - 2 or board.held[line, other] != 0:
                end = 2 * line + 2
                continue
            move = empty_cell(board, line, -1)
            reply = empty_cell(board, line, move)
            if end & 1:
                move, reply = reply, move
            end += 1
            if stack[depth, WANTED] >= 0 and move != stack[depth, WANTED]:
                continue
            if second_threat(board, side, line, move, reply):
                found = move if depth == 0 else stack[0, MOVE]
                stack[depth, MOVE], stack[depth, REPLY] = move, reply
                stack[depth + 1, MOVE] = NONE
                break
            tried += 1
            if tried > limit:
                break
            place(board, move, side)
            place(board, reply, other)
            threat = threat_through(board, reply, other)
            if threat == SEVERAL:
                remove(board, reply, other)
                remove(board, move, side)
                continue
            stack[depth, NEXT] = end
            stack[depth, MOVE] = move
            stack[depth, REPLY] = reply
            depth += 1
            stack[depth, NEXT] = 0
            stack[depth, WANTED] = threat
            deeper = True
            break
        if deeper:
            continue
        over = found >= 0 or tried > limit
        stack[TRIED] = tried
        if depth == 0:
            return found
        while depth > 0:
            depth -= 1
            remove(board, stack[depth, REPLY], other)
            remove(board, stack[depth, MOVE], side)
            if not over:
                break
        if over:
            return found


@inner
def second_threat(board: LineBoard, side: int, line: int, move: int, reply: int) -> bool:
    """Return whether a stone on `move` makes a second threat, besides `reply` on `line`."""
    k = board.lines.shape[1]
    for i in range(board.through_count[move]):
        other = board.lines_through[move, i]
        needs_two = board.held[other, side] == k - 2 and board.held[other, 1 - side] == 0
        if needs_two and other != line and empty_cell(board, other, move) != reply:
            return True
    return False


@bare
def judge(board: LineBoard, side: int, stack: ThreatStack, threats: int) -> tuple[int, int]:
    """Return a position's result for `side`, to move, or UNPROVEN; and its only move or NONE.

    The side to move wins if it completes a line or by a sequence of single threats, among the first
    `threats`. Else it loses if the other side threatens to complete lines on two cells, and has one
    move if that is one cell. Without an open line the game is drawn.
    """
    k = board.lines.shape[1]
    wanted, live, short = NONE, False, False
    for line in range(len(board.lines)):
        own, other = board.held[line, side], board.held[line, 1 - side]
        if own > 0 and other > 0:
            continue
        live = True
        if own == k - 1:
            return WON, NONE
        if other == k - 1:
            cell = empty_cell(board, line, -1)
            if wanted == NONE:
                wanted = cell
            elif wanted != cell:
                wanted = SEVERAL
        short = short or (own == k - 2 and other == 0)
    if wanted == SEVERAL:
        return LOST, NONE
    if not live:
        return DRAWN, NONE
    if short and threats > 0 and winning_threats(board, side, stack, wanted, threats) >= 0:
        return WON, NONE
    return UNPROVEN, wanted
