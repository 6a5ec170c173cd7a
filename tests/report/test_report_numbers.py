"""Numbers in the page's data, table of players and table of published results, as text."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest

from tttenv.certificates.certificate import TINY
from tttenv.exact import positions
from tttenv.report import leaderboard, published
from tttenv.report.data import quantised
from tttenv.report.load_players import RULES, from_specs

ROOT = Path(__file__).parents[2]
PUBLISHED = json.loads((ROOT / "checkpoints/published.json").read_text())["rows"]


@pytest.mark.parametrize("spec", ["minimax:ties=first", "minimax", "random"])
def test_the_data_hold_every_probability_to_the_nearest_of_255_steps(spec):
    (shown,) = from_specs([spec])
    probs = shown.table.table[positions(RULES).successors >= 0]
    steps = quantised(shown)
    assert ((steps > 0) == (probs > TINY)).all()
    assert np.abs(steps - 255 * probs).max() <= 0.5


def test_published_numbers_have_minus_signs_and_missing_ones_a_dash():
    told = re.findall(r"<td>([^<]*)</td>", published.html(PUBLISHED))
    assert not [text for text in told if re.match(r"-\.?\d", text)]
    assert [text for text in told if re.match(r"\N{MINUS SIGN}\.?\d", text)]
    assert "-" in told
    assert "\N{MINUS SIGN}" not in told


@pytest.mark.parametrize("in_all", [False, True])
def test_slanted_seconds_are_explained_where_there_are_any(in_all):
    (player,) = from_specs(["first"])
    timed = dataclasses.replace(player, seconds=2.0, in_all=in_all)
    assert ("slanted" in str(leaderboard.notes([player, timed]))) == in_all
    assert "Seconds" not in str(leaderboard.notes([player]))
