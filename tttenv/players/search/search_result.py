"""Results of searches, and validation of their limits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """The result of searching one board."""

    probs: NDArray[np.float64]  # (cells,): move probabilities
    value: float  # for the side to move: 1 a win, 0 a draw, -1 a loss; in between, an estimate
    nodes: int  # positions searched, or play-outs made


def uniform_on(cells: list[int], size: int) -> NDArray[np.float64]:
    """Return the uniform distribution (size,) over the given cells."""
    probs = np.zeros(size)
    probs[cells] = 1 / len(cells)
    return probs


def not_both(**limits: float | None) -> None:
    """Check that at most one of the limits, given by their names, is set.

    Raises:
        ValueError: if several are.
    """
    names = [name for name, value in limits.items() if value is not None]
    if len(names) > 1:
        raise ValueError(f"limit {' or '.join(names)}, not both")


def shorter(time: float | None, seconds: float | None) -> float | None:
    """Return a player's option `time`, or `seconds` if that is less; None without the option."""
    return time if time is None or seconds is None else min(time, seconds)
