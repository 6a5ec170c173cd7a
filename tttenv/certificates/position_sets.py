"""Sets of positions as sorted arrays of codes; see `tttenv.certificates.reachability_kernel`."""

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates.reachability_kernel import Codes


def distinct(codes: Codes) -> Codes:
    """Return the distinct codes (rows, words), sorted."""
    if codes.shape[1] == 1:
        return np.unique(codes)[:, None]
    codes = codes[_order(codes)]
    return codes[_first_of_equals(codes)]


def with_sums(codes: Codes, chances: NDArray[np.float64]) -> tuple[Codes, NDArray[np.float64]]:
    """Return the distinct codes (rows, words), sorted, with summed probabilities (rows,)."""
    order = _order(codes)
    codes = codes[order]
    first = _first_of_equals(codes)
    sums: NDArray[np.float64] = np.add.reduceat(chances[order], np.flatnonzero(first))
    return codes[first], sums


def contains(codes: Codes, code: NDArray[np.int64]) -> bool:
    """Return whether a code (words,) is among sorted codes (positions, words)."""
    first, end = 0, len(codes)
    for word, value in enumerate(code):
        column = codes[first:end, word]
        end = first + int(np.searchsorted(column, value, "right"))
        first += int(np.searchsorted(column, value, "left"))
    return end > first


def _order(codes: Codes) -> NDArray[np.int64]:
    """Return the permutation that sorts codes (rows, words)."""
    if codes.shape[1] == 1:
        return np.argsort(codes[:, 0], kind="stable")
    return np.lexsort(codes.T[::-1])


def _first_of_equals(codes: Codes) -> NDArray[np.bool_]:
    """Mark the sorted codes (rows, words) that differ from the previous one, (rows,)."""
    first = np.ones(len(codes), np.bool_)
    first[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    return first
