"""Compiled enumeration of a small game's positions, ply by ply; see `tttenv.exact.enumeration`.

A board's code is a base-3 number whose digits, from the first cell on, are 0 theirs, 1 empty,
2 mine. Changing the side to move turns a code x into top - x, where all digits of top are 2.
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import GOING, Outcomes
from tttenv.game.types import Boards
from tttenv.utils.compiled import compiled

Codes = NDArray[np.int64]  # (positions,)
Numbers = NDArray[np.int32]  # (3 ** cells,): the number of the position with each code
UNKNOWN, FOUND = -1, -2  # in place of a number: not reached; reached but not numbered yet


@compiled
def decode_boards(codes: Codes, boards: Boards) -> None:
    """Write the boards (positions, cells) of the codes (positions,)."""
    for i in range(len(codes)):
        rest = codes[i]
        for cell in range(boards.shape[1] - 1, -1, -1):
            boards[i, cell] = rest % 3 - 1
            rest //= 3


@compiled
def add_ply(
    codes: Codes,
    boards: Boards,
    outcomes: Outcomes,
    powers: Codes,
    numbers: Numbers,
    start: int,
    after: Codes,
    successors: NDArray[np.int32],
) -> int:
    """Number the successors of a ply's positions from `start` on, in the order of their codes.

    Write their codes to `after`, and the number behind each move, -1 for illegal ones, to
    `successors` (positions, cells). `powers` (cells,) are those of 3. Return their count.
    """
    top = 2 * powers.sum()
    for i in range(len(codes)):
        for cell in range(boards.shape[1]):
            successors[i, cell] = UNKNOWN
            if outcomes[i] == GOING and boards[i, cell] == 0:
                numbers[top - codes[i] - powers[cell]] = FOUND
    count = 0
    for code in range(len(numbers)):
        if numbers[code] == FOUND:
            numbers[code] = start + count
            after[count] = code
            count += 1
    for i in range(len(codes)):
        for cell in range(boards.shape[1]):
            if outcomes[i] == GOING and boards[i, cell] == 0:
                successors[i, cell] = numbers[top - codes[i] - powers[cell]]
    return count
