"""Numbers in the page's data, table of players and table of published results, as text."""

import numpy as np
import pytest

from tttenv.certificates.certificate import TINY
from tttenv.exact import positions
from tttenv.report.data import quantised
from tttenv.report.load_players import RULES, from_specs


@pytest.mark.parametrize("spec", ["minimax:ties=first", "minimax", "random"])
def test_the_data_hold_every_probability_to_the_nearest_of_255_steps(spec):
    (shown,) = from_specs([spec])
    probs = shown.table.table[positions(RULES).successors >= 0]
    steps = quantised(shown)
    assert ((steps > 0) == (probs > TINY)).all()
    assert np.abs(steps - 255 * probs).max() <= 0.5
