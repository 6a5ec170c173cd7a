"""Perfect play, looked up in the solved game or searched for."""

from typing import Literal

from tttenv.exact import Tabulated
from tttenv.exact.solution import solve
from tttenv.game.rules import Rules
from tttenv.opponents.minimax_search import MinimaxSearch


def minimax(
    rules: Rules,
    ties: Literal["uniform", "first", "fastest"] = "uniform",
    search: Literal["table", "plain", "cached", "symmetric"] = "table",
) -> Tabulated | MinimaxSearch:
    """A player that never gives away value.

    Args:
        rules: a game small enough to solve: up to 16 cells, 15 for the searches.
        ties: among the value-optimal moves, "uniform" mixes evenly, "first" takes the first row by
            row, "fastest" mixes evenly among those that win soonest or lose latest.
        search: "table" looks moves up in the solved game; the others walk the tree of games:
            "plain" without a cache, "cached" with one, "symmetric" with one entry for all mirror
            images of a position.

    Raises:
        ValueError: if the game is too large for it.
    """
    if search != "table":
        return MinimaxSearch(rules, search, ties)
    solution = solve(rules)
    moves = solution.fastest if ties == "fastest" else solution.optimal
    if ties == "first":
        moves = moves & (moves.cumsum(axis=1) == 1)
    return Tabulated.mixing(rules, moves)
