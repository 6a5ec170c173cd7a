"""Boards as numbers for learners: one-hot planes and line counts."""

import numpy as np
from numpy.typing import NDArray

from tttenv.rules import Rules
from tttenv.types import Boards


def one_hot(boards: Boards) -> NDArray[np.float32]:
    """Boards (..., cells) as flat planes (..., 3 * cells): mine, theirs, empty."""
    planes = np.concatenate([boards == 1, boards == -1, boards == 0], axis=-1)
    return planes.astype(np.float32)


def line_counts(rules: Rules, boards: Boards) -> NDArray[np.int64]:
    """How many lines hold j stones of one side and are otherwise empty.

    Args:
        rules: whose lines.
        boards: (..., cells).

    Returns:
        Counts (..., 2, k): [..., 0, j - 1] lines with j stones of mine, [..., 1, j - 1] of theirs.
    """
    stones = boards[..., rules.lines]
    mine, theirs = (stones == 1).sum(-1), (stones == -1).sum(-1)
    sides = [np.where(theirs == 0, mine, 0), np.where(mine == 0, theirs, 0)]
    counts = [[(side == j).sum(-1) for j in range(1, rules.k + 1)] for side in sides]
    return np.moveaxis(np.array(counts, np.int64), (0, 1), (-2, -1))
