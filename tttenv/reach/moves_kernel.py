"""Compiled codes of positions, and the positions after all moves from a batch of them.

A board's code is a number in base 3 with the digits 0 theirs, 1 empty, 2 mine, the first cell most
significant; a word holds 39 cells, as many as fit in 63 bits, and larger boards take several words.
So codes are ordered lexicographically by the cells.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import GOING, Outcomes
from tttenv.game.rules_kernel import Game, completes, outcome
from tttenv.game.types import Boards, Mask
from tttenv.utils.compiled import compiled, inner
from tttenv.utils.struct import Struct

WORD = 39  # cells per word: 3 ** 39 < 2 ** 63
Codes = NDArray[np.int64]  # (positions, words)


@dataclass(frozen=True, eq=False)
class Geometry(Struct):
    """The game, and each cell's digit in the code of each of its symmetric images."""

    game: Game
    powers: NDArray[np.int64]  # (cells, images): the power of 3 of each cell in an image's code
    words: NDArray[np.int64]  # (cells, images): the word that holds it
    blank: NDArray[np.int64]  # (words, images): the codes of the empty board


@inner
def _image_codes(
    board: NDArray[np.int8], side: int, about: Geometry, codes: NDArray[np.int64]
) -> None:
    """Write the codes (words, images) of the images of a board (cells,), as seen by `side`."""
    for word in range(len(codes)):
        for image in range(codes.shape[1]):
            codes[word, image] = about.blank[word, image]
    for cell in range(board.size):
        if board[cell] != 0:
            stone = side * board[cell]
            for image in range(codes.shape[1]):
                word = 0 if len(codes) == 1 else about.words[cell, image]
                codes[word, image] += stone * about.powers[cell, image]


@inner
def _write_first(
    codes: NDArray[np.int64], cell: int, stone: int, about: Geometry, to: NDArray[np.int64]
) -> None:
    """Write the first of the codes (words, images), with a stone put on `cell`, to `to` (words,).

    The stone is 1 or -1 on an empty cell, or 0 for none; `codes` is left as it was.
    """
    if len(codes) == 1:  # without branches, which cost as much as all the rest
        first = codes[0, 0] + stone * about.powers[cell, 0]
        for image in range(1, codes.shape[1]):
            first = min(first, codes[0, image] + stone * about.powers[cell, image])
        to[0] = first
        return
    for image in range(codes.shape[1]):
        smaller = image == 0
        for word in range(len(codes)):
            code = codes[word, image]
            if about.words[cell, image] == word:
                code += stone * about.powers[cell, image]
            if not smaller and code > to[word]:
                break
            if smaller or code < to[word]:
                smaller = True
                to[word] = code


@compiled
def encode(boards: Boards, about: Geometry) -> Codes:
    """Return the codes (positions, words) of boards (positions, cells), minimal over images."""
    images = np.empty(about.blank.shape, np.int64)
    codes = np.empty((len(boards), len(about.blank)), np.int64)
    for i in range(len(boards)):
        _image_codes(boards[i], 1, about, images)
        _write_first(images, 0, 0, about, codes[i])
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
    """Mark the boards where `side` (1 or -1) can complete a line with at most `most` stones.

    Args:
        boards: (batch, cells).
        side: 1 for the side to move, -1 for the other.
        lines: the cells (lines, k) of all lines.
        most: the stones that the side may still place.
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


class Moves(NamedTuple):
    """All moves from a batch of positions, in the order of positions and cells."""

    origin: NDArray[np.int64]  # (moves,): the position before
    cell: NDArray[np.int64]  # (moves,)
    end: Outcomes  # (moves,): for the side that moves
    codes: Codes  # (moves that go on, words): the positions after, seen by the other side


@compiled
def play_all(boards: Boards, allowed: Mask, about: Geometry, moves: Moves) -> int:
    """Write all `allowed` moves (positions, cells); return the number of codes written."""
    images = np.empty(about.blank.shape, np.int64)
    game, origin, cells, end, codes = about.game, moves.origin, moves.cell, moves.end, moves.codes
    row, count = 0, 0
    for i in range(len(boards)):
        board, empty = boards[i].copy(), 0
        for cell in range(board.size):
            empty += board[cell] == 0
        _image_codes(board, -1, about, images)
        for cell in range(board.size):
            if not allowed[i, cell]:
                continue
            board[cell] = 1
            origin[row], cells[row] = i, cell
            end[row] = outcome(completes(board, cell, game), empty == 1, game)
            if end[row] == GOING:
                _write_first(images, cell, -1, about, codes[count])
                count += 1
            board[cell] = 0
            row += 1
    return count
