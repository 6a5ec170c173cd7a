"""The rewards for the outcomes of a game; no other module chooses rewards."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import Outcome, Outcomes
from tttenv.utils.arrays import described


class Payoffs:
    """The rewards: 1 for a win, -1 for a loss or an illegal move, 0 while the game goes on.

    Args:
        draw: the reward for a draw, from -1 to 1.

    Attributes:
        table: the reward for each outcome, by its number, (5,).

    Raises:
        ValueError: if that is no number from -1 to 1.
    """

    def __init__(self, draw: float = 0.0) -> None:
        number = isinstance(draw, int | float | np.integer | np.floating)
        if not number or isinstance(draw, bool) or not -1 <= draw <= 1:
            raise ValueError(f"draw, what a draw pays, is from -1 to 1, not {described(draw)}")
        self.draw = float(draw) + 0.0  # no negative zero
        paid = {Outcome.WIN: 1.0, Outcome.DRAW: self.draw, Outcome.LOSS: -1.0}
        paid[Outcome.ILLEGAL] = paid[Outcome.LOSS]
        self.each = [paid.get(outcome, 0.0) for outcome in Outcome]
        self.table = np.array(self.each)

    def one(self, outcome: int) -> float:
        """Return the reward for one outcome."""
        return self.each[outcome]

    def many(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """Return the rewards (games,) for outcomes (games,)."""
        return self.table[outcomes]
