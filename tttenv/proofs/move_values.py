"""Values of a position's moves: exact on small boards, bounds from proofs on larger ones."""

from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.enumeration import enumerable, positions
from tttenv.exact.solution import solve
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.symmetry import orbits
from tttenv.game.types import Boards
from tttenv.proofs.prover import Prover
from tttenv.utils.arrays import integers_from, read_only

WORK = 1_500_000  # nodes of the search times cells for one position, by default
MEMORY = 2**28  # bytes of the search's tables
CACHED = 1_024  # positions


class Bounds(NamedTuple):
    """Lower and upper bounds on the value (1, 0 or -1) of each move for the side to move.

    A move is decided if both are equal; occupied cells have the bounds -1 and 1. The arrays are
    read-only.
    """

    at_least: NDArray[np.int64]  # (cells,)
    at_most: NDArray[np.int64]  # (cells,)


class MoveValues:
    """Bounds on the values of moves in positions of one game.

    On boards small enough to enumerate, both bounds are the value in the solved game; on larger
    ones they are proved by searches that share one table. The limit is a number of nodes, so the
    same positions in the same order give the same bounds on every machine.
    """

    def __init__(self, rules: Rules, work: int = WORK) -> None:
        """Start with no known values.

        Args:
            rules: the game.
            work: the most nodes of the searches for a position, times the board's cells.

        Raises:
            ValueError: for work below 1.
        """
        integers_from(1, work=work)
        self.rules = rules
        # The cache does not refer to this object, so that the tables of proofs are freed with it,
        # and not only when a garbage collection finds the cycle.
        search = partial(_solved, rules) if enumerable(rules) else _Search(rules, work)
        self._found = lru_cache(CACHED)(search)

    def bounds(self, board: Boards) -> Bounds:
        """Return bounds on the value of every move on an undecided board (cells,)."""
        return read_only(self._found(board.astype(np.int8).tobytes()))


def _solved(rules: Rules, position: bytes) -> Bounds:
    """Return the values in the solved game."""
    board = np.frombuffer(position, np.int8)
    ranks = solve(rules).move_ranks[int(positions(rules).index(board))]
    values, legal = np.sign(ranks).astype(np.int64), board == 0
    return Bounds(np.where(legal, values, -1), np.where(legal, values, 1))


class _Search:
    """Proves bounds by searches that share one table."""

    def __init__(self, rules: Rules, work: int) -> None:
        self.rules, self.work = rules, work

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.rules, MEMORY)

    def __call__(self, position: bytes) -> Bounds:
        board = np.frombuffer(position, np.int8).copy()
        left = max(2, self.work // self.rules.cells)
        low, high, used = self._prove(board, left // 2)
        left -= used
        legal = np.flatnonzero(board == 0)
        after = np.array([self.rules.play(board, int(cell)) for cell in legal])
        lows, highs = np.full(len(legal), -1), np.full(len(legal), high)
        outcomes = self.rules.outcomes(after)
        over = outcomes != GOING
        lows[over] = highs[over] = -VALUES[outcomes[over]]
        # Images of one position have one value: only one of them is searched.
        images, which = orbits(self.rules, after)
        open_ones = [number for number in range(len(images)) if not over[which == number].any()]
        for done, number in enumerate(open_ones if high > -1 else []):
            share = max(1, left // (len(open_ones) - done))
            below, above, used = self._prove(images[number], share)
            left -= used
            lows[which == number] = -above
            highs[which == number] = min(-below, high)
        if low == 1 and (lows < 1).all():
            lows[legal == self._winning_move(board)] = 1
        # If one move alone can reach the position's value, it does.
        able = np.flatnonzero(highs >= low)
        if len(able) == 1:
            lows[able] = np.maximum(lows[able], low)
        at_least, at_most = (np.full(self.rules.cells, bound) for bound in (-1, 1))
        at_least[legal], at_most[legal] = lows, highs
        return Bounds(at_least, at_most)

    def _winning_move(self, board: Boards) -> int | None:
        """Return the first move of the proof that the side to move wins, None if it is lost."""
        attacker = "XO"[int(self.rules.seat(board))]
        try:
            return self.prover.recorded_win(board, attacker).numbers[0]
        except ValueError:  # an entry was replaced that cannot be found again
            return None

    def _prove(self, board: Boards, nodes: int) -> tuple[int, int, int]:
        """Return bounds on the value for the side to move, and the number of nodes searched."""
        proof = self.prover.prove(board, max(1, nodes))
        if int(self.rules.seat(board)) == 0:
            return proof.at_least, proof.at_most, proof.nodes
        return -proof.at_most, -proof.at_least, proof.nodes
