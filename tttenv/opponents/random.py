"""The random player: every legal move alike."""

from tttenv.game.rules import Rules
from tttenv.policy import Policy, uniform


def random(rules: Rules) -> Policy:
    """Every legal move alike."""
    return uniform
