"""The winner's moves in a proof, for every position that can arise when he plays them.

A proof of a win lists positions with the winner to move. Each has a move, a rank and a zone: a set
of empty cells that the win depends on. Such a position *covers* a board if, after one of the
board's symmetries, the winner has the same stones on both, and the other side has at most `rank`
stones on the board that it does not have in the position, all of them off the zone. It may lack
stones that it has in the position.

On a covered board the winner completes a line if he can, and else plays the position's move. Which
of several such positions covers the board makes no difference:

- The move is legal: it is a cell of the zone, where there are no stones.
- The other side cannot complete a line then. Where a position's rank is 0, it cannot even with all
  stones of the position; elsewhere the guards leave two cells of the zone empty on each line that
  it could complete with `rank` stones and one more.
- Whatever it plays, either the winner can complete a line, or the board is covered again. If he
  threatened to complete a line on one cell and the reply is there, the next position of the proof
  covers it. Otherwise the reply may be one that the proof answers, alone or in a group: the
  position after it covers the board. It may be a cell outside the zone of a pass: that pass has the
  next rank. Or it may be a stone that the position has already: then any pass or reply that the
  proof lists covers the board.

The last zone is not empty, so the board is not full, and the game ends with the winner's line.
So a player needs no more than the board: neither the game before it nor his place in the proof.

A large proof is divided into *parts*, one for a reply to the first move: before each of them, the
positions that were finished are forgotten. So each part is a proof by itself, which is read and
verified once it may cover a board: it has the reply and the winner's next move.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Cells, Mask
from tttenv.proofs import proof_file
from tttenv.proofs import strategy_kernel as kernel
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.checker import checked, places_of, verify
from tttenv.proofs.checking_kernel import IN_ZONE
from tttenv.proofs.proof_file import WINS, Claim
from tttenv.proofs.steps_kernel import FORGET
from tttenv.utils.untrusted import shown

CHUNK = 2**16  # positions that are packed at a time
LOADED = 8  # parts of a proof that are kept in memory


class Part(NamedTuple):
    """A part of a proof: a win after the winner's first move and a reply."""

    board: Boards  # (cells,), the winner to move
    reply: int  # a cell
    move: int  # the winner's next one
    numbers: NDArray[np.int16]  # of the proof, from there on


