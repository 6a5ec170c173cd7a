"""Snapshots of whole trainings: those of bundled players."""

from pathlib import Path

import numpy as np
import pytest

from learners.registry import LEARNERS
from tttenv import Rules, certify, player
from tttenv.certificates.curve import Curve
from tttenv.certificates.snapshots import MOST, read, table_of
from tttenv.players.stored.checkpoint import read_card

SHIPPED = Path(__file__).parents[2] / "checkpoints"
RULES = Rules()


@pytest.mark.parametrize("name", list(LEARNERS))
def test_shipped_snapshots_are_the_players_that_their_curves_measure(name):
    card = read_card(SHIPPED / name)
    curve = Curve.from_card(card)
    found = read(SHIPPED / name, card, RULES, curve)
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
