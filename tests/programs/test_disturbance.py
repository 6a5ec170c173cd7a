"""Disturbed initial weights: of the given size, different for every seed, and temporary."""

import pytest
import torch
from disturbance import SIZE, TABLES, disturb

from learners.registry import LEARNERS
from learners.selfplay import SelfPlay, SelfPlayConfig
from tttenv import Rules


def weights(seed):
    """Return all initial weights of a learner with this disturbance, or without for None."""
    with pytest.MonkeyPatch.context() as patch:
        if seed is not None:
            disturb(patch, seed)
        learner = SelfPlay(SelfPlayConfig(hidden=(16,)), Rules())
    parameters = [weight for net in learner.nets.values() for weight in net.parameters()]
    return torch.nn.utils.parameters_to_vector(parameters).detach()


def test_weights_are_disturbed_by_at_most_a_millionth_and_differently_by_every_seed():
    plain, first, second = map(weights, (None, 1, 2))
    for disturbed in (first, second):
        share = ((disturbed - plain) / plain)[plain != 0].abs()
        assert SIZE / 2 < share.max() < 1.2 * SIZE  # float32 rounds to a tenth of a millionth
    assert (first != second).float().mean() > 0.5
    assert torch.equal(weights(1), first)
    assert torch.equal(weights(None), plain)


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_disturbed_once_after_their_first_step(name):
    kind, steps = LEARNERS.load(name), {}
    for seed in (None, 1):
        with pytest.MonkeyPatch.context() as patch:
            if seed is not None:
                disturb(patch, seed)
            learner = kind(kind.Config(), Rules())
            learner.step()
            steps[seed] = getattr(learner, TABLES[name]).clone()
    assert not torch.equal(steps[None], steps[1])
    assert torch.allclose(steps[None].double(), steps[1].double(), rtol=1.2 * SIZE, atol=0)
