"""Transposition table of a proof-number search: proof numbers and zones, up to symmetry.

Buckets of four; if all four are taken, the entry that took the least work is replaced. Results do
not depend on how a position was reached, so that one table serves all searches with the same
attacker.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Numbers
from tttenv.proofs.bitset_kernel import words
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct

BUCKET = 4
LEAF = -1  # instead of a move: the position was judged without one

ENTRY = np.dtype(
    [
        ("key", np.uint64),  # of the position; 0 where the place is free
        ("proof", np.uint32),  # the proof number of "the attacker wins"
        ("disproof", np.uint32),
        ("work", np.uint32),  # nodes searched below
        ("cell", np.int16),  # the best move on the board's canonical image, or LEAF
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class ProofTable(Struct):
    """Table entries, each with two sets of cells on its canonical image; see `search_kernel`."""

    entries: Numbers  # (places,) of ENTRY
    zones: NDArray[np.uint64]  # (places, words): the zone, as far as it is known
    left: NDArray[np.uint64]  # (places, words): the attacker's moves that no zone answers yet
    filled: NDArray[np.int64]  # (1,): how many places are taken


def new_proof_table(places: int, cells: int) -> ProofTable:
    """Return an empty table with `places` slots, a power of two and at least 4."""
    return ProofTable(
        entries=np.zeros(places, ENTRY),
        zones=np.zeros((places, words(cells)), np.uint64),
        left=np.zeros((places, words(cells)), np.uint64),
        filled=np.zeros(1, np.int64),
    )


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
