"""Ratings of players from the results of all pairs: Elo, alpha-rank and cycles of three."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCALE = 400 / np.log(10)  # Elo points for an e-fold increase of the odds of winning
PRIOR = 2.0  # games of each player against a virtual player of rating 0, half of them won
EPSILON = 0.01  # of alpha-rank, as in open_spiel
_STEPS, _ENOUGH = 200, 1e-12  # of Newton's method: maximum steps, gradient tolerance

Floats = NDArray[np.float64]


def elo(points: ArrayLike) -> Floats:
    """Compute Elo ratings by the Bradley-Terry model (1952), counting a draw as half a win.

    The ratings r maximise the posterior in which i scores against j with probability
    1 / (1 + 10 ** ((r[j] - r[i]) / 400)). The prior is a few games of every player against a
    virtual player of rating 0, half won and half lost, as in Coulom, "Whole-History Rating"
    (2008): so the ratings are finite and unique even if a player wins all games, or some pairs have
    not met. Computed by Newton's method; the posterior is log-concave.

    Args:
        points: (players, players): the score of i against j, a win counting 1 and a draw 1/2; so
            points[i, j] + points[j, i] games were played. The diagonal is ignored.

    Returns:
        The ratings (players,), with mean 0.

    Raises:
        ValueError: unless `points` is a square of finite non-negative numbers.
    """
    scored = _square(points)
    if (scored < 0).any():
        raise ValueError("points must not be negative")
    np.fill_diagonal(scored, 0.0)
    games, total = scored + scored.T, scored.sum(axis=1)
    ratings = np.zeros(len(scored))  # in units of SCALE
    height = _log_posterior(ratings, scored)
    for _ in range(_STEPS):
        expected = _sigmoid(ratings[:, None] - ratings[None, :])
        alone = _sigmoid(ratings)
        slope = total - (games * expected).sum(axis=1) + PRIOR * (0.5 - alone)
        if np.abs(slope).max(initial=0.0) <= _ENOUGH * (1 + games.sum()):
            break
        weights = games * expected * expected.T
        bend = np.diag(weights.sum(axis=1) + PRIOR * alone * (1 - alone)) - weights
        step = np.linalg.solve(bend, slope)
        while True:  # halve the step until the posterior does not decrease
            tried = ratings + step
            found = _log_posterior(tried, scored)
            if found >= height or np.abs(step).max() < 1e-13:
                break
            step = step / 2
        ratings, height = tried, found
    shifted: Floats = SCALE * (ratings - ratings.mean()) if len(ratings) else ratings
    return shifted


def _log_posterior(ratings: Floats, points: Floats) -> float:
    """Return the log posterior of ratings (players,), in units of SCALE, up to a constant."""
    between = np.logaddexp(0, ratings[None, :] - ratings[:, None])  # -log(sigmoid)
    alone = np.logaddexp(0, ratings) + np.logaddexp(0, -ratings)
    return float(-(points * between).sum() - PRIOR / 2 * alone.sum())


def _sigmoid(x: Floats) -> Floats:
    found: Floats = np.exp(-np.logaddexp(0, -x))
    return found


def alpha_rank(values: ArrayLike) -> Floats:
    """Compute the alpha-rank of the strategies of a symmetric two-player game, for infinite alpha.

    Omidshafiei et al., "Alpha-Rank: Multi-Agent Evaluation by Evolution", Scientific Reports 9
    (2019), for a single population: the fraction of time that it spends with each strategy if
    rarely one member mutates to another strategy. A strategy with a higher payoff takes over with
    probability 0.99, one with a lower payoff with 0.01, which makes the result unique, and an equal
    one with 1/2. Unlike Elo it reveals cycles: the strategies of a cycle share the mass.

    Args:
        values: (strategies, strategies): the row's payoff against the column. Alpha-rank compares
            values[r, s] with values[s, r].

    Returns:
        Probabilities (strategies,).

    Raises:
        ValueError: for anything but a square of finite numbers.
    """
    payoff = _square(values)
    gain = payoff.T - payoff  # gain[s, r]: r's payoff against s minus s's against r
    rates = np.where(gain > 0, 1 - EPSILON, EPSILON)
    rates[np.isclose(gain, 0, atol=1e-14)] = 0.5
    np.fill_diagonal(rates, 0.0)
    if not len(rates):
        return np.zeros(0)
    flows = rates.T - np.diag(rates.sum(axis=1))  # zero for the stationary distribution
    flows[-1] = 1.0  # one of them follows from the others; the shares sum to one
    shares: Floats = np.linalg.solve(flows, np.eye(len(rates))[-1])
    return np.maximum(shares, 0.0)


def cycles_of_three(values: ArrayLike) -> list[tuple[int, int, int]]:
    """Return all triples (a, b, c) in which a beats b, b beats c and c beats a.

    Each cycle is listed once, with a the lowest index.

    Args:
        values: (players, players): positive if the row beats the column; NaN without a result.
    """
    beats = np.asarray(values, np.float64) > 0
    found = []
    for a in range(len(beats)):
        # b after a in the cycle, c before it; a is the lowest of the three
        for b in a + 1 + np.flatnonzero(beats[a, a + 1 :]):
            for c in a + 1 + np.flatnonzero(beats[b, a + 1 :] & beats[a + 1 :, a]):
                found.append((a, int(b), int(c)))
    return found


def _square(numbers: ArrayLike) -> Floats:
    """Return a copy of the argument as a square matrix, checking that it is finite."""
    found = np.array(numbers, np.float64)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or not np.isfinite(found).all():
        raise ValueError(f"expected a square array of finite numbers, not shape {found.shape}")
    return found
