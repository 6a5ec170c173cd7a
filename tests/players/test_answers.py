"""Valid outputs of a player: arrays, tensors and lists of real numbers, and nothing else."""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse
import torch

import tttenv
from tttenv.certificates import metrics
from tttenv.certificates.certificate import certify
from tttenv.exact import score, worst_case
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import from_observations, uniform, validated
from tttenv.testing import check_policy


class Raising:
    """Object that cannot be converted to an array, with a long error message."""

    def __array__(self, *arguments, **options):
        raise RuntimeError("no\n" * 1000)


class Unprintable:
    """Object of which only the type's name can be printed."""

    def __repr__(self):
        raise RuntimeError("no name")


def rows(probs):
    return torch.as_tensor(probs)


GOOD = {
    "array": lambda probs: probs,
    "float32": lambda probs: probs.astype(np.float32),
    "read-only": lambda probs: np.broadcast_to(probs, probs.shape),
    "lists": lambda probs: probs.tolist(),
    "tuple of arrays": tuple,
    "tensor": rows,
    "tensor with a gradient": lambda probs: rows(probs).requires_grad_() * 1,
    "parameter": lambda probs: torch.nn.Parameter(rows(probs)),
    "float32 tensor": lambda probs: rows(probs).float(),
}
WRONG = {  # numbers that are no probabilities: tests/game/test_policy.py
    "text": lambda probs: "0.5 0.5",
    "generator": lambda probs: (row for row in probs),
    "dict": lambda probs: dict(enumerate(probs)),
    "complex": lambda probs: probs.astype(complex),
    "objects": lambda probs: probs.astype(object),
    "ragged": lambda probs: [*probs.tolist()[:-1], [1.0]],
    "masked": lambda probs: np.ma.masked_array(probs, mask=probs == 0),
    "sparse": lambda probs: scipy.sparse.csr_array(probs),
    "tensor of nothing": lambda probs: rows(probs).to("meta"),
    "module": lambda probs: torch.nn.Linear(2, 2),
    "function": lambda probs: uniform,
    "raising": lambda probs: Raising(),
    "unprintable": lambda probs: Unprintable(),
    "itself within": lambda probs: endless(),
    "too large a number": lambda probs: [[10**400] * 9] * len(probs),
    "number": lambda probs: 1.0,
    "many dimensions": lambda probs: np.zeros((1,) * 60),
    "float16": lambda probs: probs.astype(np.float16) * np.float16(0.99),
    "bfloat16": lambda probs: rows(probs).bfloat16() * 0.99,
    "largest": lambda probs: np.full(probs.shape, np.finfo(float).max),
}


def endless():
    """Return a list that contains itself."""
    made = []
    made.append(made)
    return made


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def refused(judge):
    """Return the one-line error with which an output is rejected."""
    with pytest.raises(ValueError) as error:  # noqa: PT011  # each kind has its own words
        judge()
    line = str(error.value)
    assert "\n" not in line
    assert 0 < len(line) <= 500
    return line


@pytest.mark.parametrize("kind", GOOD)
def test_arrays_tensors_and_lists_are_understood(kind):
    rules = Rules(2, 3, 2)
    wanted = certify(rules, "random").worst_case
    found = certify(rules, lambda boards: GOOD[kind](uniform(boards))).worst_case
    assert found == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("kind", WRONG)
def test_any_other_answer_is_one_line_of_value_error(kind):
    def wrong(boards):
        return WRONG[kind](uniform(boards))

    refused(lambda: certify(Rules(), wrong))
    refused(lambda: worst_case(Rules(), wrong))
    refused(lambda: score(Rules(), wrong, uniform))
    refused(lambda: score(Rules(), uniform, wrong))
    refused(lambda: validated(Rules(19, 19, 5).start(3), wrong(Rules(19, 19, 5).start(3))))


@pytest.mark.parametrize("size", [(3, 3, 3), (19, 19, 5)])
def test_a_broken_law_is_told_in_a_bounded_line_on_any_board(size):
    boards = Rules(*size).start(2)
    for wrong in (uniform(boards) * 1.5, uniform(boards) - 1e300, uniform(boards) * np.nan):
        assert "on the board [0, 0, 0" in refused(lambda wrong=wrong: validated(boards, wrong))
    observed = from_observations(
        lambda seen: np.full((len(seen), boards.shape[1]), np.nan), Rules(*size)
    )
    assert "on the board" in refused(lambda: observed(boards))


@pytest.mark.parametrize("handed", ["3,3,3", (3, 3, 3), None])
def test_what_is_no_rules_is_refused(handed):
    assert "rules must be" in refused(lambda: certify(handed, "random"))
    assert "rules must be" in refused(lambda: worst_case(handed, uniform))
    assert "rules must be" in refused(lambda: score(handed, uniform, uniform))


class Slow(torch.nn.Module):
    """Network that records the mode in which it is called."""

    def __init__(self):
        super().__init__()
        self.modes = []

    def forward(self, seen):
        """Return equal logits, late enough for another thread to call."""
        time.sleep(0.01)
        self.modes.append(self.training)
        return torch.zeros(len(seen), 9)


@pytest.mark.parametrize(
    ("net", "obs", "said"),
    [
        (
            torch.nn.Linear(9, 9),
            "onehot",
            "Linear does not take observations obs='onehot' of 3,3,3",
        ),
        (
            torch.nn.Linear(27, 9),
            "dict",
            "'onehot' has 27 numbers for each board, 'board' 9, 'dict'",
        ),
        (torch.nn.Linear(27, 10), "onehot", r"must return logits of shape \(4520, 9\)"),
    ],
)
def test_a_network_of_another_shape_is_refused_in_one_line(net, obs, said):
    with pytest.raises(ValueError, match=rf"^[^\n]*{said}[^\n]*$"):
        certify(Rules(), from_observations(net, Rules(), obs))


def test_public_functions_take_the_names_of_players():
    rules, named = Rules(), player("tactical", Rules())
    assert tttenv.score(rules, "tactical", "random") == score(rules, named, player("random", rules))
    assert tttenv.worst_case(rules, "tactical") == worst_case(rules, named)
    assert metrics.measure(rules, "tactical") == metrics.measure(rules, named)
    check_policy("tactical", rules)


def test_a_network_shared_by_threads_is_evaluated_and_returned_to_training():
    net = Slow().train()
    policy, boards = from_observations(net, Rules()), Rules().start(1)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(policy, [boards] * 12))
    assert net.modes == [False] * 12
    assert net.training
