"""Players that choose moves by their exact value against the opponent's play."""

from collections.abc import Callable

import numpy as np

from tttenv import Rules
from tttenv.exact import Tabulated, backward_induction, follow, positions, solve
from tttenv.game.types import Boards, Odds, Probs
from tttenv.policy import greedy, uniform

RULES = Rules()
ActionRule = Callable[[Boards, Odds], Probs]


def keeping_value(sign: int) -> ActionRule:
    """Return a rule that keeps the value, with the highest (1) or lowest (-1) winning odds."""
    optimal = solve(RULES).optimal

    def choose(boards: Boards, odds: Odds) -> Probs:
        return greedy(sign * odds[..., 0], optimal[positions(RULES).index(boards)], 1e-12)

    return choose


def best_against_random(draw: float) -> Tabulated:
    """Return the player with the highest expected reward (1, `draw`, -1) against random."""
    table = np.zeros(positions(RULES).boards.shape)

    def choose(boards: Boards, odds: Odds) -> Probs:
        probs = greedy(odds @ np.array([1, draw, -1]), boards == 0, 1e-12)
        table[positions(RULES).index(boards)] = probs
        return probs

    backward_induction(RULES, choose, follow(uniform))
    backward_induction(RULES, follow(uniform), choose)
    return Tabulated(RULES, table)


def ends(first: ActionRule, second: ActionRule) -> list[float]:
    """Return the probabilities of a win, a draw and a loss for X."""
    return [float(part) for part in backward_induction(RULES, first, second)[0][0]]
