"""Self-play recipes: each runs, uses the masks, and ends with a certificate."""

import importlib
from pathlib import Path

import pytest

from learners.examples import self_play

RECIPES = {
    "pettingzoo_ppo": "pettingzoo",
    "sb3_maskable_ppo": "sb3_contrib",
    "skrl_ppo": "skrl",
    "torchrl_ppo": "torchrl",
}
ELSEWHERE = {
    "rllib_ppo",
    "tianshou_ppo",
}  # in tests/rllib and, since it compiles, in tests/training
FOLDER = Path(self_play.__file__).parent


def test_each_recipe_has_its_test_and_at_most_80_lines():
    files = {file.stem: file for file in FOLDER.glob("[a-z]*.py")}
    assert {*files} == {*RECIPES} | ELSEWHERE
    lines = {name: file.read_text(encoding="utf-8").count("\n") for name, file in files.items()}
    assert max(lines.values()) <= 80, lines


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("name", RECIPES)
def test_each_recipe_plays_legal_moves_and_ends_with_a_certificate(name, capsys):
    pytest.importorskip(RECIPES[name])
    recipe = importlib.import_module(f"learners.examples.self_play.{name}")
    found = recipe.train(seed=1, steps=2048)  # an illegal move would raise
    assert found.rules == "3,3,3"
    assert not set(found.worst_case.values()) - {-1.0, 0.0}  # it answers with one move a board
    assert f"worst case {found.worst_case}" in capsys.readouterr().out
