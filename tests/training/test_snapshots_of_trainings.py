"""Snapshots of whole trainings: of bundled players, and of an interrupted training."""

from pathlib import Path

import numpy as np
import pytest

from learners.registry import LEARNERS
from learners.training.loop import usual_schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.certificates.curve import Curve
from tttenv.certificates.snapshots import MOST, read, table_of
from tttenv.players.stored.checkpoint import SNAPSHOTS, read_card, read_data

SHIPPED = Path(__file__).parents[2] / "checkpoints"
RULES = Rules()


def read_from(folder):
    card = read_card(folder)
    return read(folder, card, RULES, Curve.from_card(card))


@pytest.mark.parametrize("name", list(LEARNERS))
def test_shipped_snapshots_are_the_players_that_their_curves_measure(name):
    card = read_card(SHIPPED / name)
    curve, found = Curve.from_card(card), read_from(SHIPPED / name)
    assert {curve.steps[0], curve.steps[-1]} <= set(found) <= set(curve.steps)
    assert len(found) == min(len(curve.steps), len(found)) <= MOST
    assert len(found) == len(curve.steps) or len(found) > (MOST - 5) // 2  # every second one left
    for step, moves in found.items():
        table, at = table_of(RULES, moves), curve.steps.index(step)
        exact = certify(RULES, table)
        told = [curve.worst["X"][at], curve.worst["O"][at], curve.optimal[at]]
        wanted = [*exact.worst_case.values(), exact.optimal_moves["all"]]
        assert told == pytest.approx(wanted, abs=1e-6)
    np.testing.assert_array_equal(table.table, player(name, RULES).table)


def test_snapshots_of_a_training_that_stopped_are_those_of_one_that_did_not(tmp_path):
    config = LEARNERS.load("td0").Config(games=1)
    for steps in (8, 20):
        schedule = usual_schedule("td0", steps=steps, every=1)
        train("td0", config, RULES, schedule, tmp_path / "stopped", resume=steps > 8)
    train("td0", config, RULES, usual_schedule("td0", steps=20, every=1), tmp_path / "through")
    files = [read_data(tmp_path / name, SNAPSHOTS)[1] for name in ("stopped", "through")]
    assert files[0] == files[1]
    found = read_from(tmp_path / "through")
    assert list(found)[:3] == [0, 2, 4]
    assert list(found)[-1] == 20
    assert len({moves.tobytes() for moves in found.values()}) > 5  # it learns
