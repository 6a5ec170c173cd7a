"""What every search player finds out about a board, and what limits they accept."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BOUNDLESS = 2.0**63  # no limit is as great as this


class Found(NamedTuple):
    """The answer of a search."""

    probs: NDArray[np.float64]  # (cells,): how it would move
    value: float  # for the side to move: 1 a win, 0 a draw, -1 a loss, between them a guess
    nodes: int  # positions looked at, or play-outs made


def uniform_on(cells: list[int], size: int) -> NDArray[np.float64]:
    """The uniform distribution (size,) over the cells numbered in `cells`."""
    probs = np.zeros(size)
    probs[cells] = 1 / len(cells)
    return probs


def at_least(least: float, **limits: float | None) -> None:
    """Let limits pass that are no less than `least`, or None for no limit.

    Raises:
        ValueError: naming the option, for one that is less, boundless or not a number.
    """
    for name, value in limits.items():
        if value is not None and not least <= value < BOUNDLESS:
            raise ValueError(f"{name} is at least {least:g} and below 2 ** 63, not {value}")


def not_both(**limits: float | None) -> None:
    """Let at most one of the limits be given.

    Raises:
        ValueError: if two contradict each other.
    """
    given = [name for name, value in limits.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"limit {' or '.join(given)}, not both")
