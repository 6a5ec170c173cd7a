"""Successive halving: train every setting briefly, and continue with only the best.

Jamieson and Talwalkar, Non-stochastic Best Arm Identification and Hyperparameter Optimization
(2016). Settings are compared by exact certificates, so the comparison involves no sampling noise.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

KEEP = 3  # one setting in this many continues, training this many times as long
ROUNDS = 3


def budgets(steps: int, every: int) -> list[int]:
    """Return the steps completed after each round, in multiples of the certificate interval."""
    parts = [steps / KEEP**left for left in range(ROUNDS - 1, -1, -1)]
    return [min(math.ceil(part / every) * every, steps) for part in parts]


def better(values: Mapping[int, Sequence[Mapping[str, Any]]]) -> list[int]:
    """Return the settings that continue, best first: one in `KEEP`, but at least one."""
    ranked = sorted(values, key=lambda one: strength(values[one]), reverse=True)
    return ranked[: max(1, math.ceil(len(ranked) / KEEP))]


def strength(values: Sequence[Mapping[str, Any]]) -> tuple[float, ...]:
    """Return the sort key of a setting, from exact results over its seeds; higher is better.

    First the fraction of runs that are unbeatable; then the means over seeds of the worst case,
    summed over both seats, and of the fraction of optimal moves; last, fewer steps to an unbeatable
    player. Undecided values count as lost.
    """
    if not values:
        return (-1.0, -2.0, 0.0, -math.inf)
    cards = [value["certificate"] or {} for value in values]
    reached = [value["unbeatable_at"] for value in values if value["unbeatable_at"]]
    return (
        len(reached) / len(values),
        fmean(
            sum(_or(card.get("worst_case", {}).get(seat), -1) for seat in "XO") for card in cards
        ),
        fmean(_or(card.get("optimal_moves", {}).get("all"), 0) for card in cards),
        -fmean(step for step, _ in reached) if reached else -math.inf,
    )


def _or(number: float | None, otherwise: float) -> float:
    return otherwise if number is None else number
