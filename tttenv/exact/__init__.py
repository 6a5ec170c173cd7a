"""Exact results: all positions of a small game, the solved game, any two players' results."""

from tttenv.exact.enumeration import (
    Positions,
    enumerable,
    positions,
    require_enumerable,
    require_solvable,
    solvable,
)
from tttenv.exact.evaluation import (
    SEATS,
    Chooser,
    Follower,
    Score,
    best_response,
    follow,
    score,
    sweep,
    worst_case,
)
from tttenv.exact.solution import Solution, solve
from tttenv.exact.tabular import Mixture, Tabulated, tabulate

__all__ = [
    "SEATS",
    "Chooser",
    "Follower",
    "Mixture",
    "Positions",
    "Score",
    "Solution",
    "Tabulated",
    "best_response",
    "enumerable",
    "follow",
    "positions",
    "require_enumerable",
    "require_solvable",
    "score",
    "solvable",
    "solve",
    "sweep",
    "tabulate",
    "worst_case",
]
