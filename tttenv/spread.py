"""Numbers for cells turned into move probabilities: evenly, greedily, by softmax or by share."""

import numpy as np
from numpy.typing import ArrayLike

from tttenv.kernels.types import Mask, Probs


def over(allowed: Mask) -> Probs:
    """Probabilities spread evenly over the allowed cells (batch, cells), at least one a row."""
    with np.errstate(invalid="ignore"):  # a row without one is NaN, which `validated` refuses
        probs: Probs = allowed / allowed.sum(axis=-1, keepdims=True)
    return probs


def greedy(values: ArrayLike, legal: Mask, tolerance: float = 0.0) -> Probs:
    """Spread evenly over the legal cells whose value is within `tolerance` of the best.

    Args:
        values: (batch, cells), the higher the better; those of other cells are ignored.
        legal: (batch, cells), at least one a row.
        tolerance: values this near the best count as ties.
    """
    seen = np.where(legal, np.asarray(values, np.float64), -np.inf)
    return over(legal & (seen >= seen.max(axis=-1, keepdims=True) - tolerance))


def softmax(logits: ArrayLike, legal: Mask) -> Probs:
    """The softmax of `logits` (batch, cells) over the legal cells, one finite a row."""
    seen = np.where(legal, np.asarray(logits, np.float64), -np.inf)
    weights = np.exp(seen - seen.max(axis=-1, keepdims=True))
    probs: Probs = weights / weights.sum(axis=-1, keepdims=True)
    return probs


def restricted(probs: ArrayLike, legal: Mask) -> Probs:
    """The legal part of `probs` (batch, cells), each row divided by its sum; even where that is 0.

    Args:
        probs: not negative; those of other cells are ignored.
        legal: (batch, cells), at least one a row.
    """
    kept = np.where(legal, np.asarray(probs, np.float64), 0.0)
    sums = kept.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, kept / np.where(sums > 0, sums, 1.0), over(legal))
