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
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Cells
from tttenv.proofs import strategy_kernel as kernel
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.checker import checked
from tttenv.proofs.checking_kernel import IN_ZONE
from tttenv.utils.untrusted import shown

CHUNK = 2**16  # positions that are packed at a time


class Strategy:
    """The winning moves of a proof, which is verified first.

    Args:
        path: the file of the proof.
        rules: the game of the file, or one with the same k on a larger board.

    Raises:
        ValueError: if the file proves no win in this game; see `check_proof`.
    """

    def __init__(self, path: str | Path, rules: Rules) -> None:
        proof = checked(path, rules)
        if proof.wins is None:
            raise ValueError(f"{shown(path)} proves a draw, and no moves that win")
        self.rules, self.digest = rules, proof.digest
        count = int(proof.wins.filled[0])
        stones = proof.wins.boards[:count]
        own = _sets(stones, 1)
        order = np.lexsort((-proof.wins.ranks[:count], *own.T[::-1]))
        self.positions = kernel.Positions(
            maps(rules),
            own[order],
            _sets(stones, 2)[order],
            _sets(stones, IN_ZONE)[order],
            proof.wins.ranks[order],
            proof.wins.moves[order],
        )

    def moves(self, boards: Boards) -> Cells:
        """Return a winning move of each undecided board (batch, cells), -1 where none is known."""
        moves = np.empty(len(boards), np.int64)
        own, others = np.empty((2, sets.words(self.rules.cells)), np.uint64)
        kernel.winning_moves(self.positions, np.ascontiguousarray(boards), own, others, moves)
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


def _sets(cells: NDArray[Any], value: int) -> NDArray[np.uint64]:
    """Return the sets (rows, words) of the cells with a value in each row (rows, cells)."""
    found = np.zeros((len(cells), 8 * sets.words(cells.shape[1])), np.uint8)
    for first in range(0, len(cells), CHUNK):
        packed = np.packbits(cells[first : first + CHUNK] == value, axis=1, bitorder="little")
        found[first : first + CHUNK, : packed.shape[1]] = packed
    return found.view("<u8").astype(np.uint64, copy=False)
