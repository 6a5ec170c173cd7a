"""What a player is: a function from boards to move probabilities; and the common ways to make one.

Every policy is pure (same board, same probabilities, whatever the batch), legal and memoryless.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tttenv.answers import brief, numbers
from tttenv.kernels.random import pick
from tttenv.kernels.types import Boards, Cells, Probs
from tttenv.observed import from_observations
from tttenv.spread import greedy, over

__all__ = [
    "Policy",
    "blend",
    "from_observations",
    "greedy",
    "over",
    "sample",
    "uniform",
    "validated",
]

ROUNDING = 1e-14


class Policy(Protocol):
    """A player: (batch, cells) undecided boards to (batch, cells) move probabilities."""

    def __call__(self, boards: Boards, /) -> Probs:
        """Move probabilities, zero on taken cells, each row summing to one."""
        ...


def uniform(boards: Boards) -> Probs:
    """Every legal move alike: the random player."""
    return over(boards == 0)


def blend(first: Policy, second: Policy, weight: float) -> Policy:
    """The player that follows `second` with probability `weight` and `first` otherwise.

    Raises:
        ValueError: unless 0 <= weight <= 1.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"a probability lies between 0 and 1, not {weight}")

    return Blend(first, second, weight)


class Blend:
    """The player that `blend` makes.

    Attributes:
        impure: of a part, what makes it so: what depends on the clock goes on doing so; else None.
    """

    def __init__(self, first: Policy, second: Policy, weight: float) -> None:
        self.first, self.second, self.weight = first, second, weight
        self.impure = getattr(first, "impure", None) or getattr(second, "impure", None)

    def __call__(self, boards: Boards) -> Probs:
        """Move probabilities (batch, cells) for boards (batch, cells)."""
        return (1 - self.weight) * self.first(boards) + self.weight * self.second(boards)


def sample(probs: Probs, dice: NDArray[np.float64]) -> Cells:
    """The cell each die falls on when the probabilities are laid row by row along [0, 1).

    Args:
        probs: (batch, cells).
        dice: (batch,), each uniform in [0, 1).

    Returns:
        Cells (batch,): the first whose cumulative probability exceeds the die.
    """
    return pick(np.ascontiguousarray(probs), np.ascontiguousarray(dice))


def validated(boards: Boards, probs: Any) -> Probs:
    """A policy's answer for `boards` (batch, cells), each row divided by its sum.

    Args:
        boards: what was asked.
        probs: an array, a tensor or lists of real numbers.

    Raises:
        ValueError: for a wrong type or shape, a negative or missing number, probability on a
            taken cell, or a row whose sum is off one by more than 1e-4.
    """
    answer = numbers(probs)
    if answer.shape != boards.shape:
        raise ValueError(f"a policy answers {boards.shape} probabilities, not {answer.shape}")
    with np.errstate(over="ignore", invalid="ignore"):  # such sums are refused below
        sums = answer.sum(axis=-1)
    bad = np.flatnonzero(~(np.abs(sums - 1) <= 1e-4))
    if bad.size:
        raise ValueError(_complaint("probabilities sum to one", boards, answer, bad[0]))
    bad = np.flatnonzero((answer < 0).any(axis=-1))
    if bad.size:
        raise ValueError(_complaint("probabilities are not negative", boards, answer, bad[0]))
    bad = np.flatnonzero(((answer != 0) & (boards != 0)).any(axis=-1))
    if bad.size:
        raise ValueError(_complaint("a taken cell has probability zero", boards, answer, bad[0]))
    off = np.abs(sums - 1) > ROUNDING  # a sum that is one but for rounding is left alone
    normal: Probs = answer / np.where(off, sums, 1.0)[..., None]
    return normal


def _complaint(law: str, boards: Boards, answer: Probs, row: int) -> str:
    return f"{law}: not so on the board {brief(boards[row])}, where it is {brief(answer[row])}"
