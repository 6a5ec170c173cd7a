"""A player that now and then forgets itself: with probability epsilon it moves at random."""

from tttenv.game.rules import Rules
from tttenv.opponents import player as named
from tttenv.policy import Policy, blend, uniform
from tttenv.registry import Spec

MINIMAX = Spec("minimax")


def epsilon(rules: Rules, player: Spec = MINIMAX, epsilon: float = 0.1) -> Policy:
    """Another player that moves at random with probability `epsilon`.

    Args:
        rules: the game.
        player: the spec of the other player; in parentheses if it has options of its own.
        epsilon: from 0, the other player itself, to 1, the random one.

    Raises:
        ValueError: for an unknown player or an epsilon outside 0 to 1.
    """
    return blend(named(player, rules), uniform, epsilon)
