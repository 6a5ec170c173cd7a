"""Two recipes for self-play become unbeatable; Tianshou's, which compiles first, runs."""

import pytest

from learners.examples.self_play import sb3_maskable_ppo, skrl_ppo, tianshou_ppo


@pytest.mark.trained
@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("recipe", [sb3_maskable_ppo, skrl_ppo], ids=lambda recipe: recipe.__name__)
def test_self_play_becomes_unbeatable(recipe, reached):
    found = recipe.train(seed=0)
    reached("worst case as X", found.worst_case["X"], above=-0.5)
    reached("worst case as O", found.worst_case["O"], above=-0.5)
    assert found.unbeatable


@pytest.mark.usefixtures("seeded")
def test_tianshou_plays_legal_moves_and_ends_with_a_certificate(capsys):
    found = tianshou_ppo.train(seed=1, steps=4096)  # an illegal move would raise
    assert not set(found.worst_case.values()) - {-1.0, 0.0}  # it answers with one move a board
    assert f"worst case {found.worst_case}" in capsys.readouterr().out
