"""The value of a game, where it is known or can be proved in a few seconds."""

from functools import lru_cache

from tttenv.exact.prover import Prover
from tttenv.game.rules import Rules

WORK = 6_000_000  # cells looked at by the search, at most: its nodes times the board's cells
MEMORY = 2**28  # bytes of the search's tables


@lru_cache(maxsize=256)
def known_value(rules: Rules) -> int | None:
    """The value for X under perfect play: 1, 0 or -1; None where it is not found soon.

    The search has a limit of nodes instead of seconds, so that the answer is the same on every
    machine.
    """
    return Prover(rules, MEMORY).prove(nodes=WORK // rules.cells).value
