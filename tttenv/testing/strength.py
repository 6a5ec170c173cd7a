"""A player's strength, as the few exact numbers that the checks need."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tttenv.exact import (
    SEATS,
    PlayPolicy,
    Tabulated,
    backward_induction,
    best_response,
    positions,
    score,
    solve,
    tabulate,
    worst_case,
)
from tttenv.game.rules import Rules
from tttenv.game.types import Mask, Probs
from tttenv.policy import Policy, uniform

LARGE = "exact results need a board small enough to enumerate"


@dataclass(frozen=True)
class Strength:
    """A player's exact strength in one seat.

    Fields named "optimal" count positions where a mistake is possible. The fractions above chance
    are 0 for random moves, 1 for optimal ones, and None without positions.
    """

    gain: float  # progress from random play (0) to a best response to it (1)
    optimal: float  # mean probability of optimal moves; 1 if no move is a mistake
    optimal_by_chance: float  # the same of random moves
    wins: float  # how often it plays an available winning move
    wins_by_chance: float  # the same of random moves
    beatable: bool  # whether some opponent gets more than the value of the game


def strength(rules: Rules, player: Tabulated) -> tuple[Strength, ...]:
    """Measure a player's strength as X and as O."""
    game, solution = positions(rules), solve(rules)
    legal: Mask = game.successors >= 0
    critical = (legal & ~solution.optimal).any(axis=1)
    wins: Mask = legal & game.lost[game.successors]
    winnable = wins.any(axis=1) & ~game.over
    chances = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
    kept, kept_by_chance = ((t * solution.optimal).sum(axis=1) for t in (player.table, chances))
    won, won_by_chance = ((t * wins).sum(axis=1) for t in (player.table, chances))
    worst, values = worst_case(rules, player), {"X": solution.value, "O": -solution.value}
    found = []
    for seat, (name, gain) in enumerate(zip(SEATS, gains(rules, player), strict=True)):
        own, taken = critical & (game.seats == seat), winnable & (game.seats == seat)
        found.append(
            Strength(
                gain=gain,
                optimal=_mean(kept, own),
                optimal_by_chance=_mean(kept_by_chance, own),
                wins=_mean(won, taken),
                wins_by_chance=_mean(won_by_chance, taken),
                beatable=worst[name] < values[name] - 1e-9,
            )
        )
    return tuple(found)


def _mean(shares: Probs, rows: Mask) -> float:
    return float(shares[rows].mean()) if rows.any() else 1.0


def gains(rules: Rules, policy: Policy) -> tuple[float, float]:
    """Return the progress from random play (0) to a best response to it (1), as X and as O."""
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


def optimal(rules: Rules, policy: Policy) -> list[float]:
    """Return the mean probability on optimal moves where a mistake is possible, as X and as O.

    It is 1 in a seat that cannot make a mistake.
    """
    game, solution = positions(rules), solve(rules)
    share = (tabulate(rules, policy).table * solution.optimal).sum(axis=1)
    critical = ((game.successors >= 0) & ~solution.optimal).any(axis=1)
    return [_mean(share, critical & (game.seats == seat)) for seat in (0, 1)]
