"""Ratings of players from the results of all pairs: Elo, and cycles of three."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCALE = 400 / np.log(10)  # Elo points for an e-fold increase of the odds of winning
PRIOR = 2.0  # games of each player against a virtual player of rating 0, half of them won
MOST_STEPS, ENOUGH = 10_000, 1e-12  # of Newton's method: maximum steps, gradient tolerance
LONGEST_STEP = 0.25  # so short that the curvature changes little, and each step is an ascent

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
    scored = np.array(points, np.float64)
    if scored.shape != (len(scored),) * 2 or not (np.isfinite(scored) & (scored >= 0)).all():
        raise ValueError(f"points must be a square of finite numbers, not shape {scored.shape}")
    np.fill_diagonal(scored, 0.0)
    games, total = scored + scored.T, scored.sum(axis=1)
    ratings = np.zeros(len(scored))  # in units of SCALE
    for _ in range(MOST_STEPS):
        expected = _sigmoid(ratings[:, None] - ratings[None, :])
        alone = _sigmoid(ratings)
        slope = total - (games * expected).sum(axis=1) + PRIOR * (0.5 - alone)
        if np.abs(slope).max(initial=0.0) <= ENOUGH * (1 + games.sum()):
            break
        step = np.linalg.solve(_bend(games, ratings), slope)
        ratings = ratings + step / max(1.0, np.abs(step).max() / LONGEST_STEP)
    return SCALE * (ratings - ratings.mean()) if len(ratings) else ratings


def elo_errors(points: ArrayLike, errors: ArrayLike) -> Floats:
    """Return the standard errors of `elo(points)`, to first order.

    Args:
        points: (players, players), as for `elo`.
        errors: (players, players): the standard error of each score, zero if it is exact; those of
            i against j and of j against i are the same number.
    """
    scored, wrong = np.array(points, np.float64), np.triu(np.asarray(errors, np.float64), 1)
    np.fill_diagonal(scored, 0.0)
    moved = np.linalg.inv(_bend(scored + scored.T, elo(scored) / SCALE))
    moved -= moved.sum(axis=0) / max(1, len(moved))
    total = np.zeros(len(scored))
    for i, j in np.argwhere(wrong):
        total += (wrong[i, j] * (moved[:, i] - moved[:, j])) ** 2
    found: Floats = SCALE * np.sqrt(total)
    return found


def _bend(games: Floats, ratings: Floats) -> Floats:
    """Return minus the second derivative (players, players) of the log posterior."""
    expected, alone = _sigmoid(ratings[:, None] - ratings[None, :]), _sigmoid(ratings)
    weights = games * expected * expected.T
    return np.diag(weights.sum(axis=1) + PRIOR * alone * (1 - alone)) - weights


def _sigmoid(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0, -x))


def cycles_of_three(values: ArrayLike) -> list[tuple[int, int, int]]:
    """Return all triples (a, b, c) in which a beats b, b beats c and c beats a.

    Each cycle is listed once, with a the lowest index.

    Args:
        values: (players, players): positive if the row beats the column; NaN without a result.
    """
    beats = np.asarray(values, np.float64) > 0
    return [
        (a, b, c)
        for a, b in np.argwhere(beats).tolist()
        for c in np.flatnonzero(beats[b] & beats[:, a]).tolist()
        if a < min(b, c)
    ]
