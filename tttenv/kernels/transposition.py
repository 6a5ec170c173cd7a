"""A transposition table of fixed size: what earlier searching found out about a position.

Buckets of two (Breuker, Uiterwijk and van den Herik, 1994): the deeper result stays in the first
place, any other goes to the second. An entry counts only in the search, `age`, that wrote it; to
later searches its place is empty, so that answers never depend on what was searched before.
"""

import numpy as np

from tttenv.kernels.bare import bare
from tttenv.types import Numbers

EXACT, AT_LEAST, AT_MOST = 0, 1, 2  # what a stored score says about the true one

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("age", np.uint32),  # the search that wrote it, from 1; 0 is none
        ("score", np.int32),
        ("cell", np.int16),  # the best move, on the board's canonical image
        ("depth", np.int16),
        ("bound", np.int8),
    ],
    align=True,
)


def table(entries: int) -> Numbers:
    """An empty table of `ENTRY`, of the largest power of two up to `entries`, at least two."""
    return np.zeros(1 << max(1, entries.bit_length() - 1), ENTRY)


@bare
def probe(table: Numbers, key: int, age: int) -> int:
    """Where this search wrote an entry about `key`, a uint64; -1 where it did not."""
    slot = int(np.int64(key & np.uint64(table.size - 1)))
    for place in (slot, slot ^ 1):
        if table[place].key == key and table[place].age == age:
            return place
    return -1


@bare
def store(
    table: Numbers, key: int, age: int, score: int, cell: int, depth: int, bound: int
) -> None:
    """Write an entry about `key`, a uint64, in its own place, else the first if deeper there."""
    place = probe(table, key, age)
    if place < 0:
        place = int(np.int64(key & np.uint64(table.size - 1)))
        if table[place].age == age and table[place].depth > depth:
            place ^= 1
    entry = table[place]
    entry.key = key
    entry.age = age
    entry.score = score
    entry.cell = cell
    entry.depth = depth
    entry.bound = bound
