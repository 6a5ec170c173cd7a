"""Exact results of small games: all positions, perfect play, and matches of any two players."""

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
    ActionRule,
    Chooser,
    PlayPolicy,
    Score,
    backward_induction,
    best_response,
    follow,
    score,
    sweep,
    worst_case,
)
from tttenv.exact.solution import Solution, solve
from tttenv.exact.tabular import Mixture, Tabulated, tabulate

__all__ = ["SEATS", "ActionRule", "Chooser", "Mixture", "PlayPolicy", "Positions", "Score"]
__all__ += ["Solution", "Tabulated", "backward_induction", "best_response", "enumerable", "follow"]
__all__ += ["positions", "require_enumerable", "require_solvable", "score", "solvable", "solve"]
__all__ += ["sweep", "tabulate", "worst_case"]
