"""Conversion of a solver's floating-point results to integers and fractions."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray


def whole(weights: Sequence[float] | NDArray[np.float64]) -> list[int]:
    """Return the smallest integers in the proportions of weights that are nearly fractions."""
    parts = [Fraction(float(weight)).limit_denominator(1000) for weight in weights]
    scale = lcm(*(part.denominator for part in parts))
    return [int(part * scale) for part in parts]


def solve(matrix: NDArray[np.int64], goal: NDArray[np.int64]) -> list[Fraction] | None:
    """Solve matrix (rows, columns) times x = goal (rows,) exactly; None if not unique."""
    rows = [[Fraction(int(n)) for n in (*row, end)] for row, end in zip(matrix, goal, strict=True)]
    columns = matrix.shape[1]
    for column in range(columns):
        pivot = next((row for row in rows[column:] if row[column]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        pivot = [number / pivot[column] for number in pivot]
        rows = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        rows.insert(column, pivot)
    if any(row[-1] for row in rows[columns:]):
        return None
    return [row[-1] for row in rows[:columns]]
