"""Rewards, values and probabilities of outcomes, defined only here."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import Outcome, Outcomes
from tttenv.utils.arrays import described

RESULTS = ("win", "draw", "loss")  # the columns of odds
ODDS = np.zeros((len(Outcome), 3))  # by outcome: win, draw, loss
ODDS[[Outcome.WIN, Outcome.DRAW, Outcome.LOSS, Outcome.ILLEGAL], [0, 1, 2, 2]] = 1
VALUES = (ODDS[:, 0] - ODDS[:, 2]).astype(np.int8)  # by outcome: 1 a win, -1 a loss, else 0


class Payoffs:
    """Reward of each outcome: 1 for a win, `draw` for a draw, -1 for a loss or an illegal move.

    By the outcome's number they are in `table` (5,) and in the list `each`.
    """

    def __init__(self, draw: float = 0.0) -> None:
        number = isinstance(draw, int | float | np.integer | np.floating)
        if not number or isinstance(draw, bool) or not -1 <= draw <= 1:
            raise ValueError(
                f"draw, the reward for a draw, must be from -1 to 1, not {described(draw)}"
            )
        self.draw = float(draw) + 0.0  # no negative zero
        self.table = ODDS @ (1.0, self.draw, -1.0) + 0.0
        self.each: list[float] = self.table.tolist()

    def many(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """Return the rewards (games,) for outcomes (games,)."""
        return self.table[outcomes]
