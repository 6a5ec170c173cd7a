"""Sides that pick their moves by what these are worth against the other's play."""

from collections.abc import Callable

import numpy as np

from tttenv import Rules
from tttenv.exact import Tabulated, backward_induction, follow, positions, solve
from tttenv.game.types import Boards, Odds, Probs
from tttenv.policy import greedy, uniform

RULES = Rules()
ActionRule = Callable[[Boards, Odds], Probs]


def keeping_value(sign: int) -> ActionRule:
    """The side that never gives away value, with the highest chance to win (1) or lowest (-1)."""
    optimal = solve(RULES).optimal

    def choose(boards: Boards, odds: Odds) -> Probs:
        return greedy(sign * odds[..., 0], optimal[positions(RULES).index(boards)], 1e-12)

    return choose


def best_against_random(draw: float) -> Tabulated:
    """The player with the highest expected pay against random moves: 1, `draw` or -1."""
    table = np.zeros(positions(RULES).boards.shape)

    def choose(boards: Boards, odds: Odds) -> Probs:
        probs = greedy(odds @ np.array([1, draw, -1]), boards == 0, 1e-12)
        table[positions(RULES).index(boards)] = probs
        return probs

    backward_induction(RULES, choose, follow(uniform))
    backward_induction(RULES, follow(uniform), choose)
    return Tabulated(RULES, table)


def ends(first: ActionRule, second: ActionRule) -> list[float]:
    """How games end for X: win, draw, loss."""
    return [float(part) for part in backward_induction(RULES, first, second)[0][0]]
