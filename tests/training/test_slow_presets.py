"""Invariants of learners for the presets that take seconds per step."""

import pytest
from test_learners import SLOW

from learners.registry import LEARNERS
from learners.testing import check_learner
from tttenv import Rules


@pytest.mark.parametrize(("name", "preset"), SLOW)
def test_the_slow_presets_obey_the_laws(name, preset):
    kind = LEARNERS.load(name)
    check_learner(kind, Rules(), kind.presets[preset], steps=2)
