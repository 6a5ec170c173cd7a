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
    PlayPolicy,
    Score,
    backward_induction,
    best_response,
    score,
    worst_case,
)
from tttenv.exact.solution import Solution, solve
from tttenv.exact.tabular import Mixture, Tabulated, tabulate

__all__ = ["SEATS", "ActionRule", "Mixture", "PlayPolicy", "Positions", "Score", "Solution"]
__all__ += ["Tabulated", "backward_induction", "best_response", "enumerable", "positions"]
__all__ += ["require_enumerable", "require_solvable", "score", "solvable", "solve", "tabulate"]
__all__ += ["worst_case"]
