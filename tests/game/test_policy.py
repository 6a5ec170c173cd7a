"""Policies: uniform, greedy, mixtures, sampling, and the invariants of their output."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_boards import played_boards

from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import blend, greedy, sample, uniform, uniform_over, validated

SEEDS = st.integers(0, 2**32)


@given(seed=SEEDS)
def test_uniform_over_gives_all_allowed_cells_the_same_probability(seed):
    allowed = np.random.default_rng(seed).random((8, 5)) < 0.5
    allowed[:, 2] = True
    for row, marks in zip(uniform_over(allowed).tolist(), allowed.tolist(), strict=True):
        assert row == [mark / sum(marks) for mark in marks]


@given(seed=SEEDS, tolerance=st.sampled_from([0.0, 0.25, 1.0]))
def test_greedy_is_uniform_over_the_legal_cells_within_tolerance_of_the_best(seed, tolerance):
    rng = np.random.default_rng(seed)
    values = rng.integers(-8, 8, (10, 9)) / 4
    legal = rng.random((10, 9)) < 0.6
    legal[:, 4] = True
    for row, row_values, can in zip(greedy(values, legal, tolerance), values, legal, strict=True):
        best = max(row_values[can])
        good = [bool(c) and v >= best - tolerance for v, c in zip(row_values, can, strict=True)]
        assert row.tolist() == [mark / sum(good) for mark in good]


def test_greedy_never_looks_at_illegal_cells_even_where_they_hold_no_number():
    values = [[np.nan, 1.0, np.inf, 1.0, 0.0]]
    legal = np.array([[False, True, False, True, True]])
    assert greedy(values, legal).tolist() == [[0, 0.5, 0, 0.5, 0]]


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_a_blend_follows_its_second_player_as_often_as_its_weight_says(weight):
    boards = played_boards(Rules(), 20)
    first, second = player("first", Rules()), player("tactical", Rules())
    mixed = blend(Rules(), first, second, weight)(boards)
    assert mixed == pytest.approx(first(boards) + weight * (second(boards) - first(boards)))


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_weight_that_is_no_probability_is_refused(weight):
    with pytest.raises(ValueError, match="a probability must be between 0 and 1, not"):
        blend(Rules(), uniform, uniform, weight)


@given(seed=SEEDS)
def test_a_die_falls_on_the_first_cell_whose_cumulative_probability_exceeds_it(seed):
    rng = np.random.default_rng(seed)
    parts = rng.multinomial(64, rng.dirichlet(np.full(9, 0.5)), size=10)  # exact in floats
    random_values = rng.integers(0, 64, 10) / 64
    expected = []
    for row, value in zip(parts.tolist(), random_values.tolist(), strict=True):
        sums = [Fraction(sum(row[: cell + 1]), 64) for cell in range(9)]
        expected.append(next(cell for cell in range(9) if sums[cell] > value))
    assert sample(parts / 64, random_values).tolist() == expected


def test_cells_without_probability_are_never_sampled_not_even_at_the_edges():
    probs = np.tile([0, 0.25, 0, 0.75, 0], (5, 1)).astype(float)
    random_values = np.array([0, np.nextafter(0.25, 0), 0.25, np.nextafter(1, 0), 1])
    assert sample(probs, random_values).tolist() == [1, 1, 3, 3, 3]


def test_rounding_that_leaves_a_sum_below_one_leaves_every_die_a_cell():
    probs = np.array([[0.1] * 10 + [0.0]] * 2)
    assert probs[0].cumsum()[-1] < 1
    assert sample(probs, np.array([np.nextafter(1, 0), 0.95])).tolist() == [9, 9]


@given(seed=SEEDS, off=st.floats(-9e-5, 9e-5))
def test_sums_slightly_off_one_are_divided_out(seed, off):
    boards = played_boards(Rules(), 20, seed)
    answer = uniform(boards)
    normal = validated(boards, answer * (1 + off))
    assert normal.sum(axis=1) == pytest.approx(1, abs=1e-14)
    assert normal == pytest.approx(answer, abs=1e-14)
    assert validated(boards, answer.astype(np.float32)).dtype == np.float64


def bent(cell, by):
    """Return a violation: the output for one board of several, with one cell changed."""

    def breach(probs):
        probs[3, cell] += by
        return probs

    return breach


TAKEN, EMPTY, OTHER = 0, 4, 8


@pytest.mark.parametrize(
    ("breach", "law"),
    [
        (bent(EMPTY, 2e-4), "probabilities must sum to one"),
        (bent(EMPTY, -2e-4), "probabilities must sum to one"),
        (bent(EMPTY, np.nan), "probabilities must sum to one"),
        (bent(EMPTY, np.inf), "probabilities must sum to one"),
        (lambda probs: probs * 0, "probabilities must sum to one"),
        (lambda probs: bent(EMPTY, -1.0)(bent(OTHER, 1.0)(probs)), "must not be negative"),
        (
            lambda probs: bent(TAKEN, 0.1)(bent(OTHER, -0.1)(probs)),
            "a taken cell must have probability",
        ),
        (bent(TAKEN, 1e-9), "a taken cell must have probability"),
        (lambda probs: probs[:-1], "a policy must return"),
        (lambda probs: probs[:, :-1], "a policy must return"),
        (lambda probs: probs[0], "a policy must return"),
        (lambda probs: None, "a policy returns numbers"),
    ],
)
def test_an_answer_that_breaks_a_law_is_refused_by_that_law(breach, law):
    boards = np.tile(Rules().parse("X________"), (5, 1))
    with pytest.raises(ValueError, match=law) as error:
        validated(boards, breach(uniform(boards)))
    assert "\n" not in str(error.value)
