"""Finding every position of a small game, ply by ply; see `enumeration`.

A board is read as a number to base 3, its code: 0 theirs, 1 empty, 2 mine, the first cell first. A
stone adds a power of 3, and that the side to move then changes turns code x into top - x.
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.types import Boards, Mask

Codes = NDArray[np.int64]  # (positions,)
Numbers = NDArray[np.int32]  # (3 ** cells,): of the positions, by their codes
UNKNOWN, FOUND = -1, -2  # for codes that have no number, or none as yet


@compiled
def decode(codes: Codes, boards: Boards) -> None:
    """Write the boards (positions, cells) that the codes stand for."""
    for i in range(len(codes)):
        rest = codes[i]
        for cell in range(boards.shape[1] - 1, -1, -1):
            boards[i, cell] = rest % 3 - 1
            rest //= 3


@compiled
def find(codes: Codes, boards: Boards, over: Mask, powers: Codes, numbers: Numbers) -> int:
    """Mark what one stone leads to from boards that are not over; returns how many are new."""
    top = 2 * powers.sum()
    new = 0
    for i in range(len(codes)):
        for cell in range(boards.shape[1]):
            if not over[i] and boards[i, cell] == 0:
                after = top - codes[i] - powers[cell]
                if numbers[after] == UNKNOWN:
                    numbers[after] = FOUND
                    new += 1
    return new


@compiled
def number(numbers: Numbers, start: int, codes: Codes) -> None:
    """Number what has been found from `start` on, in the order of `codes`, written."""
    count = 0
    for code in range(len(numbers)):
        if numbers[code] == FOUND:
            numbers[code] = start + count
            codes[count] = code
            count += 1


@compiled
def link(
    codes: Codes,
    boards: Boards,
    over: Mask,
    powers: Codes,
    numbers: Numbers,
    successors: NDArray[np.int32],
) -> None:
    """Write which positions the stones lead to, (positions, cells), -1 where there is none."""
    top = 2 * powers.sum()
    for i in range(len(codes)):
        for cell in range(boards.shape[1]):
            legal = not over[i] and boards[i, cell] == 0
            successors[i, cell] = numbers[top - codes[i] - powers[cell]] if legal else UNKNOWN
