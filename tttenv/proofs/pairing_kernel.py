"""Pairing strategies: disjoint pairs of empty cells, one in each line open to the attacker.

Whenever the attacker takes a cell of a pair, the defender takes the other, so that no line is ever
completed (Hales and Jewett, 1963). The pairs are found by backtracking: the line with the fewest
free cells first, and on it the pair that lies on the most lines.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import DEFENDER, LineBoard
from tttenv.utils.compiled import inner
from tttenv.utils.struct import Struct, allocate

MANY = 1 << 30


@dataclass(frozen=True, eq=False)
class Pairing(Struct):
    """The pairs chosen so far, and their effect on the open lines."""

    partner: Annotated[NDArray[np.int64], "cells", -1]  # the other cell of the pair, or -1
    # empty cells in no pair that has only one cell on the line
    free: Annotated[NDArray[np.int64], "lines"]
    pairs_on: Annotated[NDArray[np.int64], "lines"]  # how many pairs the line contains
    open_lines: Annotated[NDArray[np.int64], "room"]  # to the attacker, then anything
    stack: Annotated[NDArray[np.int64], "room, 4"]  # line, pairs tried, the last pair


def new_pairing(lines: int, cells: int) -> Pairing:
    """Allocate the arrays of a pairing search."""
    return allocate(Pairing, {"cells": cells, "lines": lines, "room": lines + 1})


@inner
def find_pairing(board: LineBoard, pairing: Pairing, limit: int) -> bool:
    """Search for a pairing strategy against the attacker, trying at most `limit` pairs.

    Return whether one was found; it is then in `pairing.partner`. The attacker may be to move.
    """
    count = _start(board, pairing)
    stack = pairing.stack
    depth = tried = 0
    while True:
        line = _tightest_line(pairing, count)
        if line == -1:
            return True
        if line >= 0:
            stack[depth, 0] = line
            stack[depth, 1] = 0
            depth += 1
        while depth > 0:
            top = depth - 1
            if stack[top, 1] > 0:
                _pair(board, pairing, stack[top, 2], stack[top, 3], -1)
            first, second = _nth_pair(board, pairing, stack[top, 0], stack[top, 1])
            if first >= 0 and tried < limit:
                tried += 1
                stack[top, 1] += 1
                stack[top, 2] = first
                stack[top, 3] = second
                _pair(board, pairing, first, second, 1)
                break
            depth -= 1
        if depth == 0:
            return False


@inner
def _start(board: LineBoard, pairing: Pairing) -> int:
    """Clear all pairs and return the number of lines open to the attacker."""
    for cell in range(board.stones.size):
        pairing.partner[cell] = -1
    k = board.lines.shape[1]
    count = 0
    for line in range(len(board.lines)):
        if board.held[line, DEFENDER] == 0:
            pairing.open_lines[count] = line
            pairing.free[line] = k - board.held[line, 0]
            pairing.pairs_on[line] = 0
            count += 1
    return count


@inner
def _tightest_line(pairing: Pairing, count: int) -> int:
    """Return the open unpaired line with the fewest free cells; -1 for no line, -2 for no room."""
    best = -1
    fewest = MANY
    for i in range(count):
        line = pairing.open_lines[i]
        if pairing.pairs_on[line] == 0 and pairing.free[line] < fewest:
            fewest = pairing.free[line]
            best = line
            if fewest < 2:
                return -2
    return best


@inner
def _pair(board: LineBoard, pairing: Pairing, first: int, second: int, step: int) -> None:
    """Pair two cells (`step` 1), or undo the pair (-1)."""
    for cell, other in ((first, second), (second, first)):
        pairing.partner[cell] = other if step == 1 else -1
        for i in range(board.through_count[cell]):
            line = board.lines_through[cell, i]
            if not board.on_line[line, other]:
                pairing.free[line] -= step
            elif cell == first:
                pairing.pairs_on[line] += step


@inner
def _nth_pair(board: LineBoard, pairing: Pairing, line: int, n: int) -> tuple[int, int]:
    """Return the n-th best pair on a line, from 0; (-1, -1) after the last.

    A pair is better if more open lines without a pair contain both cells, then if fewer lines pass
    through either.
    """
    k = board.lines.shape[1]
    last_score, last_code = MANY, -1
    first = second = -1
    for _ in range(n + 1):
        best, best_code = -MANY, MANY
        first = second = -1
        for i in range(k):
            a = board.lines[line, i]
            if board.stones[a] != 0 or pairing.partner[a] >= 0:
                continue
            for j in range(i + 1, k):
                b = board.lines[line, j]
                if board.stones[b] != 0 or pairing.partner[b] >= 0:
                    continue
                score, code = _pair_score(board, pairing, a, b), i * k + j
                if score > last_score or (score == last_score and code <= last_code):
                    continue  # one of the pairs before
                if score > best or (score == best and code < best_code):
                    best, best_code = score, code
                    first, second = int(a), int(b)
        if first < 0:
            return -1, -1
        last_score, last_code = best, best_code
    return first, second


@inner
def _pair_score(board: LineBoard, pairing: Pairing, a: int, b: int) -> int:
    score = -int(board.through_count[a] + board.through_count[b])
    for i in range(board.through_count[a]):
        line = board.lines_through[a, i]
        is_open = board.held[line, DEFENDER] == 0
        if is_open and board.on_line[line, b] and pairing.pairs_on[line] == 0:
            score += 32
    return score
