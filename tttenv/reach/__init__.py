"""The graph of positions that players reach: codes, moves, and sets of positions.

A position is a board seen by its side to move, as a code; symmetric positions share one if all
players are equivariant, which `require_images_alike` checks. Certificates, attacks, the search for
mistakes and the results of two players all query players on a batch of boards, play the moves by
`Graph.moves`, or the moves and every reply by `Graph.replies`, and merge what is reached. Positions
of different plies have different numbers of stones, so duplicates occur within a ply only: a set of
positions is a sorted array of codes.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tttenv.game import symmetry
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask, Probs
from tttenv.policy import Player, ask
from tttenv.reach import moves_kernel as kernels
from tttenv.reach.moves_kernel import WORD, Codes, Geometry, Moves

ROWS = 2**20  # replies played together
MOST_IMAGES = 8  # of a board
TOLERANCE = 1e-6  # maximum difference of a class's probability between images


class Graph:
    """Positions of a game and the moves between them; `images` merges symmetric positions."""

    def __init__(self, rules: Rules, images: bool) -> None:
        self.rules = rules
        self._codes = _geometry(rules, MOST_IMAGES if images else 1)
        self._no_codes = _geometry(rules, 0)

    def encode(self, boards: Boards) -> Codes:
        """Return the codes (positions, words) of boards (positions, cells)."""
        return kernels.encode(boards, self._codes)

    def decode(self, codes: Codes) -> Boards:
        """Return a board (positions, cells) per code; columns before the words are left out."""
        return kernels.decode(codes[:, -len(self._codes.blank) :], self.rules.cells)

    def moves(self, boards: Boards, allowed: Mask) -> Moves:
        """Play all allowed moves, a mask (positions, cells), on undecided boards of that shape.

        Args:
            boards: undecided boards (positions, cells), seen by the side to move.
            allowed: a mask of that shape, of empty cells.

        Returns:
            The moves in the order of positions and cells.
        """
        return _moves(boards, allowed, self._codes)

    def replies(self, boards: Boards, probs: Probs) -> Iterator[tuple[Moves, Moves]]:
        """Play a player's moves of nonzero probability, then every reply, in parts.

        The origins of the replies are the indices of the moves, which have no codes.

        Args:
            boards: undecided boards (positions, cells), seen by the player.
            probs: its probabilities (positions, cells).

        Yields:
            The moves and the replies to those that end no game, of some positions in turn.
        """
        starts = [0] * min(1, len(boards))
        if len(boards) * self.rules.cells**2 >= ROWS:
            sizes = np.count_nonzero(probs, axis=1) * np.count_nonzero(boards == 0, axis=1)
            starts = np.flatnonzero(np.diff(np.cumsum(sizes) // ROWS, prepend=-1)).tolist()
        for first, end in pairwise([*starts, len(boards)]):
            own = _moves(boards[first:end], probs[first:end] > 0, self._no_codes)
            own.origin[:] += first
            going = np.flatnonzero(own.end == GOING)
            after = -boards[own.origin[going]]
            after[np.arange(len(after)), own.cell[going]] = -1
            replies = self.moves(after, after == 0)
            replies.origin[:] = going[replies.origin]
            yield own, replies


@lru_cache
def _geometry(rules: Rules, images: int) -> Geometry:
    """Return the geometry of a board whose first `images` share one code; 0: without codes."""
    cells, inverses = np.arange(rules.cells), symmetry.inverses(rules)[:images]
    last = np.minimum((cells // WORD + 1) * WORD, rules.cells) - 1  # the word's last cell
    powers, words = 3 ** (last - cells), cells // WORD
    blank = np.add.reduceat(powers, np.arange(0, rules.cells, WORD))[: None if images else 0]
    blank = np.tile(blank[:, None], (1, len(inverses)))
    return Geometry(rules.game, powers[inverses.T].copy(), words[inverses.T].copy(), blank)


def _moves(boards: Boards, allowed: Mask, about: Geometry) -> Moves:
    count, words = np.count_nonzero(allowed), len(about.blank)
    origin, cell, codes = (np.empty(shape, np.int64) for shape in (count, count, (count, words)))
    moves = Moves(origin, cell, np.empty(count, np.int8), codes)
    written = kernels.play_all(boards, allowed, about, moves)
    return moves if written == count else moves._replace(codes=codes[:written])


def distinct(codes: Codes) -> Codes:
    """Return the distinct codes (rows, words), sorted."""
    # Sorting takes a fortieth of the time of np.unique, which hashes.
    codes = np.sort(codes, axis=0) if codes.shape[1] == 1 else codes[_order(codes)]
    return codes[_differs_from_previous(codes)]


def with_numbers(codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """Return the distinct codes, sorted, and for each row (rows,) the index of its code."""
    order = _order(codes)
    first = _differs_from_previous(codes[order])
    numbers = np.empty(len(codes), np.int64)
    numbers[order] = np.cumsum(first) - 1
    return codes[order[first]], numbers


def contains(codes: Codes, code: NDArray[np.int64]) -> bool:
    """Return whether a code (words,) is among sorted codes (positions, words).

    Args:
        codes: sorted, as `distinct` returns them.
        code: of as many words.
    """
    first, end = 0, len(codes)
    for word, value in enumerate(code):
        column = codes[first:end, word]
        end = first + int(np.searchsorted(column, value, "right"))
        first += int(np.searchsorted(column, value, "left"))
    return end > first


def _order(codes: Codes) -> NDArray[np.int64]:
    """Return a permutation that sorts codes (rows, words); equal rows are in any order."""
    if codes.shape[1] == 2 and len(codes):
        size = int(codes[:, 1].max()) + 1
        if (int(codes[:, 0].max()) + 1) * size < 2**63:  # sorted as one number, which is faster
            codes = codes[:, :1] * size + codes[:, 1:]
    if codes.shape[1] == 1:
        return np.argsort(codes[:, 0])
    return np.lexsort(codes.T[::-1])


def _differs_from_previous(codes: Codes) -> Mask:
    first = np.ones(len(codes), np.bool_)
    first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    return first


def require_images_alike(player: Player, boards: Boards, name: str) -> None:
    """Raise ValueError unless the player is equivariant on undecided boards (batch, cells).

    Its outputs on two images have to lead to the same symmetry classes with the same probabilities.

    Args:
        player: declared equivariant.
        boards: those of which all images are queried.
        name: what messages call it.

    Raises:
        ValueError: if it is not equivariant there.
    """
    rules = player.rules
    maps = symmetry.maps(rules)
    images = boards[:, maps].reshape(-1, rules.cells)  # all images of a board in sequence
    probs = ask(images, player)
    rows, cells = np.nonzero(probs > 0)
    after = images[rows]
    after[np.arange(len(rows)), cells] = 1
    boards_of, image = rows // len(maps), rows % len(maps)
    codes = np.column_stack([boards_of, Graph(rules, images=True).encode(after)])
    classes, numbers = with_numbers(codes)  # each a board and a class that some image leads to
    shape = len(classes), len(maps)
    where = np.ravel_multi_index((numbers, image), shape)
    sums = np.bincount(where, probs[rows, cells], np.prod(shape)).reshape(shape)
    first = sums[:, :1]
    off = (np.abs(sums - first) > TOLERANCE) | ((sums > 0) != (first > 0))
    if off.any():
        number, other = np.argwhere(off)[0]
        board = boards[classes[number, 0]]
        shown = [rules.format(part) for part in (board, board[maps[other]])]
        raise ValueError(
            f"{name} is declared equivariant, but its moves on {shown[0]} and on the image"
            f" {shown[1]} are not images of each other"
        )
