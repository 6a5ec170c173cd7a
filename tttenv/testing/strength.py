"""A player's strength, in the few exact numbers that its checks need."""

from functools import cache

import numpy as np

from tttenv.certificates.refutation import refute
from tttenv.exact import (
    PlayPolicy,
    Positions,
    backward_induction,
    best_response,
    positions,
    score,
    solve,
    tabulate,
)
from tttenv.game.rules import Rules
from tttenv.policy import Policy, uniform

LARGE = "exact results need a board small enough to enumerate"
SEARCHED = 500  # positions searched for a lost game in each seat


def gains(rules: Rules, policy: Policy) -> tuple[float, float]:
    """Return its progress from random play (0) to a best response to it (1), as X and as O."""
    player = tabulate(rules, policy)
    low = score(rules, uniform, uniform).value
    high_x, high_o = _best(rules)
    as_x, as_o = score(rules, player, uniform).value, -score(rules, uniform, player).value
    return (as_x - low) / max(high_x - low, 1e-9), (as_o + low) / max(high_o + low, 1e-9)


@cache
def _best(rules: Rules) -> tuple[float, float]:
    """Return the value of a best response to random play, as X and as O."""
    as_x = backward_induction(rules, best_response, PlayPolicy(uniform))[0][0]
    as_o = backward_induction(rules, PlayPolicy(uniform), best_response)[0][0]
    return float(as_x[0] - as_x[2]), float(as_o[2] - as_o[0])


def wins_taken(rules: Rules, policy: Policy, seat: int) -> tuple[float, float]:
    """Return how often it plays an available winning move, and how often random play would."""
    game = positions(rules)
    wins = (game.successors >= 0) & game.lost[game.successors]
    rows = np.flatnonzero(wins.any(axis=1) & (game.seats == seat) & ~game.over)
    if not rows.size:
        return 1.0, 1.0
    taken = (tabulate(rules, policy).table * wins)[rows].sum(axis=1).mean()
    chance = (wins.sum(axis=1) / np.maximum((game.successors >= 0).sum(axis=1), 1))[rows].mean()
    return float(taken), float(chance)


def optimal(rules: Rules, policy: Policy) -> list[float]:
    """Return the mean probability on optimal moves where a mistake is possible, as X and as O.

    It is 1 in a seat that cannot make a mistake.
    """
    game, solution = positions(rules), solve(rules)
    share = (tabulate(rules, policy).table * solution.optimal).sum(axis=1)
    critical = _critical(game, solution.optimal)
    shares = [share[critical & (game.seats == seat)] for seat in (0, 1)]
    return [float(found.mean()) if found.size else 1.0 for found in shares]


def _critical(game: Positions, best: np.ndarray) -> np.ndarray:
    return np.asarray(((game.successors >= 0) & ~best).any(axis=1))


def lost_game(rules: Rules, policy: Policy, seat: str) -> list[int] | None:
    """Return the cells of a game lost in a seat; None if a short search finds none.

    Raises:
        ValueError: if its output on a board changes between queries.
    """
    return refute(rules, policy, seat, SEARCHED)
