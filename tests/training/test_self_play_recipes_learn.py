"""Two recipes for self-play become unbeatable."""

import pytest

from learners.examples.self_play import sb3_maskable_ppo, skrl_ppo


@pytest.mark.trained
@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("recipe", [sb3_maskable_ppo, skrl_ppo], ids=lambda recipe: recipe.__name__)
def test_self_play_becomes_unbeatable(recipe, reached):
    found = recipe.train(seed=0)
    reached("worst case as X", found.worst_case["X"], above=-0.5)
    reached("worst case as O", found.worst_case["O"], above=-0.5)
    assert found.unbeatable
