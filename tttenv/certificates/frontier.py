"""Expansion of positions by one round: the player's move and every reply.

Positions are those in which the player is to move, as codes: see
`tttenv.certificates.frontier_kernel`. A round queries the player on a batch of them, plays its
moves and every reply, and drops positions reached before, up to symmetry if the player is
equivariant, which `require_images_alike` checks. Sets of positions are sorted arrays of codes.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import frontier_kernel as kernels
from tttenv.certificates.frontier_kernel import Codes, Geometry
from tttenv.game import symmetry
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask, Probs
from tttenv.policy import Player, ask

ROWS = 2**20  # replies expanded together
TOLERANCE = 1e-6  # maximum difference of a class's probability between images


def geometry(rules: Rules, images: bool) -> Geometry:
    """Return the geometry of a board for the kernels.

    Args:
        rules: the game.
        images: whether all images of a board share one code.
    """
    inverses = symmetry.inverses(rules)
    kept = inverses if images else inverses[:1]
    return kernels.geometry((rules.m, rules.n, rules.k), rules.lines, kept)


class Reached(NamedTuple):
    """Positions after moves and replies, with duplicates; the next batch reuses the arrays."""

    codes: Codes  # (replies, words)
    moves: NDArray[np.int64]  # (replies, 3): the position before, the player's cell, the reply
    chances: NDArray[np.float64]  # (replies,): the probability against random replies


class Frontier:
    """Expands positions by a player's moves and all replies.

    Args:
        player: the player.
        images: merge symmetric positions; the player has to be equivariant.

    Attributes:
        won: of the last batch, two cells after which the opponent has won, or -1, (positions, 2).
        ended: the probabilities (2, 3) of games won, drawn and lost so far, against random replies,
            and what rounding left out of them.
        drawn: whether any game was drawn so far, (1,).
    """

    def __init__(self, player: Player, images: bool) -> None:
        rules = player.rules
        self.rules, self.player, self.geometry = rules, player, geometry(rules, images)
        self.won = np.empty((0, 2), np.int64)
        self.ended, self.drawn = np.zeros((2, 3)), np.zeros(1, np.bool_)
        rows, words = max(ROWS, rules.cells**2), -(-rules.cells // kernels.WORD)
        self._reached = Reached(
            np.empty((rows, words), np.int64), np.empty((rows, 3), np.int64), np.empty(rows)
        )

    def encode(self, boards: Boards) -> Codes:
        """Return the codes (positions, words) of boards (positions, cells)."""
        return kernels.encode(boards, self.geometry)

    def decode(self, codes: Codes) -> Boards:
        """Return one board (positions, cells) per code (positions, words)."""
        return kernels.decode(codes, self.rules.cells)

    def ask(self, boards: Boards) -> Probs:
        """Query the player, and return its validated probabilities (positions, cells)."""
        return np.ascontiguousarray(ask(boards, self.player))

    def expand(
        self, boards: Boards, probs: Probs, chances: NDArray[np.float64] | None = None
    ) -> Iterator[Reached]:
        """Yield the positions after the player's moves and every reply that does not end the game.

        The attributes describe the replies that do.

        Args:
            boards: (positions, cells), undecided, the player to move.
            probs: its probabilities (positions, cells); all above zero are followed.
            chances: the probability of each position (positions,); None if they are not needed.
        """
        chances = np.zeros(len(boards)) if chances is None else chances
        self.won = np.full((len(boards), 2), -1)
        output = kernels.Replies(
            **self._reached._asdict(), won=self.won, ended=self.ended, drawn=self.drawn
        )
        start = 0
        while start < len(boards):
            start, count = kernels.expand(boards, probs, chances, start, self.geometry, output)
            yield Reached(output.codes[:count], output.moves[:count], output.chances[:count])


def distinct(codes: Codes) -> Codes:
    """Return the distinct codes (rows, words), sorted."""
    # Sorting takes a fortieth of the time of np.unique, which hashes.
    codes = np.sort(codes, axis=0) if codes.shape[1] == 1 else codes[_order(codes)]
    return codes[_differs_from_previous(codes)]


def with_sums(codes: Codes, chances: NDArray[np.float64]) -> tuple[Codes, NDArray[np.float64]]:
    """Return the distinct codes (rows, words), sorted, with summed probabilities (rows,)."""
    order = _order(codes)
    codes = codes[order]
    first = _differs_from_previous(codes)
    sums: NDArray[np.float64] = np.add.reduceat(chances[order], np.flatnonzero(first))
    return codes[first], sums


def with_first(codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """Return the distinct codes (rows, words), sorted, and the first row of each."""
    order = _order(codes)
    first = _differs_from_previous(codes[order])
    return codes[order[first]], order[first]


def with_numbers(codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
    """Return the distinct codes, sorted, and for each row (rows,) the index of its code."""
    order = _order(codes)
    first = _differs_from_previous(codes[order])
    numbers = np.empty(len(codes), np.int64)
    numbers[order] = np.cumsum(first) - 1
    return codes[order[first]], numbers


def contains(codes: Codes, code: NDArray[np.int64]) -> bool:
    """Return whether a code (words,) is among sorted codes (positions, words)."""
    first, end = 0, len(codes)
    for word, value in enumerate(code):
        column = codes[first:end, word]
        end = first + int(np.searchsorted(column, value, "right"))
        first += int(np.searchsorted(column, value, "left"))
    return end > first


def _order(codes: Codes) -> NDArray[np.int64]:
    """Return the permutation that sorts codes (rows, words), as a stable sort."""
    if codes.shape[1] == 2 and len(codes):
        size = int(codes[:, 1].max()) + 1
        if (int(codes[:, 0].max()) + 1) * size < 2**63:  # sorted as one number, which is faster
            codes = codes[:, :1] * size + codes[:, 1:]
    if codes.shape[1] == 1:
        return np.argsort(codes[:, 0], kind="stable")
    return np.lexsort(codes.T[::-1])


def _differs_from_previous(codes: Codes) -> Mask:
    """Return a mask (rows,) of the sorted codes (rows, words) that differ from the previous one."""
    first = np.ones(len(codes), np.bool_)
    first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    return first


def require_images_alike(player: Player, boards: Boards, name: str) -> None:
    """Raise unless the player is equivariant on the boards.

    Its outputs on two images have to lead to the same symmetry classes with the same probabilities.
    For a board that is its own image nothing else is required: which of several symmetric moves is
    played makes no difference.

    Args:
        player: the player.
        boards: undecided boards (batch, cells).
        name: the player's name in messages.

    Raises:
        ValueError: naming a board and an image of it from which it reaches other classes.
    """
    rules = player.rules
    maps = symmetry.maps(rules)
    images = boards[:, maps].reshape(-1, rules.cells)  # all images of a board in sequence
    reached = _classes_after(rules, images, ask(images, player))
    for i, board in enumerate(boards):
        first, *others = reached[i * len(maps) : (i + 1) * len(maps)]
        for number, other in enumerate(others, start=1):
            if not _alike(first, other):
                shown = [rules.format(part) for part in (board, board[maps[number]])]
                raise ValueError(
                    f"{name} is declared equivariant, but its moves on {shown[0]} and on the image"
                    f" {shown[1]} are not images of each other"
                )


def _classes_after(rules: Rules, boards: Boards, probs: Probs) -> list[dict[bytes, float]]:
    """Return, for each board (batch, cells), the probabilities of the classes after a move."""
    rows, cells = np.nonzero(probs > 0)
    after = boards[rows]
    after[np.arange(len(rows)), cells] = 1
    codes = kernels.encode(after, geometry(rules, images=True))
    found: list[dict[bytes, float]] = [{} for _ in boards]
    for row, code, prob in zip(rows.tolist(), codes, probs[rows, cells].tolist(), strict=True):
        key = code.tobytes()
        found[row][key] = found[row].get(key, 0.0) + prob
    return found


def _alike(first: dict[bytes, float], second: dict[bytes, float]) -> bool:
    """Return whether two distributions have the same classes and nearly equal probabilities."""
    return first.keys() == second.keys() and all(
        abs(prob - second[key]) <= TOLERANCE for key, prob in first.items()
    )
