"""Perfect play, looked up in the solved game."""

from typing import Literal

from tttenv.exact import Tabulated
from tttenv.policy import Policy
from tttenv.rules import Rules
from tttenv.solution import solve


def minimax(rules: Rules, ties: Literal["uniform", "first", "fastest"] = "uniform") -> Policy:
    """A player that never gives away value.

    Args:
        rules: a game small enough to enumerate.
        ties: among the value-optimal moves, "uniform" mixes evenly, "first" takes the first row by
            row, "fastest" mixes evenly among those that win soonest or lose latest.

    Raises:
        ValueError: if the game is too large to enumerate.
    """
    solution = solve(rules)
    moves = solution.fastest if ties == "fastest" else solution.optimal
    if ties == "first":
        moves = moves & (moves.cumsum(axis=1) == 1)
    return Tabulated.mixing(rules, moves)
