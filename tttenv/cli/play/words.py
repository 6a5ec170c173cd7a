"""Wording of values and distances, shared by the terminal, the window and analyses.

A distance counts the winner's remaining stones, starting before the move: a move that completes a
line is a "win in 1". It is 0 or None for a draw or where it is unknown.
"""

from tttenv.game.rewards import RESULTS

RESULT = dict(zip((1, 0, -1), RESULTS, strict=True))  # by value
SIGNS = {1: "+", 0: "=", -1: "-"}
VERBS = {1: ("wins", "win"), 0: ("draws", "draw"), -1: ("loses", "lose")}  # singular, plural
UNDECIDED = "?"  # marks a move of unknown value
GLYPH = "??"  # marks a blunder
DISTANCE = "in 2: the winner needs 2 more stones"
LEGEND = "+2 win in 2, -2 loss in 2, in stones of the winner; = draw"
LEGEND_UNDECIDED = "+ win; - loss; = draw; ? not decided by a short search"
NOTHING_DECIDED = "exact: no move is decided by a short search"


def distance(stones: int | None) -> str:
    """Describe a distance as the end of a phrase."""
    return f" in {stones}" if stones else ""


def verdict(value: int, stones: int | None) -> str:
    """Describe a move's value: "win in 2", "loss in 1", "draw", or "win" without a distance."""
    return RESULT[value] + distance(stones)
