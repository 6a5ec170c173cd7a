"""A single game in plain Python, using the same transition table as compiled batches.

For a batch of one, calling compiled code takes longer than the work itself.
"""

from bisect import bisect_right
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env.games import TableGames, transition_table
from tttenv.exact import Tabulated
from tttenv.game.outcomes_kernel import GOING, ILLEGAL, SEEN_BY_OTHER
from tttenv.game.random_kernel import MIX_1, MIX_2, OPENING, REPLY, SEAT, STEP, UNIT
from tttenv.game.rules import Rules
from tttenv.policy import Player

INCREMENT, FACTOR_1, FACTOR_2, BITS = int(STEP), int(MIX_1), int(MIX_2), 2**64 - 1


@lru_cache(maxsize=8)
def lists(rules: Rules) -> tuple[list[Any], ...]:
    """Return a game's table as lists, which Python reads faster than arrays; cached.

    They are the successors, the outcomes for the side to move and for the other side, the legal
    cells and their number.
    """
    known = transition_table(rules)
    game, (moves, _, _) = known.positions, known.showing_boards
    seen = game.outcomes, SEEN_BY_OTHER[game.outcomes], *moves[1:]
    return tuple(array.tolist() for array in (game.successors, *seen))


class SingleGame:
    """A batch of one game against a compiled opponent, played in Python on the batch's arrays."""

    def __init__(self, games: TableGames) -> None:
        self.games, self.planes, self.masks = games, games.table.planes, games.table.masks
        found: tuple[Any, ...] = lists(games.rules)
        self.successors: list[list[int]] = found[0]
        self.outcomes, self.seen_by_other = found[1:3]
        self.legal: list[list[int]] = found[3]
        self.legal_count: list[int] = found[4]

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling: a copy shares the cached tables."""
        return SingleGame, (self.games,)

    def step(self, cell: int, opponent: Player | None, key: int) -> bool:
        """Play the agent's cell and the opponent's reply; return whether the game continues."""
        games = self.games
        after = self.successors[games.stored.item()][cell]
        if after < 0:  # occupied: lost, the board does not change
            return self._end(ILLEGAL, False)
        games.stored[0] = after
        if self.outcomes[after] != GOING:
            return self._end(self.seen_by_other[after], opponent is not None)
        if opponent is not None:
            reply = self._sample(after, opponent, _keyed(key, REPLY))
            games.stored[0] = after = self.successors[after][reply]
            if self.outcomes[after] != GOING:
                return self._end(self.outcomes[after], False)
        return True

    def sample(self, uniform: float) -> int:
        """Return the legal cell selected by a uniform random number in [0, 1)."""
        at: int = self.games.stored.item()
        return self.legal[at][int(uniform * self.legal_count[at])]

    def reset(self, seat: str, opponent: Player | None, key: int) -> None:
        """Restart the game; the opponent moves first if the agent is O."""
        games, at = self.games, 0
        if opponent is not None and seat != "X" and (seat == "O" or _keyed(key, SEAT) >= 0.5):
            at = self.successors[0][self._sample(0, opponent, _keyed(key, OPENING))]
        games.stored[0], games.over[0], games.flipped[0] = at, False, False
        games.outcomes[0] = GOING

    def observe(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return new arrays: the agent's planes (3 * cells,) and action mask (cells,)."""
        at, games = self.games.stored.item(), self.games
        planes, mask = self.planes[at].copy(), self.masks[at].copy()
        if games.over.item():
            mask[:] = 0
            if games.flipped.item():
                mine, theirs, empty = planes.reshape(3, -1)
                planes = np.concatenate((theirs, mine, empty))
        return planes, mask

    def _end(self, outcome: int, flipped: bool) -> bool:
        games = self.games
        games.outcomes[0], games.over[0], games.flipped[0] = outcome, True, flipped
        return False

    def _sample(self, at: int, opponent: Player, uniform: float) -> int:
        """Sample the opponent's cell, as `table_games_kernel.sample` does."""
        if isinstance(opponent, Tabulated):
            row, end = opponent.rows[at]
            return min(bisect_right(row, uniform * row[end]), end)
        return self.legal[at][int(uniform * self.legal_count[at])]


def _keyed(key: int, use: int) -> float:
    """Compute `game.random_kernel.keyed` for game 0 in plain Python."""
    z = (key + (use + 1) * INCREMENT) & BITS
    z = ((z ^ (z >> 30)) * FACTOR_1) & BITS
    z = ((z ^ (z >> 27)) * FACTOR_2) & BITS
    return ((z ^ (z >> 31)) >> 11) * UNIT
