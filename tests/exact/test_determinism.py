"""Rejection of players that do not always give the same output on a board."""

from itertools import cycle, product

import numpy as np
import pytest
import torch
from torch import nn

from tttenv.certificates.certificate import METHODS, certify
from tttenv.exact import determinism, positions, score, worst_case
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import Uniform, from_observations, uniform

SMALL = [
    Rules(m, n, k)
    for m in range(1, 10)
    for n in range(1, 9 // m + 1)
    for k in range(2, max(m, n) + 1)
]
SOME = [Rules(), Rules(1, 2, 2), Rules(2, 2, 2), Rules(3, 4, 3)]
some_games = pytest.mark.parametrize("rules", SOME, ids=str)


def one_hot(boards, which):
    """Return all probability on one legal cell per board, selected by `which` cyclically."""
    probs = np.zeros(boards.shape)
    for board, number, row in zip(boards, which, probs, strict=True):
        legal = np.flatnonzero(board == 0)
        row[legal[number % len(legal)]] = 1
    return probs


def impure():
    """Return new players by name, none of which is a function of the board."""
    rng, seen = np.random.default_rng(0), set()

    def drawing(boards):
        return one_hot(boards, rng.integers(0, 10**6, len(boards)))

    def noisy(boards):
        probs = uniform(boards) * (1 + 0.01 * rng.random(boards.shape))
        return probs / probs.sum(axis=1, keepdims=True)

    class Remembering:
        calls = 0

        def __call__(self, boards):
            self.calls += 1
            return one_hot(boards, [self.calls] * len(boards))

    def recalling(boards):
        known = [board.tobytes() in seen for board in boards]
        seen.update(board.tobytes() for board in boards)
        return one_hot(boards, known)

    def lonely(boards):
        return uniform(boards) if len(boards) > 1 else one_hot(boards, [0])

    def by_row(boards):
        return one_hot(boards, np.arange(len(boards)))

    def squeezing(boards):
        return uniform(boards).squeeze()

    functions = drawing, noisy, recalling, lonely, by_row, squeezing
    return {function.__name__: function for function in functions} | {"Remembering": Remembering()}


IMPURE = list(impure())
UNIFORM = Uniform(Rules())
every_impure_player = pytest.mark.parametrize("name", IMPURE)


def refused(judge):
    """Return the one-line error with which a player is rejected."""
    with pytest.raises(ValueError, match="gives different answers to the same board") as error:
        judge()
    line = str(error.value)
    assert "\n" not in line
    assert len(line) <= 500
    return line


@pytest.mark.parametrize(
    ("name", "rules"),
    [*product(IMPURE, SOME), *zip(cycle(IMPURE), SMALL)],  # endless
)
def test_a_player_that_answers_otherwise_when_asked_again_is_refused_by_name(name, rules):
    line = refused(lambda: certify(rules, impure()[name]))
    assert line.startswith((f"impure.{name}, asked", f"{name}, asked"))


@some_games
@every_impure_player
def test_worst_cases_and_scores_are_refused_to_them_too(name, rules):
    refused(lambda: worst_case(rules, impure()[name]))
    if rules.cells > 2:  # on two cells O has no choice
        refused(lambda: score(rules, impure()[name], uniform))
        refused(lambda: score(rules, uniform, impure()[name]))


@some_games
def test_what_a_player_writes_into_its_boards_does_no_harm(rules):
    def careless(boards):
        probs = uniform(boards)
        boards[:] = -1
        return probs

    before = positions(rules).boards.copy()
    assert certify(rules, careless) == certify(rules, "random")
    assert score(rules, careless, careless) == score(rules, uniform, uniform)
    assert worst_case(rules, careless) == worst_case(rules, uniform)
    assert (positions(rules).boards == before).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_board_that_is_answered_otherwise_is_found_where_all_are_asked_again(method):
    first = player("minimax:ties=first", Rules())
    line = Rules().parse("XO_______")  # which it reaches as X
    seen = []

    def changes_one_answer(boards):
        probs = np.array(first(boards))
        rows = (boards == line).all(axis=1)
        if rows.any() and seen:
            probs[rows] = np.eye(9)[8]
        seen.extend(np.flatnonzero(rows))
        return probs

    refused(lambda: certify(Rules(), changes_one_answer, method=method))


def test_a_player_that_searches_is_asked_again_about_a_sample_that_sees_one_percent():
    found = certify(Rules(), "mcts:iterations=5").queried_twice
    assert 0.99**found < 0.01
    assert found < 500


def test_what_is_drawn_comes_evenly_from_all_rows_however_they_are_added():
    rows = np.arange(40_000)
    drawn = determinism.Drawn(UNIFORM)
    for part in np.array_split(rows, 7):
        drawn.add(part, -part, always=np.array([0]))
    taken, negative = drawn.taken()
    assert (taken == -negative).all()
    assert len(set(taken.tolist())) == len(taken) == determinism.SAMPLED + 7
    of_tenths = np.histogram(taken[7:], bins=10, range=(0, 40_000))[0]
    assert of_tenths.min() > 20  # 46 are expected, with a standard deviation below 7


def test_a_sample_continued_from_its_arrays_is_the_same():
    whole = determinism.Drawn(UNIFORM)
    continued = determinism.Drawn(UNIFORM)
    for number, part in enumerate(np.array_split(np.arange(20_000), 9)):
        continued = determinism.Drawn(UNIFORM, state=continued.state)
        for drawn in (whole, continued):
            drawn.add(part, -part, always=np.arange(number % 2))
    for one, other in zip(whole.taken(), continued.taken(), strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("kind", ["logits", "values"])
@pytest.mark.parametrize("sharpness", [1, 100])
def test_the_rounding_of_single_precision_is_no_other_answer(kind, sharpness):
    for seed in range(5):
        torch.manual_seed(seed)
        net = nn.Sequential(nn.Linear(27, 256), nn.ReLU(), nn.Linear(256, 256), nn.Linear(256, 9))
        with torch.no_grad():
            net[-1].weight *= sharpness * 3
        certify(Rules(), from_observations(net, Rules(), kind=kind))
