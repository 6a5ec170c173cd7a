"""Self-play recipes: each runs, uses the masks, and ends with a certificate."""

import pytest
from self_play_recipes import RECIPES, recipe

MODULES = {
    "PettingZoo": "pettingzoo",
    "Stable-Baselines3": "sb3_contrib",
    "skrl": "skrl",
    "TorchRL": "torchrl",
}
ELSEWHERE = {"RLlib", "Tianshou 2"}  # in tests/rllib and, since it compiles, in tests/training


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("library", sorted({*RECIPES} - ELSEWHERE))
def test_each_recipe_plays_legal_moves_and_ends_with_a_certificate(library, capsys):
    pytest.importorskip(MODULES[library])
    found = recipe(library).train(seed=1, steps=2048)  # an illegal move would raise
    assert found.rules == "3,3,3"
    assert not set(found.worst_case.values()) - {-1.0, 0.0}  # it answers with one move a board
    assert f"worst case {found.worst_case}" in capsys.readouterr().out
