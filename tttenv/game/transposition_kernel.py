"""Fixed-size transposition table, keyed by Zobrist hashes (Zobrist, 1970).

Buckets of two (Breuker, Uiterwijk and van den Herik, 1994): the deeper result stays in the first
slot, any other goes to the second. Searches are numbered by `age`. If entries count only in the
search that wrote them, answers never depend on earlier searches.

Positions that are images of each other under the board's symmetries have the same set of hashes.
The smallest hash is the key of all of them, and the map to the image with this hash translates
their moves.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Cells, Numbers
from tttenv.utils.compiled import inner
from tttenv.utils.struct import Struct, record

SEED = 20180219  # an arbitrary constant, so that searches give the same answers everywhere


@dataclass(frozen=True, eq=False)
class ZobristHashes(Struct):
    """Hashes of a board's images under all symmetries, and the tables to update them."""

    stone_keys: NDArray[np.uint64]  # (cells, 2, maps): the key of a stone of side 0 or 1 on a cell
    images: Cells  # (maps, cells): the cell of the image that a cell of the board is mapped to
    origins: Cells  # (maps, cells): the cell of the board that is mapped to a cell of the image
    current: NDArray[np.uint64]  # (maps,): the hash of each image


def new_hashes(maps: Cells) -> ZobristHashes:
    """Return the hashes of an empty board for the symmetries (maps, cells)."""
    cells = maps.shape[1]
    numbers = np.random.default_rng(SEED).integers(2**64, size=(cells, 2), dtype=np.uint64)
    images = np.argsort(maps, axis=1)
    stone_keys = np.ascontiguousarray(numbers[images].transpose(1, 2, 0))
    return ZobristHashes(stone_keys, images, maps.copy(), np.zeros(len(maps), np.uint64))


@inner
def toggle_hash(hashes: ZobristHashes, cell: int, side: int) -> None:
    """Update the hashes for a stone of `side` (0 or 1) put on `cell` or removed from it."""
    for i in range(hashes.current.size):
        hashes.current[i] ^= hashes.stone_keys[cell, side, i]


@inner
def canonical_image(hashes: ZobristHashes) -> int:
    """Return the index of the symmetry whose image has the smallest hash, the position's key."""
    best = 0
    for i in range(1, hashes.current.size):
        if hashes.current[i] < hashes.current[best]:
            best = i
    return best


EXACT, LOWER_BOUND, UPPER_BOUND = 0, 1, 2  # whether a stored score is the true one or bounds it

ENTRY = record(
    [
        ("key", np.uint64),
        ("age", np.uint32),  # the number of the search that wrote it, from 1; 0 if none did
        ("score", np.int32),  # for the side to move
        ("cell", np.int16),  # the best move, on the board's canonical image
        ("depth", np.int16),  # plies searched
        ("bound", np.int8),  # EXACT, LOWER_BOUND or UPPER_BOUND
    ],
)


def new_table(entries: int) -> Numbers:
    """Return an empty table with a power of two of entries, at least 2 and at most `entries`."""
    return np.zeros(1 << max(1, entries.bit_length() - 1), ENTRY)


@inner
def probe(table: Numbers, key: int, since: int) -> int:
    """Return the slot of the entry for `key`, a uint64, by a search from `since` on, or -1."""
    slot = int(np.int64(key & np.uint64(table.size - 1)))
    for place in (slot, slot ^ 1):
        if table[place].key == key and table[place].age >= since:
            return place
    return -1


@inner
def store(
    table: Numbers,
    key: int,
    ages: NDArray[np.int64],
    score: int,
    cell: int,
    depth: int,
    bound: int,
) -> None:
    """Store an entry for `key`, a uint64, in place of the same key's or else in its bucket.

    `ages` (2,) are the numbers of this search and of the first whose entries count.
    """
    age = ages[0]
    place = probe(table, key, ages[1])
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
