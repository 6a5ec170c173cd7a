"""Sweeps: the order of settings, and the sampled values."""

import pytest

from learners.cli.halving import strength
from learners.cli.search_space import settings


def run(x, o, optimal=0.5, unbeatable_at=None):
    """Return a training's result: worst cases, share of optimal moves, unbeatable step."""
    certificate = {"worst_case": {"X": x, "O": o}, "optimal_moves": {"all": optimal}}
    return {"certificate": certificate, "unbeatable_at": unbeatable_at}


def test_settings_are_ordered_by_what_is_exact():
    from_worst_to_best = [
        [],
        [run(-1, -1)],
        [run(None, -0.5)],  # undecided counts as lost
        [run(-1, 0)],
        [run(-1, 0, optimal=0.6)],
        [run(-1, -1), run(0, 0, 1, unbeatable_at=(20, 1.0))],
        [run(0, 0, 1, unbeatable_at=(20, 1.0))],
        [run(0, 0, 1, unbeatable_at=(10, 2.0))],
    ]
    keys = [strength(values) for values in from_worst_to_best]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize(
    ("field", "low", "high"), [("lr", 1e-4, 1e-2), ("entropy", 0.0, 1.0), ("games", 1, 3)]
)
def test_values_are_drawn_between_the_bounds(field, low, high):
    ranges = [f"{field}={low}..{high}"]
    several = settings(["reinforce"], ["default"], ["3,3,3"], [], ranges, 30, 0, "sweep")
    values = [one.changes[field] for one in several]
    assert all(low <= value <= high and type(value) is type(high) for value in values)
    assert len(set(values)) == (3 if field == "games" else 30)
    again = settings(["reinforce"], ["default"], ["3,3,3"], [], ranges, 10, 0, "sweep")
    assert [one.changes[field] for one in again] == values[:10]
