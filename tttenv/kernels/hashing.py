"""Zobrist hashes (Zobrist, 1970) of a board and all its mirror images, kept up stone by stone.

Positions that are images of each other have the same set of hashes, so the smallest hash is a key
common to all of them, and the map that makes it turns moves of the one into moves of the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.bare import bare
from tttenv.types import Cells

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
