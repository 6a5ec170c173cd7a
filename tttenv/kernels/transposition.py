"""A transposition table of fixed size, and the Zobrist hashes (Zobrist, 1970) it is kept by.

Buckets of two (Breuker, Uiterwijk and van den Herik, 1994): the deeper result stays in the first
place, any other goes to the second. An entry counts only in the search, `age`, that wrote it; to
later searches its place is empty, so that answers never depend on what was searched before.

Positions that are images of each other have the same set of hashes, so the smallest hash is a key
common to all of them, and the map that makes it turns moves of the one into moves of the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.bare import bare
from tttenv.kernels.types import Cells, Numbers

SEED = 20180219  # any number does; it is fixed so that searches answer alike everywhere


class Hashes(NamedTuple):
    """The hashes of a board's images, and what turns them."""

    of_stones: NDArray[np.uint64]  # (cells, 2, maps): a stone of side 0 or 1 on a cell
    images: Cells  # (maps, cells): where a cell goes
    origins: Cells  # (maps, cells): where an image's cell comes from
    now: NDArray[np.uint64]  # (maps,)


def hashes(maps: Cells) -> Hashes:
    """The hashes of an empty board, for the symmetries (maps, cells) as in `symmetry.maps`."""
    cells = maps.shape[1]
    numbers = np.random.default_rng(SEED).integers(2**64, size=(cells, 2), dtype=np.uint64)
    images = np.argsort(maps, axis=1)
    of_stones = np.ascontiguousarray(numbers[images].transpose(1, 2, 0))
    return Hashes(of_stones, images, maps.copy(), np.zeros(len(maps), np.uint64))


@bare
def turn_stone(hashes: Hashes, cell: int, side: int) -> None:
    """Put a stone of `side` (0 or 1) on `cell`, or take it away again."""
    for i in range(hashes.now.size):
        hashes.now[i] ^= hashes.of_stones[cell, side, i]


@bare
def key_image(hashes: Hashes) -> int:
    """The number of the map whose image has the smallest hash; `now` of it is the key."""
    best = 0
    for i in range(1, hashes.now.size):
        if hashes.now[i] < hashes.now[best]:
            best = i
    return best


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
