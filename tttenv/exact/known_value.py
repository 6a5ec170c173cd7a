"""What a game is worth, where that is known without listing millions of positions."""

from tttenv.exact.enumeration import arrangements
from tttenv.exact.solution import solve
from tttenv.game.rules import Rules

CHEAP = 300_000  # arrangements: up to 12 cells, which take a second


def known_value(rules: Rules) -> int | None:
    """The game's value for X under perfect play, 1 or 0; None where it is not known.

    It is never -1: the second player wins no m,n,k-game by force, since the first could steal the
    strategy, and a stone more never harms.
    """
    return solve(rules).value if arrangements(rules) <= CHEAP else None
