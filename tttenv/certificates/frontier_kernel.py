"""Compiled expansion by one round: a player's moves, all replies and the resulting codes.

Boards are from the perspective of the player, which is to move on all of them: 1 is its own stone,
-1 its opponent's. A board's code is a number in base 3 with the digits 0 theirs, 1 empty, 2 mine,
the first cell most significant; a word holds 39 cells, as many as fit in 63 bits, and larger boards
take several words. So codes are ordered lexicographically by the cells.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules_kernel import completes
from tttenv.game.types import Boards, Mask, Probs
from tttenv.utils.compiled import compiled, inner
from tttenv.utils.struct import Struct

WORD = 39  # cells per word: 3 ** 39 < 2 ** 63
Codes = NDArray[np.int64]  # (positions, words)


@dataclass(frozen=True, eq=False)
class Geometry(Struct):
    """Shape of the board, and each cell's digit in the code of each of its symmetric images."""

    m: int
    n: int
    k: int
    lines: NDArray[np.int64]  # (lines, k): the cells of every line
    powers: NDArray[np.int64]  # (images, cells): the power of 3 of each cell in an image's code
    words: NDArray[np.int64]  # (images, cells): the word that holds it


def geometry(
    shape: tuple[int, int, int], lines: NDArray[np.int64], inverses: NDArray[np.int64]
) -> Geometry:
    """Return the geometry of a board.

    Args:
        shape: m, n and k.
        lines: the cells of every line, (lines, k).
        inverses: for each image that is identified with the board, where its cells go,
            (images, cells); with the identity alone no boards are merged.
    """
    m, n, k = shape
    cells = np.arange(m * n)
    last = np.minimum((cells // WORD + 1) * WORD, m * n) - 1  # the word's last cell
    powers = 3 ** (last - cells)
    return Geometry(m, n, k, lines, powers[inverses], (cells // WORD)[inverses])


@inner
def _image_codes(board: NDArray[np.int8], about: Geometry, codes: Codes) -> None:
    """Write the codes (images, words) of the images of a board (cells,)."""
    for image in range(len(about.powers)):
        for word in range(codes.shape[1]):
            codes[image, word] = 0
        for cell in range(board.size):
            digit = board[cell] + 1
            codes[image, about.words[image, cell]] += digit * about.powers[image, cell]


@inner
def _write_first(codes: Codes, to: NDArray[np.int64]) -> None:
    """Write the lexicographically smallest of the codes (images, words) to `to` (words,)."""
    best = 0
    for image in range(1, len(codes)):
        for word in range(codes.shape[1]):
            if codes[image, word] != codes[best, word]:
                if codes[image, word] < codes[best, word]:
                    best = image
                break
    for word in range(codes.shape[1]):
        to[word] = codes[best, word]


@compiled
def encode(boards: Boards, about: Geometry) -> Codes:
    """Return the codes (positions, words) of boards (positions, cells), minimal over images."""
    words = (boards.shape[1] + WORD - 1) // WORD
    images = np.empty((len(about.powers), words), np.int64)
    codes = np.empty((len(boards), words), np.int64)
    for i in range(len(boards)):
        _image_codes(boards[i], about, images)
        _write_first(images, codes[i])
    return codes


@compiled
def decode(codes: Codes, cells: int) -> Boards:
    """Return the boards (positions, cells) of codes (positions, words)."""
    boards = np.empty((len(codes), cells), np.int8)
    for i in range(len(codes)):
        for word in range(codes.shape[1]):
            rest = codes[i, word]
            for cell in range(min(cells, (word + 1) * WORD) - 1, word * WORD - 1, -1):
                boards[i, cell] = rest % 3 - 1
                rest //= 3
    return boards


@compiled
def open_for(boards: Boards, side: int, lines: NDArray[np.int64], most: int) -> Mask:
    """Mark the boards where `side` (1 or -1) can complete a line with at most `most` more stones.

    Args:
        boards: (positions, cells).
        side: the side whose stones may be on the line.
        lines: the cells of every line, (lines, k).
        most: maximum empty cells of the line; k finds any open line.

    Returns:
        (positions,).
    """
    found = np.zeros(len(boards), np.bool_)
    for i in range(len(boards)):
        for line in range(len(lines)):
            empty = 0
            for j in range(lines.shape[1]):
                stone = boards[i, lines[line, j]]
                if stone == -side:
                    empty = lines.shape[1] + 1
                    break
                empty += stone == 0
            if empty <= most:
                found[i] = True
                break
    return found


@dataclass(frozen=True, eq=False)
class Replies(Struct):
    """Output of `expand`: reached positions, with duplicates, and the results of ended games."""

    codes: Codes  # (capacity, words) of the positions reached
    moves: NDArray[np.int64]  # (capacity, 3): the earlier position, the player's cell, the reply
    chances: NDArray[np.float64]  # (capacity,): probabilities against random replies
    ended: NDArray[np.float64]  # (2, 3): summed probabilities of win, draw and loss; second row:
    # compensation of rounding errors (Kahan, 1965), since there are millions of terms
    drawn: Mask  # (1,): whether a game was drawn
    won: NDArray[np.int64]  # (positions, 2): two cells after which the opponent has won, or -1


@compiled
def expand(
    boards: Boards,
    probs: Probs,
    chances: NDArray[np.float64],
    start: int,
    about: Geometry,
    replies: Replies,
) -> tuple[int, int]:
    """Play the player's moves and every reply, until the output is full.

    Args:
        boards: (positions, cells), undecided, the player to move.
        probs: the player's probabilities, (positions, cells); all above zero are followed. A row
            of zeros is a forfeit.
        chances: the probability of each position, (positions,).
        start: the first position to expand.
        about: the board's geometry.
        replies: output.

    Returns:
        The first position that was not expanded, and the number of codes written.
    """
    cells, capacity = boards.shape[1], len(replies.codes)
    images = np.empty((len(about.powers), replies.codes.shape[1]), np.int64)
    wins, ended = np.empty(cells, np.bool_), np.empty(3)
    count = 0
    for i in range(start, len(boards)):
        board = boards[i].copy()
        moves, empty = 0, 0
        for cell in range(cells):
            moves += probs[i, cell] > 0
            empty += board[cell] == 0
        if count + moves * empty > capacity:
            return i, count
        ended[:] = 0
        if moves == 0:  # a forfeit
            ended[2] += chances[i]
        _image_codes(board, about, images)
        for cell in range(cells):  # where the opponent would win
            wins[cell] = False
            if board[cell] == 0:
                board[cell] = -1
                wins[cell] = completes(board, cell, about.m, about.n, about.k)
                board[cell] = 0
        for cell in range(cells):
            if probs[i, cell] <= 0:
                continue
            chance = chances[i] * probs[i, cell]
            board[cell] = 1
            if completes(board, cell, about.m, about.n, about.k):
                ended[0] += chance
            elif empty == 1:
                ended[1] += chance
                replies.drawn[0] = True
            else:
                _add(images, about, cell, 1)
                chance /= empty - 1
                for reply in range(cells):
                    if board[reply] != 0:
                        continue
                    if wins[reply]:
                        ended[2] += chance
                        replies.won[i, 0], replies.won[i, 1] = cell, reply
                    elif empty == 2:
                        ended[1] += chance
                        replies.drawn[0] = True
                    else:
                        _add(images, about, reply, -1)
                        _write_first(images, replies.codes[count])
                        _add(images, about, reply, 1)
                        replies.chances[count] = chance
                        row = replies.moves[count]
                        row[0], row[1], row[2] = i, cell, reply
                        count += 1
                _add(images, about, cell, -1)
            board[cell] = 0
        for outcome in range(3):
            part = ended[outcome] - replies.ended[1, outcome]
            total = replies.ended[0, outcome] + part
            replies.ended[1, outcome] = (total - replies.ended[0, outcome]) - part
            replies.ended[0, outcome] = total
    return len(boards), count


@compiled
def _add(codes: Codes, about: Geometry, cell: int, step: int) -> None:
    """Add `step` stones on a cell to the codes (images, words) of a board; -1 removes one."""
    for image in range(len(codes)):
        codes[image, about.words[image, cell]] += step * about.powers[image, cell]
