"""How a game can end for an agent, and what that pays: the one place where rewards are made."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tttenv.arrays import described
from tttenv.kernels import outcomes as numbers
from tttenv.kernels.outcomes import Outcomes, pay


class Outcome(IntEnum):
    """How a game stands for an agent; the numbers that `info["outcome"]` holds, as int8."""

    GOING = numbers.GOING
    WIN = numbers.WIN
    DRAW = numbers.DRAW
    LOSS = numbers.LOSS
    ILLEGAL = numbers.ILLEGAL  # the agent chose a taken cell, which ended the game


class Payoffs:
    """What outcomes pay: 1 a win, -1 a loss and an illegal move, 0 a game that goes on.

    Args:
        draw: what a draw pays.

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
        """The reward for one outcome."""
        return self.each[outcome]

    def many(
        self, outcomes: Outcomes, rewards: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """The rewards for outcomes (games,), written into `rewards` (games,) if that is given."""
        rewards = np.empty(len(outcomes)) if rewards is None else rewards
        pay(outcomes, self.table, rewards)
        return rewards
