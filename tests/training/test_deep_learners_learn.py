"""Deep learners become unbeatable within their usual steps."""

import pytest

from learners.dqn import DQN
from learners.maskable_ppo import MaskablePPO
from learners.reinforce import Reinforce
from learners.training.loop import Progress, run, usual_schedule
from tttenv import Rules


@pytest.mark.trained
@pytest.mark.parametrize(
    ("name", "kind"), [("dqn", DQN), ("reinforce", Reinforce), ("maskable_ppo", MaskablePPO)]
)
def test_the_default_becomes_unbeatable(name, kind, reached):
    *_, report = run(kind(kind.Config(), Rules()), Rules(), usual_schedule(name), Progress())
    assert report.certificate.unbeatable
    reached("steps", report.step, below={"dqn": 2001, "reinforce": 1201, "maskable_ppo": 151}[name])
