"""The random player: every legal move alike."""

from tttenv.policy import Policy, uniform
from tttenv.rules import Rules


def random(rules: Rules) -> Policy:
    """Every legal move alike."""
    return uniform
