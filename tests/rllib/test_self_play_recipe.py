"""Self-play recipe with RLlib: it uses the masks and ends with a certificate."""

import pytest

pytest.importorskip("ray.rllib")

from self_play_recipes import recipe


def test_the_recipe_plays_legal_moves_and_ends_with_a_certificate(capsys):
    found = recipe("RLlib").train(seed=1, steps=4096)  # an illegal move would raise
    assert found.rules == "3,3,3"
    assert not set(found.worst_case.values()) - {-1.0, 0.0}  # it answers with one move a board
    assert f"worst case {found.worst_case}" in capsys.readouterr().out
