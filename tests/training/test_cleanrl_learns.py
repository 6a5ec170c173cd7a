"""Single-file PPO, which learns and ends with its certificate."""

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import tttenv
from learners.examples import ppo


@pytest.mark.trained
def test_it_learns_and_ends_with_the_certificate(tmp_path, reached):
    args = ppo.Args(steps=30_000, folder=str(tmp_path))
    rules = tttenv.Rules.of(args.rules)
    certificate = tttenv.certify(rules, ppo.player(ppo.train(args), rules))
    torch.manual_seed(args.seed)
    untrained = tttenv.certify(rules, ppo.player(ppo.Agent(rules.cells, args.hidden), rules))
    wins = certificate.vs_random["X"][0]
    reached("wins as X", wins, above=0.85)
    reached("more than untrained", wins - untrained.vs_random["X"][0], above=0.1)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    curve = [point.value for point in events.Scalars("exact/win_vs_random_X")]
    assert curve[-1] == pytest.approx(wins)
    assert len(curve) == 3  # after 10, 20 and all 29 rollouts
    assert {"train/entropy", "train/value_loss"} <= set(events.Tags()["scalars"])
