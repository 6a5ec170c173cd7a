"""Moves from a network's outputs: the same on every CPU and in every batch."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from learners.nets import greedy_player
from learners.registry import LEARNERS
from tttenv import Rules
from tttenv.exact import positions
from tttenv.game.symmetry import inverses, maps
from tttenv.policy import TOLERANCE, first_best, from_observations, validated
from tttenv.testing import some_boards

NETS = {  # where a learner keeps the network that moves
    "dqn": "net",
    "reinforce": "policy_net",
    "maskable_ppo": "actor",
    "supervised": "net",
    "selfplay": "nets",
}
SMALL = Rules()
LARGE = (Rules(4, 4, 4), Rules(5, 5, 4))


class Symmetric(nn.Module):
    """Network that averages its outputs over the images of the board."""

    def __init__(self, net, rules):
        super().__init__()
        self.net, self.images, self.back = net, maps(rules), inverses(rules)

    def forward(self, planes):
        """Return outputs (batch, cells), summed in a different order for each image."""
        seen = planes.unflatten(1, (3, -1))
        pairs = zip(self.images, self.back, strict=True)
        return sum(self.net(seen[:, :, to].flatten(1))[:, back] for to, back in pairs) / 8


class OtherCPU(nn.Module):
    """Network whose outputs are off by up to a millionth."""

    def __init__(self, net, seed):
        super().__init__()
        self.net, self.seed = net, seed

    def forward(self, planes):
        """Return outputs (batch, cells)."""
        outputs = self.net(planes)
        dice = np.random.default_rng(self.seed).uniform(-1, 1, outputs.shape)
        return outputs * (1 + 1e-6 * torch.as_tensor(dice).to(outputs.dtype))


def player(name, rules, wrap):
    """Return the player of an untrained learner with a wrapper around its networks."""
    kind = LEARNERS.load(name)
    learner = kind(kind.presets["default"], rules)
    net = getattr(learner, NETS[name])
    if isinstance(net, dict):
        setattr(learner, NETS[name], {seat: wrap(own) for seat, own in net.items()})
    else:
        setattr(learner, NETS[name], wrap(net))
    return kind.player_of(learner.config, rules, learner.parts()["weights"])


def boards_of(rules):
    """Return all undecided boards of a small game, or some of a larger one."""
    if rules == SMALL:
        return positions(rules).boards[positions(rules).decisions]
    boards = some_boards(rules, 3000)
    return np.concatenate([rules.start(1), boards])


CASES = [
    *((name, SMALL) for name in NETS),
    *((name, rules) for name in ("dqn", "reinforce", "maskable_ppo") for rules in LARGE),
]


@pytest.mark.parametrize(("name", "rules"), CASES, ids=str)
def test_the_rounding_of_another_cpu_changes_no_move_even_where_outputs_are_equal(name, rules):
    boards = boards_of(rules)
    here = player(name, rules, lambda net: Symmetric(net, rules))(boards)
    for seed in range(3):
        there = player(name, rules, lambda net, n=seed: OtherCPU(Symmetric(net, rules), n))(boards)
        # An output may lie at the edge of the tolerance: on some boards in a million.
        assert (there != here).any(axis=1).sum() <= 1


@pytest.mark.parametrize("rules", LARGE, ids=str)
@pytest.mark.parametrize("name", ["dqn", "reinforce", "maskable_ppo"])
def test_the_size_of_the_batch_changes_no_move(name, rules):
    boards = boards_of(rules)[:200]
    for wrap in (lambda net: net, lambda net: Symmetric(net, rules)):
        policy = player(name, rules, wrap)
        together = policy(boards)
        for size in (1, 7, 64):
            parts = [policy(boards[at : at + size]) for at in range(0, len(boards), size)]
            assert (np.concatenate(parts) == together).all()


def test_beyond_enumeration_networks_are_evaluated_in_float64():
    rules = LARGE[1]
    net = nn.Sequential(nn.Linear(3 * rules.cells, rules.cells), nn.Linear(rules.cells, 25))
    with torch.no_grad():
        for layer, bias in zip(net, (1e6, -1e6), strict=True):
            layer.weight.zero_()
            layer.bias.fill_(bias)
        net[1].weight.fill_diagonal_(1)
        net[0].weight[7, -25:] = 1e-3  # of the empty cells: lost beside a million in float32
    assert (greedy_player(rules, [net])(rules.start(1))[0] == np.eye(25)[7]).all()
    assert next(net.parameters()).dtype == torch.float32


@given(seed=st.integers(0, 2**32), exponent=st.integers(-30, 90))
def test_the_first_of_the_ties_is_played(seed, exponent):
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 3, (20, 9)) / 2 * 2.0**exponent
    values *= 1 + 1e-6 * rng.uniform(-1, 1, values.shape)
    legal = rng.random((20, 9)) < 0.6
    legal[:, 4] = True
    for row, own, can in zip(first_best(values, legal), values, legal, strict=True):
        best, largest = max(own[can]), max(abs(own[can]))
        ties = can & (own >= best - TOLERANCE * max(largest, 1))
        assert row.tolist() == np.eye(9)[np.flatnonzero(ties)[0]].tolist()


def test_minus_infinity_is_never_best_and_what_is_no_number_is_no_move():
    inf, nan, legal = np.inf, np.nan, np.array([[False, True, True, True]])
    for values, cell in (
        ([9, -inf, 1, 1], 2),
        ([9, 0, inf, inf], 2),
        ([9, -inf, -inf, -inf], 1),
        ([nan, 0, 0, 1], 3),
    ):
        assert first_best([values], legal).tolist() == [np.eye(4)[cell].tolist()]
    with pytest.raises(ValueError, match="sum to one"):
        validated(np.where(legal, 0, 1), first_best([[9, 0, nan, 0]], legal))


def test_a_function_of_observations_that_answers_values_moves_alike():
    rng, boards = np.random.default_rng(0), boards_of(SMALL)
    values = rng.integers(0, 3, boards.shape).astype(np.float32)
    near = (values * (1 + 1e-6 * rng.uniform(-1, 1, values.shape))).astype(np.float32)
    moves = [from_observations(lambda _, v=v: v, SMALL, kind="values") for v in (values, near)]
    assert (moves[0](boards[:8000]) == moves[1](boards[:8000])).all()
