"""Deep learners become unbeatable within their usual steps."""

import pytest

from learners.dqn import DQN
from learners.maskable_ppo import MaskablePPO
from learners.reinforce import Reinforce
from learners.training.loop import Progress, run, usual_schedule
from learners.transformer import Transformer, follow_histories
from tttenv import Rules


@pytest.mark.trained
@pytest.mark.parametrize(
    ("name", "kind"), [("dqn", DQN), ("reinforce", Reinforce), ("maskable_ppo", MaskablePPO)]
)
def test_the_default_becomes_unbeatable(name, kind, reached):
    *_, report = run(kind(kind.Config(), Rules()), Rules(), usual_schedule(name), Progress())
    assert report.certificate.unbeatable
    reached("steps", report.step, below={"dqn": 2001, "reinforce": 1201, "maskable_ppo": 151}[name])


@pytest.mark.trained
def test_a_transformer_never_loses_in_any_order_of_moves(reached):
    learner = Transformer(Transformer.Config(), Rules())
    *_, report = run(learner, Rules(), usual_schedule("transformer"), Progress())
    assert report.certificate.unbeatable
    reached("steps", report.step, below=801)
    while learner.steps < 800:
        learner.step()
    for seat in range(2):
        assert follow_histories(Rules(), learner.average, seat).worst_case == 0
