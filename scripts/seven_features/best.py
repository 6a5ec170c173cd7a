"""Search by hill climbing for the best weights of the seven features, by exact results."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scripts.seven_features.features import RULES, features
from tttenv.exact import Score, positions

SCALES = (0.01, 0.05, 0.2, 1.0)  # how far a weight moves in a trial
STALE = 300  # trials without success after which a climb ends


class Merit(NamedTuple):
    """Sort key of weights, compared field by field; smaller is better.

    As O a greedy player of the seven is always beaten by a best response, which is proved; so X's
    worst case and then the losses against random moves as O decide, then the wins.
    """

    beatable: bool  # as X
    losses: float  # as O against random
    draws: float  # likewise


def climb(seed: int, climbs: int, tell: Callable[[], Any]) -> list[float]:
    """Return the best weights of several climbs, as small integers if they are as good."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(climbs):
        weights = rng.normal(size=7)
        best, stale = merit(weights), 0
        while stale < STALE:
            moves = rng.normal(size=7) * rng.choice(SCALES) * (rng.random(7) < 0.5)
            trial = merit(weights + moves)
            stale = 0 if trial < best else stale + 1
            if trial <= best:
                weights, best = weights + moves, trial
        found.append((best, weights.tolist()))
        tell()
    best, weights = min(found)
    return simplest(weights, best)


def simplest(weights: list[float], goal: Merit) -> list[float]:
    """Return the smallest integers near these proportions that are as good."""
    direction = np.array([0.0, *weights[1:]]) / np.abs(weights[1:]).max()  # a constant says nothing
    for size in range(1, 200):
        whole = (direction * size).round()
        if merit(whole) <= goal:
            return [float(weight) for weight in whole]
    return weights


def merit(weights: list[float] | NDArray[np.float64]) -> Merit:
    """Evaluate the player of these weights."""
    after = positions(RULES).successors
    worth = np.where(after >= 0, (features() @ np.asarray(weights))[after], -np.inf)
    as_x, as_o = (against_random(worth.argmax(axis=1), seat) for seat in (0, 1))
    return Merit(as_x.loss > 0, round(as_o.loss, 12), round(as_o.draw, 12))


def against_random(cells: NDArray[np.int64], seat: int) -> Score:
    """Return the exact score of the player with these cells (positions,) against random."""
    game = positions(RULES)
    chance, moves = np.zeros(len(game)), (game.successors >= 0).sum(axis=1)
    chance[0] = 1.0
    for stones in range(RULES.cells):
        ply = game.ply(stones)
        going = np.flatnonzero((chance[ply] > 0) & ~game.over[ply]) + ply.start
        after, share = game.successors[going], chance[going]
        if stones % 2 == seat:
            np.add.at(chance, after[np.arange(len(going)), cells[going]], share)
        else:
            each = np.repeat(share / moves[going], moves[going])
            np.add.at(chance, after[after >= 0], each)
    won = chance[game.lost & (game.seats != seat)].sum()
    lost = chance[game.lost & (game.seats == seat)].sum()
    return Score(float(won), float(chance[game.over & ~game.lost].sum()), float(lost))
