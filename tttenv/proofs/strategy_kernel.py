"""Compiled search for a position of a proof from which the side to move is known to win."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Boards, Cells
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.table_kernel import CellSet
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct

NONE = -1


@dataclass(frozen=True, eq=False)
class Positions(Struct):
    """The winner's positions in a proof, with him to move, sorted by his stones."""

    maps: Cells  # (maps, cells), the symmetries of the board
    own: NDArray[np.uint64]  # (positions, words), the cells of his stones
    others: NDArray[np.uint64]  # (positions, words), the cells of the other side's stones
    zones: NDArray[np.uint64]  # (positions, words)
    ranks: NDArray[np.int16]  # (positions,)
    moves: NDArray[np.int16]  # (positions,)


@inner
def compared(first: CellSet, second: CellSet) -> int:
    """Return -1, 0 or 1 if the first set sorts before, equals or sorts after the second."""
    for word in range(first.size):
        if first[word] != second[word]:
            return -1 if first[word] < second[word] else 1
    return 0


@inner
def first_with(found: Positions, own: CellSet) -> int:
    """Return the first position whose set of own stones does not sort before `own`."""
    low, high = 0, len(found.own)
    while low < high:
        middle = (low + high) // 2
        if compared(found.own[middle], own) < 0:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def covers(found: Positions, row: int, others: CellSet) -> bool:
    """Return whether stones of the other side that a position lacks are few and off its zone."""
    more = 0
    for word in range(others.size):
        left = others[word] & ~found.others[row, word]
        if left & found.zones[row, word] != sets.ZERO:
            return False
        while left != sets.ZERO:
            left &= left - sets.ONE
            more += 1
    return bool(more <= found.ranks[row])


@bare
def winning_moves(
    found: Positions, boards: Boards, own: CellSet, others: CellSet, moves: Cells
) -> None:
    """Write to `moves` (batch,) a winning move of each board (batch, cells), or NONE.

    The boards are seen by the side to move; `own` and `others` are working memory.
    """
    for at in range(len(boards)):
        moves[at] = NONE
        for number in range(len(found.maps)):
            sets.clear(own)
            sets.clear(others)
            for cell in range(boards.shape[1]):
                stone = boards[at, found.maps[number, cell]]
                if stone != 0:
                    sets.add(own if stone > 0 else others, cell)
            row = first_with(found, own)
            while moves[at] == NONE and row < len(found.own):
                if compared(found.own[row], own) != 0:
                    break
                if covers(found, row, others):
                    moves[at] = found.maps[number, found.moves[row]]
                row += 1
            if moves[at] != NONE:
                break
