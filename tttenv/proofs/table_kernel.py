"""Transposition table of a proof-number search: proof numbers and zones, up to symmetry.

Buckets of four; if all four are taken, the entry that took the least work is replaced. Results do
not depend on how a position was reached, so that one table serves all searches with the same
attacker. Zones are sets of cells as bit sets: words of 64 cells each, the first in the lowest bit.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Mask, Numbers
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate, record

CellSet = NDArray[np.uint64]  # (words,)
ZERO, ONE = np.uint64(0), np.uint64(1)


def words(cells: int) -> int:
    """Return the number of words in the bit set of a board with `cells` cells."""
    return (cells + 63) // 64


def as_mask(cells: CellSet, size: int) -> Mask:
    """Return the set as a mask (size,) of cells."""
    bits = np.arange(size)
    mask: Mask = (cells[bits // 64] >> (bits % 64).astype(np.uint64) & ONE) != ZERO
    return mask


@bare
def contains(cells: CellSet, cell: int) -> bool:
    """Return whether the set contains a cell."""
    return bool((cells[cell >> 6] >> np.uint64(cell & 63)) & ONE != ZERO)


@inner
def add(cells: CellSet, cell: int) -> None:
    """Add a cell to the set."""
    cells[cell >> 6] |= ONE << np.uint64(cell & 63)


@inner
def discard(cells: CellSet, cell: int) -> None:
    """Remove a cell from the set."""
    cells[cell >> 6] &= ~(ONE << np.uint64(cell & 63))


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


BUCKET = 4
LEAF = -1  # instead of a move: the position was judged without one

ENTRY = record(
    [
        ("key", np.uint64),  # of the position; 0 where the place is free
        ("proof", np.uint32),  # the proof number of "the attacker wins"
        ("disproof", np.uint32),
        ("work", np.uint32),  # nodes searched below
        ("cell", np.int16),  # the best move on the board's canonical image, or LEAF
    ],
)


@dataclass(frozen=True, eq=False)
class ProofTable(Struct):
    """Table entries, each with two sets of cells on its canonical image; see `search_kernel`."""

    entries: Numbers  # (places,) of ENTRY
    zones: Annotated[NDArray[np.uint64], "places, words"]  # the zone, as far as it is known
    left: Annotated[NDArray[np.uint64], "places, words"]  # attacks that no zone answers yet
    filled: Annotated[NDArray[np.int64], "1"]  # how many places are taken


def new_proof_table(places: int, cells: int) -> ProofTable:
    """Return an empty table with `places` slots, a power of two and at least 4."""
    sizes = {"places": places, "words": words(cells)}
    return allocate(ProofTable, sizes, entries=np.zeros(places, ENTRY))


def entry_bytes(cells: int) -> int:
    """Return the number of bytes per table entry for boards with `cells` cells."""
    return ENTRY.itemsize + 16 * words(cells)


@inner
def find(table: ProofTable, key: int) -> int:
    """Return the index of the entry for `key` (a nonzero uint64), or -1 if absent."""
    first = np.int64(key & np.uint64(table.entries.size - BUCKET))
    for place in range(first, first + BUCKET):
        if table.entries[place].key == key:
            return int(place)
    return -1


@inner
def place_for(table: ProofTable, key: int) -> int:
    """Return the index of the entry for `key`, replacing another entry if necessary."""
    first = np.int64(key & np.uint64(table.entries.size - BUCKET))
    best = int(first)
    least = 1 << 40
    for place in range(first, first + BUCKET):
        entry = table.entries[place]
        if entry.key == key:
            return int(place)
        work = int(entry.work) if entry.key != np.uint64(0) else -1
        if work < least:
            best, least = int(place), work
    if least < 0:
        table.filled[0] += 1
    table.entries[best].key = key
    table.entries[best].work = 0
    table.entries[best].cell = LEAF
    return int(best)


@inner
def forget(table: ProofTable, place: int) -> None:
    """Delete an entry."""
    table.entries[place].key = 0
    table.filled[0] -= 1


@bare
def copy_entries(source: ProofTable, target: ProofTable) -> None:
    """Copy the entries of `source` into the empty table `target`, as many as fit."""
    for place in range(source.entries.size):
        entry = source.entries[place]
        if entry.key != np.uint64(0):
            to = place_for(target, entry.key)
            target.entries[to] = entry
            for word in range(source.zones.shape[1]):
                target.zones[to, word] = source.zones[place, word]
                target.left[to, word] = source.left[place, word]
