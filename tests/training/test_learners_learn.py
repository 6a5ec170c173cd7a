"""Learners become unbeatable as repaired, in their usual steps, and are as strong as published."""

import pytest
from test_learners import SLOW
from test_tabular_learners import RULES, trained

from learners.registry import LEARNERS
from learners.testing import check_learner
from learners.training.loop import Progress, run
from learners.training.run import usual_schedule

BELOW = {  # steps, below which a default is unbeatable
    "selfplay": 101,
    "td0": 201,
    "qtable": 201,
    "genetic": 601,
    "supervised": 201,
    "lms": 2001,
    "dqn": 2001,
    "reinforce": 401,
    "transformer": 801,
    "patterns": 101,
    "maskable_ppo": 151,
}


@pytest.mark.trained
@pytest.mark.parametrize("name", BELOW)
def test_the_default_becomes_unbeatable_and_its_training_ends_where_it_held(name, reached):
    learner, schedule = trained(name, "default", 0), usual_schedule(name)
    *before, last = run(learner, RULES, schedule, Progress())
    assert last.certificate.unbeatable
    assert [report.last for report in (*before, last)] == [False] * len(before) + [True]
    held = [report.in_a_row["unbeatable"] for report in before]
    assert (held[-3:], max(held)) == ([1, 2, 3], 3)
    steps = [report.step for report in before]
    assert steps == list(range(schedule.every, steps[-1] + 1, schedule.every))
    assert last.step == steps[-3]
    assert last.unbeatable_at[0] == steps[held.index(1)]
    reached("steps", last.unbeatable_at[0], below=BELOW[name])
    assert last.certificate.vs_random["X"][0] <= 191 / 192 + 1e-9
    assert last.certificate.vs_random["O"][0] <= 866 / 945 + 1e-9


@pytest.mark.trained
def test_a_number_of_steps_asked_for_is_trained_in_full(reached):
    asked = usual_schedule("selfplay", steps=42)
    seen = list(run(trained("selfplay", "default", 0), RULES, asked, Progress()))
    assert [report.step for report in seen] == [*range(5, 41, 5), 42]
    first = next(report for report in seen if report.certificate.unbeatable)
    assert seen[-1].unbeatable_at == (first.step, first.seconds)
    reached("steps to the first unbeatable certificate", first.step, below=42)


@pytest.mark.parametrize(("name", "preset"), SLOW)
def test_the_slow_presets_obey_the_laws(name, preset):
    kind = LEARNERS.load(name)
    check_learner(kind, RULES, kind.presets[preset], steps=2)


@pytest.mark.trained
def test_self_play_as_published_stays_beatable_as_o_though_the_losses_are_small(reached):
    schedule = usual_schedule("selfplay", "published", steps=600, every=100)
    first, *_, last = run(trained("selfplay", "published", 0), RULES, schedule, Progress())
    assert last.certificate.worst_case["O"] == pytest.approx(-1, abs=1e-9)
    reached("optimal moves", last.certificate.optimal_moves["all"], above=0.9)
    for loss in ("train/loss_X", "train/loss_O"):
        reached(loss, last.numbers[loss], below=0.03)
        reached(f"{loss} of the first", last.numbers[loss] / first.numbers[loss], below=0.5)


@pytest.mark.trained
def test_holding_classes_out_leaks_no_image_of_them(reached):
    learner = trained("supervised", "default", 0, holdout=0.2)
    assert len(learner.held_out) == 125
    assert len(learner.inputs) == 8 * (627 - 125)
    learned = {
        tuple(row) for row in learner.inputs[:, :9].numpy() - learner.inputs[:, 9:18].numpy()
    }
    assert not learned & {tuple(row) for row in learner.held_out}
    for _ in range(15):
        share = learner.step()["held_out"]
    reached("optimal on held out boards", share, above=0.6, below=1)
