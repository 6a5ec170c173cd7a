"""Players made from functions and networks of the environment's observations."""

import numpy as np
import pytest
import torch
from torch import nn

from tttenv import Rules, certify
from tttenv.env.env import TicTacToe
from tttenv.exact import positions
from tttenv.players import player
from tttenv.policy import OBSERVATIONS, from_observations, uniform

RULES = Rules()
BOARDS = positions(RULES).boards[positions(RULES).decisions]
SOLVED = player("minimax", RULES)


def observations(obs):
    """Return the environment's observations of all undecided boards, and the boards."""
    env = TicTacToe(opponent=None, obs=obs)
    shown = [env.reset(options={"board": board})[0] for board in BOARDS]
    if obs == "dict":
        return {name: np.array([view[name] for view in shown]) for name in shown[0]}
    return np.array(shown)


@pytest.mark.parametrize("obs", list(OBSERVATIONS))
def test_the_function_is_asked_about_what_the_environment_shows(obs):
    asked, expected = [], observations(obs)
    policy = from_observations(lambda seen: (asked.append(seen), uniform(BOARDS))[1], RULES, obs)
    policy(BOARDS)
    seen, shown = (x if obs == "dict" else {"": x} for x in (asked[0], expected))
    assert seen.keys() == shown.keys()
    for name, part in shown.items():
        assert (seen[name] == part).all()
        assert seen[name].dtype == part.dtype


@pytest.mark.parametrize(
    ("kind", "answer", "expected"),
    [  # on the board XO_ _X_ ___ seen by O: what is legal is 2, 3, 5, 6, 7, 8
        ("logits", np.log([9, 9, 1, 2, 9, 1, 1, 1, 2]), np.array([0, 0, 1, 2, 0, 1, 1, 1, 2]) / 8),
        (
            "logits",
            [9, 9, 0, -np.inf, 9, 0, 0, 0, -np.inf],
            [0, 0, 0.25, 0, 0, 0.25, 0.25, 0.25, 0],
        ),
        ("logits", [0, 0, 1000, -1000, np.nan, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0, 0]),
        ("values", [9, 9, 3, 1, 9, 3, 0, -1, 2.9], [0, 0, 1, 0, 0, 0, 0, 0, 0]),
        ("values", [9, 9, 2.999, 1, 9, 3, 0, -1, 3.00001], [0, 0, 0, 0, 0, 1, 0, 0, 0]),
        ("probs", [0.5, 0, 0, 0.3, 0, 0.1, 0, 0, 0.1], [0, 0, 0, 0.6, 0, 0.2, 0, 0, 0.2]),
        ("probs", [0.5, 0.5, 0, 0, 0, 0, 0, 0, 0], np.array([0, 0, 1, 1, 0, 1, 1, 1, 1]) / 6),
    ],
)
def test_answers_become_probabilities_of_legal_moves(kind, answer, expected):
    board = RULES.parse("XO__X____")[None]
    policy = from_observations(lambda seen: [answer], RULES, kind=kind)
    assert policy(board) == pytest.approx(np.array([expected], float), abs=1e-12)


def of_boards(seen):
    """Return the solved game's moves from one-hot observations."""
    planes = np.asarray(seen).reshape(-1, 3, 9)
    return SOLVED((planes[:, 0] - planes[:, 1]).astype(np.int8))


@pytest.mark.parametrize(
    ("fn", "kind"),
    [
        (of_boards, "values"),
        (lambda seen: np.log(of_boards(seen) + 1e-30), "logits"),
        (lambda seen: of_boards(seen).tolist(), "probs"),
        (lambda seen: torch.tensor(of_boards(seen)).bfloat16().requires_grad_(), "probs"),
    ],
)
def test_a_perfect_function_gets_a_perfect_certificate(fn, kind):
    found = certify(RULES, from_observations(fn, RULES, kind=kind))
    assert found.unbeatable
    assert found.blunders == 0
    assert found.optimal_moves["all"] == pytest.approx(1)


@pytest.mark.parametrize("precision", [torch.float32, torch.float64])
@pytest.mark.parametrize("obs", ["onehot", "board"])
def test_a_network_is_asked_without_dice_and_left_as_it_was(obs, precision):
    torch.manual_seed(0)
    width = 27 if obs == "onehot" else 9
    net = nn.Sequential(nn.Linear(width, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 9))
    net[1].eval()
    net.to(precision)
    policy = from_observations(net, RULES, obs)
    probs = policy(BOARDS)
    assert (policy(BOARDS) == probs).all()
    assert policy(BOARDS[:1]) == pytest.approx(probs[:1], abs=1e-5)
    assert [part.training for part in net] == [True, False, True, True]
    assert all(weights.grad is None and weights.requires_grad for weights in net.parameters())
    with torch.no_grad():
        logits = net.eval()(torch.as_tensor(observations(obs), dtype=precision)).double().numpy()
    weights = np.exp(logits) * (BOARDS == 0)
    assert probs == pytest.approx(weights / weights.sum(axis=1, keepdims=True), abs=1e-6)


def answering(number, cell):
    """Return a function whose output on one board of several is changed."""

    def fn(seen):
        answer = np.ones((len(seen), 9))
        answer[3, cell] = number
        return answer

    return fn


@pytest.mark.parametrize(
    ("fn", "kind", "named"),
    [
        (answering(np.nan, 4), "logits", "logits must be finite for some legal cell, but on"),
        (answering(np.nan, 4), "probs", "probs must be finite and not negative"),
        (answering(-0.5, 4), "probs", "probs must be finite and not negative, but on"),
        (lambda seen: np.ones((len(seen), 8)), "logits", r"returned shape \(4520, 8\)"),
        (lambda seen: (torch.ones(2), torch.ones(1)), "logits", r"not \(tensor"),
    ],
)
def test_answers_that_are_no_numbers_for_the_legal_cells_are_refused(fn, kind, named):
    with pytest.raises(ValueError, match=named) as error:
        from_observations(fn, RULES, kind=kind)(BOARDS)
    assert "\n" not in str(error.value)


def test_unknown_kinds_and_things_that_cannot_answer_are_refused():
    with pytest.raises(ValueError, match="obs must be one of onehot, board, dict, not 'image'"):
        from_observations(uniform, RULES, obs="image")
    with pytest.raises(ValueError, match="kind must be one of logits, values, probs, not 'best'"):
        from_observations(uniform, RULES, kind="best")
    with pytest.raises(ValueError, match="a function or a network, not 3"):
        from_observations(3, RULES)


class OfBoards(nn.Module):
    """Network that is a player itself: it maps boards to probabilities."""

    def forward(self, boards):
        """Return perfect moves."""
        return torch.as_tensor(SOLVED(boards))


def test_a_network_that_answers_boards_is_certified_as_it_is():
    assert certify(RULES, OfBoards()) == certify(RULES, "minimax")


@pytest.mark.parametrize(
    ("handed", "named"),
    [
        (nn.Linear(27, 9), "if it reads observations, wrap it: tttenv.policy.from_observations"),
        (3, "a player must be a name, a function from boards .* not 3"),
        (OfBoards, "not <class"),
        ("nobody", "known are"),
    ],
)
def test_what_is_no_player_is_refused_with_what_would_be(handed, named):
    with pytest.raises(ValueError, match=named) as error:
        certify(RULES, handed)
    assert "\n" not in str(error.value)
