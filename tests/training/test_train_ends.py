"""Ends of trainings: at the first unbeatable certificate, or after the requested steps."""

import pytest

from learners.selfplay import SelfPlay, SelfPlayConfig
from learners.training.loop import Progress, run, usual_schedule
from tttenv import Rules


@pytest.mark.trained
def test_training_ends_at_the_first_unbeatable_certificate():
    seen = list(
        run(SelfPlay(SelfPlayConfig(), Rules()), Rules(), usual_schedule("selfplay"), Progress())
    )
    assert [report.certificate.unbeatable for report in seen].index(True) == len(seen) - 1
    assert [report.last for report in seen].index(True) == len(seen) - 1
    assert seen[-1].unbeatable_at == (seen[-1].step, seen[-1].seconds)
    assert [report.step for report in seen] == list(range(5, seen[-1].step + 1, 5))


@pytest.mark.trained
def test_a_number_of_steps_asked_for_is_trained_in_full(reached):
    asked = usual_schedule("selfplay", steps=42)
    seen = list(run(SelfPlay(SelfPlayConfig(), Rules()), Rules(), asked, Progress()))
    assert [report.step for report in seen] == [*range(5, 41, 5), 42]
    first = next(report for report in seen if report.certificate.unbeatable)
    assert seen[-1].unbeatable_at == (first.step, first.seconds)
    reached("steps to the first unbeatable certificate", first.step, below=42)
