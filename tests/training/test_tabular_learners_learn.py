"""Learners that keep tables become unbeatable as repaired, and are as strong as published."""

import pytest
from test_tabular_learners import NAMES, RULES, trained

from learners.training.loop import Progress, run, usual_schedule
from tttenv.certificates.certificate import certify


@pytest.mark.trained
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NAMES)
def test_the_default_becomes_unbeatable(name, seed, reached):
    learner = trained(name, "default", 0, seed=seed)
    *_, last = run(learner, RULES, usual_schedule(name), Progress())
    assert last.certificate.unbeatable
    reached("steps", last.step, below=usual_schedule(name).steps + 1)
    assert last.certificate.vs_random["X"][0] <= 191 / 192 + 1e-9
    assert last.certificate.vs_random["O"][0] <= 866 / 945 + 1e-9


@pytest.mark.trained
def test_td0_as_published_wins_against_random_and_stays_beatable(reached):
    learner = trained("td0", "published", 54)  # 108,000 episodes
    certificate = certify(RULES, learner.policy())
    as_x, as_o = (certificate.vs_random[seat][0] for seat in "XO")
    reached("wins as X", as_x, above=0.93)  # random moves: 0.585
    reached("wins as O", as_o, above=0.45, below=0.94)  # random moves: 0.288; .86 to .92 in the end
    assert certificate.worst_case["O"] == -1
    assert not certificate.unbeatable


@pytest.mark.trained
def test_td0_comes_near_the_solved_game(reached):
    learner = trained("td0", "default", 0)
    errors = [learner.step()["rms_error"] for _ in range(100)]
    reached("first error", errors[0], above=0.3)
    reached("last error", errors[-1], below=0.1)


@pytest.mark.trained
def test_the_published_q_table_knows_nearly_every_class(reached):
    learner = trained("qtable", "published", 140, games=10, batches=10)
    items = int(learner.known.sum())
    reached("items", items, above=739, below=765)
    against_random = certify(RULES, learner.policy()).vs_random
    reached("wins as X", against_random["X"][0], above=0.8, below=0.98)
    reached("wins as O", against_random["O"][0], above=0.45, below=0.86)


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