class Strategy:
    """The winning moves of a proof, which is verified first, or part by part as it is needed.

    Args:
        path: the file of the proof.
        rules: the game of the file, or one with the same k on a larger board.

    Raises:
        ValueError: if the file proves no win in this game; see `check_proof`.
    """

    def __init__(self, path: str | Path, rules: Rules) -> None:
        content = proof_file.read(Path(path))
        if content.value == 0:
            raise ValueError(f"{shown(path)} proves a draw, and no moves that win")
        ((self._winner, claim),) = content.claims.items()
        self.rules, self.digest, self._path = rules, content.digest, path
        self._places = places_of(content, rules, Path(path))
        self._board = rules.start()
        self._board[self._places] = content.board
        self._first, self._parts = self._divided(claim.numbers)
        self._positions = lru_cache(LOADED)(self._read)
        if not self._parts:
            self._positions(0)
        elif not np.any([self._may_cover(p, self._replies()) for p in self._parts], axis=0).all():
            raise self._wrong("is not divided by all replies to one move")

    def verify(self) -> None:
        """Verify all parts of the proof, and that they answer every reply to the first move.

        Raises:
            ValueError: if a part is wrong, or an answer missing.
        """
        if self._parts and (self.moves(self._replies()) < 0).any():
            raise self._wrong("does not answer every reply to the first move")

    def moves(self, boards: Boards) -> Cells:
        """Return a winning move of each undecided board (batch, cells), -1 where none is known.

        Raises:
            ValueError: if a part of the proof is wrong that may cover one of them.
        """
        moves = np.full(len(boards), -1)
        own, others = np.empty((2, sets.words(self.rules.cells)), np.uint64)
        for number, part in enumerate([None, *self._parts]):
            needed = moves < 0
            if part is not None:
                needed[needed] = self._may_cover(part, boards[needed])
            if needed.any():
                found = np.empty(needed.sum(), np.int64)
                kernel.winning_moves(self._positions(number), boards[needed], own, others, found)
                moves[needed] = found
        wins = self.rules.winning_cells(boards, 1)
        return np.where(wins.any(axis=1), wins.argmax(axis=1), moves)

    def line(self, board: Boards) -> list[int]:
        """Return the moves on a covered board (cells,) as long as each reply is forced."""
        move = int(self.moves(board[None])[0])
        after = self.rules.play(board, move)
        forced = np.flatnonzero(self.rules.winning_cells(after, -1)).tolist()
        if self.rules.over(after) or not forced:
            return [move]
        return [move, forced[0], *self.line(self.rules.play(after, forced[0]))]

    def _wrong(self, reason: str) -> ValueError:
        return ValueError(f"{shown(self._path)} {reason}")

    def _divided(self, numbers: NDArray[np.int16]) -> tuple[int, list[Part]]:
        """Return the winner's first move and the parts after it, which may be wrong."""
        marks = np.flatnonzero(numbers == FORGET)
        if not len(marks):
            return kernel.NONE, []
        padded = np.append(numbers, FORGET)
        cells = padded[np.concatenate([[0], marks - 1, marks + 1])]
        named = (cells >= 0) & (cells < self._places.size)
        if "XO"[int(self.rules.seat(self._board))] != self._winner or not named.all():
            raise self._wrong("is not divided by all replies to one move")
        first, *others = self._places[cells].tolist()
        replies, moves = others[: len(marks)], others[len(marks) :]
        parts = []
        for reply, move, rest in zip(replies, moves, np.split(numbers, marks)[1:], strict=True):
            board = self._board.copy()
            board[[first, reply]] = 1, -1
            parts.append(Part(board, reply, move, rest[1:]))
        return first, parts

    def _replies(self) -> Boards:
        """Return the boards (replies, cells) after all replies to the first move."""
        cells = np.setdiff1d(np.flatnonzero(self._board == 0), self._first)
        boards = np.repeat(self._board[None], len(cells), axis=0)
        boards[:, self._first] = 1
        boards[np.arange(len(cells)), cells] = -1
        return boards

    def _may_cover(self, part: Part, boards: Boards) -> Mask:
        """Return which boards (batch, cells) have a part's reply and moves, on some image."""
        before = part.board == 1
        few = (boards == 1).sum(axis=1) <= before.sum()
        found = np.zeros(len(boards), bool)
        for one in maps(self.rules):
            images = boards[:, one]
            ours = (images[:, before] == 1).all(axis=1) & (few | (images[:, part.move] == 1))
            found |= ours & (images[:, part.reply] == -1)
        return found

    def _read(self, number: int) -> kernel.Positions:
        """Return the positions of a part of the proof, from 1, or of what is not divided, 0."""
        if not self._parts:
            wins = checked(self._path, self.rules).wins
            assert wins is not None  # as it proves no draw
        elif number == 0:
            only, rank = self._board[None], np.zeros(1, np.int16)
            move = np.array([self._first], np.int16)
            sides = _sets(only, 1), _sets(only, -1), _sets(only, 0)
            return kernel.Positions(maps(self.rules), *sides, rank, move)
        else:
            part = self._parts[number - 1]
            claim = Claim(WINS, part.numbers, part.numbers.size)
            found = verify(self.rules, part.board, self._winner, claim, self._places)
            if not found.holds:
                raise self._wrong(f"proves nothing: part {number} is wrong")
            wins = found.finished
        count = int(wins.filled[0])
        stones = wins.boards[:count]
        own = _sets(stones, 1)
        order = np.lexsort((-wins.ranks[:count], *own.T[::-1]))
        return kernel.Positions(
            maps(self.rules),
            own[order],
            _sets(stones, 2)[order],
            _sets(stones, IN_ZONE)[order],
            wins.ranks[order],
            wins.moves[order],
        )


def _sets(cells: NDArray[Any], value: int) -> NDArray[np.uint64]:
    """Return the sets (rows, words) of the cells with a value in each row (rows, cells)."""
    found = np.zeros((len(cells), 8 * sets.words(cells.shape[1])), np.uint8)
    for first in range(0, len(cells), CHUNK):
        packed = np.packbits(cells[first : first + CHUNK] == value, axis=1, bitorder="little")
        found[first : first + CHUNK, : packed.shape[1]] = packed
    return found.view("<u8").astype(np.uint64, copy=False)
