"""The prover against enumeration on sixteen cells and on every board that can be enumerated."""

import numpy as np
import pytest
from test_prover import ENUMERABLE, _agrees

import tttenv
from tttenv.exact import positions, solve
from tttenv.game.rules import Rules


def test_random_positions_of_sixteen_cells_have_the_values_that_enumeration_finds() -> None:
    rules = Rules(4, 4, 4)
    drawn = np.random.default_rng(0).choice(positions(rules).decisions, 10_000, replace=False)
    _agrees(rules, np.sort(drawn))


def test_every_empty_board_of_twelve_cells_has_the_value_that_enumeration_finds() -> None:
    for rules in (one for one in ENUMERABLE if one.cells <= 12):
        assert tttenv.prove(rules).value == solve(rules).value, rules


@pytest.mark.parametrize("text", ["3,4,3", "3,5,4", "3,5,5"])
def test_every_position_has_the_value_that_enumeration_finds(text: str) -> None:
    rules = Rules.of(text)
    _agrees(rules, positions(rules).decisions[:: len(positions(rules).decisions) // 5_000])
