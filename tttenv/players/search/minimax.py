"""Minimax player: perfect play from a table of the solved game or by search."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Tabulated
from tttenv.exact.enumeration import require_enumerable
from tttenv.exact.solution import solve
from tttenv.game import symmetry
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import ended
from tttenv.game.types import Boards, Mask, Probs, Stones
from tttenv.players.search.search_result import Found
from tttenv.policy import Player, Traits, uniform_over
from tttenv.utils.arrays import one_at_a_time

NOT_LEGAL = -1000  # rank of a move to a taken cell


class MinimaxSearch(Player):
    """A perfect player that searches the game tree instead of looking up the solved game.

    Moves are compared by their ranks, as in `tttenv.exact.solution`. The `cache` holds the ranks of
    the positions searched so far, by their bytes; see `minimax` for `search` and `ties`.
    """

    def __init__(self, rules: Rules, search: str, ties: str) -> None:
        require_enumerable(rules, "alphabeta, mcts and gumbel play on any board")
        super().__init__(rules, Traits(searches=True, alone=True))
        self.ties = ties
        self.cache: dict[bytes, int] = {}
        self._caches = search != "plain"
        self._maps = symmetry.maps(rules)[: None if search == "symmetric" else 1]
        self._nodes = 0

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        probs = [self.search(board).probs for board in boards]
        return np.array(probs, np.float64).reshape(boards.shape)

    @one_at_a_time
    def search(self, board: Boards) -> Found:
        """Search one undecided board (cells,), which counts as a node; others raise ValueError."""
        board = self.rules.check(board)
        self._nodes = 1
        ranks = np.full(board.size, NOT_LEGAL, np.int64)
        for cell in np.flatnonzero(board == 0).tolist():
            ranks[cell] = self._play(board, cell, 1)
        if self._caches:
            self.cache[self._key(board)] = int(ranks.max())
        probs = uniform_over(best_moves(ranks, self.ties))
        return Found(probs, float(np.sign(ranks.max())), self._nodes)

    def _play(self, board: Stones, cell: int, stone: int) -> int:
        """Return the rank of a move to `cell` by `stone`, for the side that makes it."""
        board[cell] = stone
        after = self._rank(board, cell, -stone)
        board[cell] = 0
        return (after > 0) - (after < 0) - after

    def _rank(self, board: Stones, last: int, mover: int) -> int:
        """Return a position's rank for `mover` (1 or -1), after the newest stone on `last`."""
        self._nodes += 1
        if not self._caches:
            return self._compute_rank(board, last, mover)
        key = self._key(board * mover)
        if key not in self.cache:
            self.cache[key] = self._compute_rank(board, last, mover)
        return self.cache[key]

    def _compute_rank(self, board: Stones, last: int, mover: int) -> int:
        """Search for a position's rank; arguments as in `_rank`."""
        result = ended(board, last, self.rules.game)
        if result != GOING:
            return -int(VALUES[result]) * (self.rules.cells + 1)
        empty = [cell for cell, stone in enumerate(board.tolist()) if stone == 0]
        return max(self._play(board, cell, mover) for cell in empty)

    def _key(self, board: Stones) -> bytes:
        """Return the cache key of a board, the same for all its images."""
        images: list[bytes] = [image.tobytes() for image in board[self._maps]]
        return min(images)


def best_moves(ranks: NDArray[np.int64], ties: str) -> Mask:
    """Return the moves that `minimax` plays.

    Args:
        ranks: of the moves (cells,), for the side that makes them.
        ties: "uniform", "first" or "fastest"; see `minimax`.

    Returns:
        A mask (cells,).
    """
    if ties == "fastest":
        fastest: Mask = ranks == ranks.max()
        return fastest
    best: Mask = (np.sign(ranks) == np.sign(ranks.max())) & (ranks != NOT_LEGAL)
    if ties == "first":
        best &= best.cumsum() == 1
    return best


def minimax(
    rules: Rules,
    ties: Literal["uniform", "first", "fastest"] = "uniform",
    search: Literal["table", "plain", "cached", "symmetric"] = "table",
) -> Tabulated | MinimaxSearch:
    """Return the perfect player, which plays only moves that keep the game's value.

    Args:
        rules: a game small enough to solve: up to 16 cells, 15 for the searches.
        ties: among the value-optimal moves, "uniform" mixes evenly, "first" takes the first row by
            row, "fastest" mixes evenly among those that win soonest or lose latest.
        search: "table" looks moves up in the solved game; the others search the game tree:
            "plain" without a cache, "cached" with one, "symmetric" with one entry for all images
            of a position.

    Raises:
        ValueError: for a larger game.
    """
    if search != "table":
        return MinimaxSearch(rules, search, ties)
    solution = solve(rules)
    moves = solution.fastest if ties == "fastest" else solution.optimal
    if ties == "first":
        moves = moves & (moves.cumsum(axis=1) == 1)
    return Tabulated.uniform_over(rules, moves)
