"""Solution of a game by backward induction: perfect play, fastest wins and slowest losses."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.enumeration import Positions, positions
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.types import Mask
from tttenv.utils.arrays import read_only


@dataclass(frozen=True)
class Solution:
    """Solved game, with the value of every position and move under perfect play.

    Ranks combine value and speed: in a game with c cells, a win in d plies has rank c + 1 - d, a
    draw 0 and a loss in d plies -(c + 1 - d). All arrays are read-only.
    """

    positions: Positions
    ranks: NDArray[np.int16]  # (positions,), for the side to move

    def __post_init__(self) -> None:
        read_only(self.ranks)

    @property
    def value(self) -> int:
        """Game value for X: 1, 0 or -1."""
        return int(np.sign(self.ranks[0]))

    @cached_property
    def values(self) -> NDArray[np.int8]:
        """Value (positions,) of every position for the side to move: 1, 0 or -1."""
        return read_only(np.sign(self.ranks).astype(np.int8))

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """Plies (positions,) to the end of the game, with the fastest wins and slowest losses."""
        cells = self.positions.rules.cells
        stones = np.count_nonzero(self.positions.boards, axis=1)
        ends = np.where(self.ranks == 0, cells - stones, cells + 1 - np.abs(self.ranks))
        return read_only(ends.astype(np.int16))

    @cached_property
    def move_ranks(self) -> NDArray[np.int16]:
        """Rank (positions, cells) of every move for its side; on illegal cells below all ranks."""
        game = self.positions
        found = np.empty(game.successors.shape, np.int16)
        for rows in game.blocks():
            after = self.ranks[game.successors[rows]]
            ranks, lowest = -after + np.sign(after), -(game.rules.cells + 2)
            found[rows] = np.where(game.successors[rows] >= 0, ranks, lowest)
        return read_only(found)

    @cached_property
    def optimal(self) -> Mask:
        """Mask (positions, cells) of the moves that keep the value of the position."""
        game, kept = self.positions, np.empty(self.positions.successors.shape, np.bool_)
        for rows in game.blocks():
            after = game.successors[rows]
            kept[rows] = (after >= 0) & (-self.values[after] == self.values[rows, None])
        return read_only(kept)

    @cached_property
    def fastest(self) -> Mask:
        """Mask (positions, cells) of the optimal moves that win soonest or lose latest."""
        legal = self.positions.successors >= 0
        return read_only(legal & (self.move_ranks == self.move_ranks.max(axis=1, keepdims=True)))


@lru_cache(maxsize=8)
def solve(rules: Rules) -> Solution:
    """Solve a game of up to 16 cells by backward induction; cached.

    Raises:
        ValueError: if the game is larger.
    """
    game = positions(rules)
    ranks = VALUES[game.outcomes] * np.int16(rules.cells + 1)
    for stones in reversed(range(len(game.plies) - 1)):
        for rows in game.blocks(game.ply(stones)):
            active = rows.start + np.flatnonzero(~game.over[rows])
            after = game.successors[active]
            moves = np.where(after >= 0, -ranks[after], np.iinfo(np.int16).min)
            best = moves.max(axis=1)
            ranks[active] = best - np.sign(best)
    return Solution(game, ranks)
