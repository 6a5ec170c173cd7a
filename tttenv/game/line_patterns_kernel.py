"""A small value network over line patterns, updated by each stone.

The pattern of a cell in one of the four directions is what the 2 k - 1 cells around it in that
direction hold: empty, a stone of side 0 or 1, or off the board. It contains all lines of k cells
through the cell. A table holds a vector for every pattern. The vectors of a cell's four patterns
are added, clipped to [0, CLIP] and summed over all cells, once as side 0 sees the stones and once
as side 1 does. Two hidden layers turn both sums into the value for the side to move.

A stone changes at most 4 (2 k - 1) patterns, so that a search updates the sums instead of computing
them (efficiently updatable networks: Nasu, 2018; vectors of line patterns for five in a row: Jin,
"Rapfi: Distilling Efficient Neural Network for the Game of Gomoku", arXiv 2503.13178). All numbers
are integers, so that every machine computes the same values.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import DIRECTIONS
from tttenv.game.types import Boards
from tttenv.utils.arrays import read_only
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate

UNIT = 64  # table entries per 1.0
CLIP = 4 * UNIT  # the highest entry of a cell's clipped vector
INPUT = 32 * UNIT  # sums over the cells per 1.0 of the first layer's input
WEIGHT = 1 << 10  # weights of the layers per 1.0
HIDDEN = 1 << 12  # hidden units per 1.0
BIASES = (INPUT * WEIGHT, HIDDEN * WEIGHT, HIDDEN * WEIGHT)  # biases of the three layers per 1.0
VALUE = 1000  # values per logit of the probability of winning


@dataclass(frozen=True, eq=False)
class PatternTables:
    """The integers of a network, for boards of any size with one k.

    Sums of 32 bits wrap at 1,024 in the first layer and at 512 in the second; those of trained
    networks stay below 20.
    """

    vectors: NDArray[np.int16]  # (vectors, channels), for a pattern's side 0; see `vector_rows`
    first: NDArray[np.int16]  # (2 * channels, hidden): by the mover's sums, then the other side's
    second: NDArray[np.int16]  # (hidden, hidden)
    last: NDArray[np.int16]  # (hidden, 1)
    first_bias: NDArray[np.int32]  # (hidden,)
    second_bias: NDArray[np.int32]  # (hidden,)
    last_bias: NDArray[np.int32]  # (1,)


@dataclass(frozen=True, eq=False)
class LinePatterns(Struct):
    """A network's integers, and its sums on one board."""

    vectors: NDArray[np.int16]  # (patterns, 2 * channels): seen by side 0, then by side 1
    first: NDArray[np.int32]  # (hidden, 2 * channels): the layers, each unit's weights in a row
    second: NDArray[np.int32]  # (hidden, hidden)
    last: NDArray[np.int32]  # (1, hidden)
    first_bias: NDArray[np.int32]
    second_bias: NDArray[np.int32]
    last_bias: NDArray[np.int32]
    empty: NDArray[np.int32]  # (cells, 4): the patterns on an empty board
    reach: NDArray[np.int16]  # (cells, 4, 2 k - 1): the cells of whose patterns it is a part, or -1
    digit: NDArray[np.int32]  # like `reach`: what a stone of side 0 adds to the pattern's number
    patterns: NDArray[np.int32]  # (cells, 4): the current patterns
    sums: Annotated[NDArray[np.int16], "cells, channels"]  # of a cell's four vectors
    pooled: Annotated[NDArray[np.int32], "channels"]  # the clipped sums, summed over the cells
    centre: Annotated[NDArray[np.int16], "channels"]  # working memory of `value_after`
    changed: Annotated[NDArray[np.int32], "channels"]  # the same
    seen: Annotated[NDArray[np.int32], "channels"]  # working memory of the layers
    hidden: Annotated[NDArray[np.int32], "hidden"]  # the same
    path: Annotated[NDArray[np.int64], "plies"]  # the stones put since `begin`, side 0's first
    length: Annotated[NDArray[np.int64], "1"]  # how many they are


def pattern_starts(k: int) -> NDArray[np.int64]:
    """Return the number of the first pattern with `left` and `right` cells off the board, (k, k).

    To it are added 3**i for a stone of side 0, and twice as much for one of side 1, on the i-th of
    the pattern's cells that are on the board.
    """
    off = np.add.outer(np.arange(k), np.arange(k))
    sizes = 3 ** (2 * k - 1 - off)
    return np.asarray((np.cumsum(sizes) - sizes.ravel()).reshape(k, k), np.int64)


def count_patterns(k: int) -> int:
    """Return the number of patterns of lines of k cells."""
    return int((3 ** (2 * k - 1 - np.add.outer(np.arange(k), np.arange(k)))).sum())


