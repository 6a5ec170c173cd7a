"""The one-ply player: win at once if possible, else block a win, else any move at random."""

import numpy as np

from tttenv.game.rules import Rules
from tttenv.kernels.rules import completing
from tttenv.kernels.types import Boards, Probs
from tttenv.policy import Policy, over


class Tactical:
    """The player that `tactical` makes."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def __call__(self, boards: Boards) -> Probs:
        """Move probabilities (batch, cells) for boards (batch, cells)."""
        boards, rules = np.ascontiguousarray(boards), self.rules
        allowed = boards == 0
        for side in (-1, 1):  # what wins comes last, so that it overrules what blocks
            good = completing(boards, side, rules.m, rules.n, rules.k)
            allowed = np.where(good.any(axis=1, keepdims=True), good, allowed)
        return over(allowed)


def tactical(rules: Rules) -> Policy:
    """Win at once, else block a win of the other side, else random; ties evenly."""
    return Tactical(rules)
