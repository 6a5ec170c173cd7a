"""One game in plain Python, over the table that batches walk in compiled code.

For a batch of one, calling compiled code takes longer than the walk itself.
"""

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Tabulated
from tttenv.game.rules import Rules
from tttenv.kernels.outcomes import GOING, ILLEGAL, SEEN_BY_OTHER
from tttenv.policy import Policy, uniform
from tttenv.simulator.table_backend import TableBackend


class SingleGame:
    """Plays the only game of a batch, whose arrays stay the one place where it is kept."""

    def __init__(self, games: TableBackend) -> None:
        known = games.tables
        self.games, self.planes, self.masks = games, known.planes, known.masks
        self.successors: list[list[int]] = known.game.successors.tolist()
        self.standing: list[int] = known.standing.tolist()  # for the side to move
        self.made: list[int] = SEEN_BY_OTHER[known.standing].tolist()  # for the other side
        self.playable: list[list[int]] = known.playable.tolist()
        self.many: list[int] = known.many.tolist()

    def step(self, cell: int, opponent: Policy | None, rng: np.random.Generator) -> bool:
        """Play the agent's cell and the reply of one it `supports`; does the game go on?"""
        games = self.games
        after = self.successors[games.at.item()][cell]
        if after < 0:  # taken: lost, and the board stays
            return self._end(ILLEGAL, False)
        games.at[0] = after
        if self.standing[after] != GOING:
            return self._end(self.made[after], opponent is not None)
        if opponent is not None:
            reply = self._answer(after, opponent, rng.random())
            games.at[0] = after = self.successors[after][reply]
            if self.standing[after] != GOING:
                return self._end(self.standing[after], False)
        return True

    def random_cell(self, die: float) -> int:
        """The legal cell that the die falls on."""
        at = self.games.at.item()
        return self.playable[at][int(die * self.many[at])]

    def reset(self, seat: str, opponent: Policy | None, rng: np.random.Generator) -> None:
        """Begin the game anew; where the agent is O, the opponent has opened."""
        games, at = self.games, 0
        if opponent is not None and seat != "X" and (seat == "O" or rng.random() >= 0.5):
            at = self.successors[0][self._answer(0, opponent, rng.random())]
        games.at[0], games.over[0], games.turned[0] = at, False, False
        games.outcomes[0] = GOING

    def observe(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """The planes (3 * cells,) and the mask (cells,) in the agent's view, new arrays."""
        at, games = self.games.at.item(), self.games
        planes, mask = self.planes[at].copy(), self.masks[at].copy()
        if games.over.item():
            mask[:] = 0
            if games.turned.item():
                mine, theirs, empty = planes.reshape(3, -1)
                planes = np.concatenate((theirs, mine, empty))
        return planes, mask

    def _end(self, outcome: int, turned: bool) -> bool:
        games = self.games
        games.outcomes[0], games.over[0], games.turned[0] = outcome, True, turned
        return False

    def _answer(self, at: int, opponent: Policy, die: float) -> int:
        """The opponent's cell, as `table_step.fall` finds it."""
        if isinstance(opponent, Tabulated):
            row, end = opponent.rows[at]
            return min(bisect_right(row, die * row[end]), end)
        return self.playable[at][int(die * self.many[at])]


def supports(opponent: Policy | None, rules: Rules) -> bool:
    """Whether `SingleGame` can play against this opponent; a table must be of the same rules."""
    if isinstance(opponent, Tabulated):
        return opponent.rules == rules
    return opponent is None or opponent is uniform