def pattern_cells(k: int) -> NDArray[np.int8]:
    """Return (patterns, 2 k - 1): 0 empty, 1 or 2 a stone of side 0 or 1, 3 off the board."""
    starts, size = pattern_starts(k), 2 * k - 1
    cells = np.full((count_patterns(k), size), 3, np.int8)
    for left in range(k):
        for right in range(k):
            held, start = size - left - right, starts[left, right]
            numbers = np.arange(3**held)[:, None] // 3 ** np.arange(held) % 3
            cells[start : start + len(numbers), left : size - right] = numbers
    return cells


def pattern_numbers(cells: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the numbers of patterns, given as arrays of their cells (patterns, 2 k - 1)."""
    size = cells.shape[1]
    k, off = (size + 1) // 2, cells == 3
    left, right = off[:, : k - 1].sum(axis=1), off[:, k:].sum(axis=1)
    places = np.clip(np.arange(size) - left[:, None], 0, None)
    return np.asarray(
        pattern_starts(k)[left, right] + np.where(off, 0, cells * 3**places).sum(axis=1), np.int64
    )


def swapped(cells: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return patterns, as arrays of their cells, with the stones of both sides exchanged."""
    return np.array([0, 2, 1, 3], np.int8)[cells]


def vector_rows(k: int) -> NDArray[np.int64]:
    """Return the row of each pattern's vector (patterns,); its mirror image shares it."""
    cells = pattern_cells(k)
    mirrored = pattern_numbers(cells[:, ::-1])
    own = np.arange(len(cells)) <= mirrored
    rows = np.cumsum(own) - 1
    return np.asarray(np.where(own, rows, rows[mirrored]), np.int64)


def count_vectors(k: int) -> int:
    """Return the number of vectors for lines of k cells."""
    symmetric = (3 ** np.arange(1, k + 1)).sum()
    return int(count_patterns(k) + symmetric) // 2


def pattern_windows(rules: Rules) -> NDArray[np.int64]:
    """Return the cells of each cell's four patterns (cells, 4, 2 k - 1), -1 off the board."""
    m, n = rules.m, rules.n
    rows, columns = np.divmod(np.arange(rules.cells), n)
    offsets = np.arange(1 - rules.k, rules.k)
    windows = np.empty((rules.cells, len(DIRECTIONS), len(offsets)), np.int64)
    for number, (down, right) in enumerate(DIRECTIONS):
        row, column = rows[:, None] + offsets * down, columns[:, None] + offsets * right
        on = (row >= 0) & (row < m) & (column >= 0) & (column < n)
        windows[:, number] = np.where(on, row * n + column, -1)
    return windows


@cache
def _rows_of_sides(k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row of each pattern's vector as side 0 sees it, and as side 1 does."""
    rows = vector_rows(k)
    return read_only((rows, rows[pattern_numbers(swapped(pattern_cells(k)))]))


def new_line_patterns(rules: Rules, tables: PatternTables | None) -> LinePatterns:
    """Allocate a network's sums for a board; without tables, one that is never evaluated."""
    k = rules.k
    if tables is None:
        nothing = np.zeros((0, 0), np.int16), np.zeros(0, np.int32)
        tables = PatternTables(*nothing[:1] * 4, *nothing[1:] * 3)
        windows, vectors = np.full((0, 4, 2 * k - 1), -1), tables.vectors
        empty = np.zeros((0, 4), np.int64)
    else:
        windows, (own, other) = pattern_windows(rules), _rows_of_sides(k)
        vectors = np.hstack([tables.vectors[own], tables.vectors[other]])
        held = np.where(windows.reshape(-1, 2 * k - 1) < 0, 3, 0).astype(np.int8)
        empty = pattern_numbers(held).reshape(-1, 4)
    # A stone on `cell` is the mirrored place of the pattern around each cell in reach.
    reach = windows[:, :, ::-1]
    left = np.where(windows < 0, 1, 0)[:, :, : k - 1].sum(axis=2)  # (cells, 4), of own patterns
    off = np.where(reach < 0, 0, left[reach, np.arange(4)[:, None]])
    digit = np.where(reach < 0, 0, 3 ** np.clip(np.arange(2 * k - 1) - off, 0, None))
    layers = {
        name: np.ascontiguousarray(part.T, np.int32)
        for name, part in vars(tables).items()
        if name != "vectors"
    }
    size, hidden = len(windows), len(tables.first_bias)
    return allocate(
        LinePatterns,
        {"cells": size, "plies": size + 2, "channels": vectors.shape[1], "hidden": hidden},
        vectors=np.ascontiguousarray(vectors),
        **layers,
        empty=empty.astype(np.int32),
        reach=np.ascontiguousarray(reach, np.int16),
        digit=np.ascontiguousarray(digit, np.int32),
        patterns=empty.astype(np.int32),
    )


@bare
def begin(net: LinePatterns, board: Boards) -> None:
    """Set the sums for a board (cells,): 1 is a stone of side 0, who is to move."""
    net.length[0] = 0
    for i in range(net.pooled.size):
        net.pooled[i] = 0
    for cell in range(len(net.empty)):
        for i in range(net.pooled.size):
            total = 0
            for direction in range(4):
                pattern = net.empty[cell, direction]
                net.patterns[cell, direction] = pattern
                total += net.vectors[pattern, i]
            net.sums[cell, i] = total
            net.pooled[i] += min(max(total, 0), CLIP)
    for cell in range(len(net.empty)):
        if board[cell] != 0:
            change_pattern(net, cell, 1 if board[cell] == 1 else 2)


@inner
def change_pattern(net: LinePatterns, cell: int, change: int) -> None:
    """Update the sums for a stone of side 0 (`change` 1) or 1 (2), or its removal (-1, -2)."""
    pooled = net.pooled
    for direction in range(4):
        for place in range(net.reach.shape[2]):
            around = net.reach[cell, direction, place]
            if around >= 0:
                pattern = net.patterns[around, direction]
                before, sums = net.vectors[pattern], net.sums[around]
                pattern += change * net.digit[cell, direction, place]
                net.patterns[around, direction] = pattern
                after = net.vectors[pattern]
                for i in range(pooled.size):  # in 16 bits, for speed
                    old = sums[i]
                    new = np.int16(old - before[i] + after[i])
                    sums[i] = new
                    pooled[i] += np.int16(clipped(new) - clipped(old))


NOTHING, MOST = np.int16(0), np.int16(CLIP)


@inner
def clipped(total: np.int16) -> np.int16:
    """Return a sum of a cell's vectors, clipped to [0, CLIP]."""
    return np.int16(min(max(total, NOTHING), MOST))


@bare
def take_back(net: LinePatterns, length: int) -> None:
    """Remove stones of the path until `length` are left."""
    while net.length[0] > length:
        net.length[0] -= 1
        ply = net.length[0]
        change_pattern(net, net.path[ply], -1 if ply % 2 == 0 else -2)


@bare
def put(net: LinePatterns, cell: int) -> None:
    """Add a stone of the side to move to the path."""
    ply = net.length[0]
    net.path[ply] = cell
    change_pattern(net, cell, 1 if ply % 2 == 0 else 2)
    net.length[0] += 1


@bare
def value(net: LinePatterns, side: int) -> int:
    """Return the value for `side` (0 or 1), who is to move: thousandths of a logit."""
    return layers(net, net.pooled, side)


@bare
def value_after(net: LinePatterns, cell: int) -> int:
    """Return what `put`, `value` and `take_back` would give, in half the time."""
    change = 1 if net.length[0] % 2 == 0 else 2
    centre, pooled = net.centre, net.changed
    for i in range(pooled.size):
        centre[i], pooled[i] = net.sums[cell, i], net.pooled[i]
    for direction in range(4):
        for place in range(net.reach.shape[2]):
            around = net.reach[cell, direction, place]
            if around >= 0:
                pattern = net.patterns[around, direction]
                before, sums = net.vectors[pattern], net.sums[around]
                after = net.vectors[pattern + change * net.digit[cell, direction, place]]
                if around == cell:  # whose four patterns all change
                    for i in range(pooled.size):
                        centre[i] = np.int16(centre[i] - before[i] + after[i])
                else:
                    for i in range(pooled.size):
                        new = np.int16(sums[i] - before[i] + after[i])
                        pooled[i] += np.int16(clipped(new) - clipped(sums[i]))
    for i in range(pooled.size):
        pooled[i] += np.int16(clipped(centre[i]) - clipped(net.sums[cell, i]))
    return layers(net, pooled, change % 2)


@inner
def layers(net: LinePatterns, pooled: NDArray[np.int32], side: int) -> int:
    """Return the value for `side`, who is to move, of sums over the cells."""
    seen, hidden = net.seen, net.hidden
    channels = seen.size // 2
    for i in range(channels):
        mine, theirs = pooled[i], pooled[channels + i]
        seen[i], seen[channels + i] = (mine, theirs) if side == 0 else (theirs, mine)
    for unit in range(hidden.size):
        total = weighted(net.first[unit], seen, net.first_bias[unit])
        hidden[unit] = max(total, 0) // (INPUT * WEIGHT // HIDDEN)
    last = np.int64(net.last_bias[0])
    for unit in range(hidden.size):
        total = weighted(net.second[unit], hidden, net.second_bias[unit])
        last += max(total, 0) // WEIGHT * np.int64(net.last[0, unit])
    return int(last * VALUE // (HIDDEN * WEIGHT))


@inner
def weighted(weights: NDArray[np.int32], inputs: NDArray[np.int32], bias: np.int32) -> int:
    """Return the weighted sum of the inputs and the bias, in 32 bits, see `PatternTables`."""
    total = bias
    for i in range(inputs.size):
        total = np.int32(total + np.int32(weights[i] * inputs[i]))
    return int(total)
