"""Sets of cells as bit sets: words of 64 cells each, the first cell in the lowest bit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells
from tttenv.utils.compiled import bare, inner

CellSet = NDArray[np.uint64]  # (words,)
ZERO, ONE = np.uint64(0), np.uint64(1)


def words(cells: int) -> int:
    """Return the number of words in the bit set of a board with `cells` cells."""
    return (cells + 63) // 64


@bare
def contains(cells: CellSet, cell: int) -> bool:
    """Return whether the set contains a cell."""
    return bool((cells[cell >> 6] >> np.uint64(cell & 63)) & ONE != ZERO)


@inner
def add(cells: CellSet, cell: int) -> None:
    """Add a cell to the set."""
    cells[cell >> 6] |= ONE << np.uint64(cell & 63)


@inner
def clear(cells: CellSet) -> None:
    """Remove all cells from the set."""
    for word in range(cells.size):
        cells[word] = ZERO


@inner
def is_empty(cells: CellSet) -> bool:
    """Return whether the set is empty."""
    for word in range(cells.size):
        if cells[word] != ZERO:
            return False
    return True


@inner
def copy_set(source: CellSet, target: CellSet) -> None:
    """Copy `source` into `target`."""
    for word in range(source.size):
        target[word] = source[word]


@inner
def unite(cells: CellSet, others: CellSet) -> None:
    """Add the cells of `others` to `cells`."""
    for word in range(cells.size):
        cells[word] |= others[word]


@inner
def intersect(cells: CellSet, others: CellSet) -> None:
    """Remove from `cells` all cells that are not in `others`."""
    for word in range(cells.size):
        cells[word] &= others[word]


@inner
def size_of_common(cells: CellSet, others: CellSet) -> int:
    """Return the size of the intersection of two sets."""
    count = 0
    for word in range(cells.size):
        bits = cells[word] & others[word]
        while bits != ZERO:
            bits &= bits - ONE
            count += 1
    return count


@inner
def map_set(source: CellSet, target_of: Cells, target: CellSet) -> None:
    """Set `target` to the image of `source` under `target_of` (cells,), a map from cell to cell."""
    clear(target)
    for word in range(source.size):
        bits = source[word]
        while bits != ZERO:
            add(target, target_of[(word << 6) + lowest_bit(bits)])
            bits &= bits - ONE


@inner
def lowest_bit(bits: Any) -> int:
    """Return the index of the lowest set bit in a nonzero uint64."""
    place = 0
    for shift, low in ((32, 0xFFFFFFFF), (16, 0xFFFF), (8, 0xFF), (4, 0xF), (2, 0x3), (1, 0x1)):
        if bits & np.uint64(low) == ZERO:
            bits >>= np.uint64(shift)
            place += shift
    return place
