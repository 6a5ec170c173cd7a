"""Two recipes for self-play become unbeatable; Tianshou's, which compiles first, runs."""

import pytest
from self_play_recipes import recipe


@pytest.mark.trained
@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("library", ["Stable-Baselines3", "skrl"])
def test_self_play_becomes_unbeatable(library, reached):
    found = recipe(library).train(seed=0)
    reached("worst case as X", found.worst_case["X"], above=-0.5)
    reached("worst case as O", found.worst_case["O"], above=-0.5)
    assert found.unbeatable


@pytest.mark.usefixtures("seeded")
def test_tianshou_plays_legal_moves_and_ends_with_a_certificate(capsys):
    found = recipe("Tianshou 2").train(seed=1, steps=4096)  # an illegal move would raise
    assert not set(found.worst_case.values()) - {-1.0, 0.0}  # it answers with one move a board
    assert f"worst case {found.worst_case}" in capsys.readouterr().out
