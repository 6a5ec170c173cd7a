"""Ratings: Elo against another optimiser, counts of cycles."""

from math import comb, log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tttenv.league import ratings


def tournament(rng, count, games=20):
    """Return points of all pairs, including half points, with some pairs without a game."""
    played = np.triu(rng.integers(0, games, (count, count)), 1)
    scored = np.floor(rng.random((count, count)) * (2 * played + 1)) / 2
    return np.triu(scored, 1) + np.triu(played - scored, 1).T


def climbed(points, prior=2.0):
    """Return the same maximum by Hunter's algorithm (2004), one player's strength at a time."""
    games, wins = points + points.T, points.sum(axis=1) + prior / 2
    strength = np.ones(len(points))
    for _ in range(20_000):
        before = strength.copy()
        for i in range(len(points)):
            others = np.arange(len(points)) != i
            each = games[i, others] / (strength[i] + strength[others])
            strength[i] = wins[i] / (each.sum() + prior / (strength[i] + 1))
        if np.abs(np.log(strength / before)).max() < 1e-13:
            break
    found = 400 * np.log10(strength)
    return found - found.mean()


def test_errors_of_elo_are_the_changes_of_it_by_errors_of_the_scores():
    points = tournament(np.random.default_rng(0), 5)
    np.fill_diagonal(points, 0)
    errors, total, step = np.zeros((5, 5)), 0.0, 1e-4
    errors[0, 2] = errors[2, 0] = 0.5
    errors[1, 4] = errors[4, 1] = 1.0
    for i, j in ((0, 2), (1, 4)):
        moved = points.copy()
        moved[i, j] += step * errors[i, j]
        moved[j, i] -= step * errors[i, j]
        total = total + ((ratings.elo(moved) - ratings.elo(points)) / step) ** 2
    np.testing.assert_allclose(ratings.elo_errors(points, errors), np.sqrt(total), rtol=1e-2)
    assert not ratings.elo_errors(points, np.zeros((5, 5))).any()


@pytest.mark.parametrize("seed", range(8))
def test_elo_is_the_maximum_that_another_algorithm_finds(seed):
    rng = np.random.default_rng(seed)
    points = tournament(rng, int(rng.integers(2, 9)))
    np.testing.assert_allclose(ratings.elo(points), climbed(points), atol=1e-5)


def test_elo_says_what_score_to_expect():
    points = np.array([[0, 7.5e9], [2.5e9, 0]])
    first, second = ratings.elo(points)
    assert first - second == pytest.approx(400 * log10(3), abs=1e-5)
    assert first + second == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("count", [2, 3, 50])
def test_who_wins_all_games_has_a_finite_rating(count):
    points = np.triu(np.full((count, count), 66.0), 1)
    found = ratings.elo(points)
    assert np.isfinite(found).all()
    assert (np.diff(found) < 0).all()


def test_draws_alone_and_no_games_at_all_leave_everybody_even():
    for points in (np.full((5, 5), 33.0), np.zeros((5, 5))):
        np.testing.assert_allclose(ratings.elo(points), 0, atol=1e-9)
    assert ratings.elo(np.zeros((0, 0))).shape == (0,)


@given(st.integers(0, 2**32 - 1))
def test_cycles_are_those_that_counting_says_there_are(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 9))
    values = np.triu(rng.choice([-1.0, 1.0], (count, count)), 1)
    values -= values.T
    listed = ratings.cycles_of_three(values)
    wins = (values > 0).sum(axis=1)
    assert len(listed) == comb(count, 3) - sum(comb(int(won), 2) for won in wins)
    assert len({frozenset(cycle) for cycle in listed}) == len(listed)
    for a, b, c in listed:
        assert a < min(b, c)
        assert min(values[a, b], values[b, c], values[c, a]) > 0


def test_what_is_no_tournament_is_refused():
    for points in (np.zeros((2, 3)), [[0, np.nan], [1, 0]], [[0, -1], [1, 0]]):
        with pytest.raises(ValueError, match=r"."):
            ratings.elo(points)
