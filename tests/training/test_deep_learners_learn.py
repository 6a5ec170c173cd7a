"""Deep learners become unbeatable within their usual steps."""

import pytest

from learners.dqn import DQN
from learners.maskable_ppo import MaskablePPO
from learners.registry import LEARNERS
from learners.reinforce import Reinforce
from learners.training.loop import Progress, run, usual_schedule
from learners.transformer import Transformer
from tttenv import Rules


@pytest.mark.trained
@pytest.mark.parametrize(
    ("kind", "below"), [(DQN, 2001), (Reinforce, 1201), (MaskablePPO, 151), (Transformer, 801)]
)
def test_the_default_becomes_unbeatable(kind, below, reached):
    (name,) = (name for name in LEARNERS if LEARNERS.load(name) is kind)
    *_, report = run(kind(kind.Config(), Rules()), Rules(), usual_schedule(name), Progress())
    assert report.certificate.unbeatable
    reached("steps", report.step, below=below)
