"""The players in checkpoints/: whole, small, and as strong as their cards say."""

import json
from pathlib import Path

import pytest

from learners.registry import LEARNERS
from learners.training.checkpoint import load_policy
from tttenv import Rules, certify, player
from tttenv.checkpoint import read_card

SHIPPED = Path(__file__).parents[1] / "checkpoints"


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_learner_ships_a_player_whose_certificate_can_be_computed_again(name):
    folder = SHIPPED / name
    card = read_card(folder)
    found = certify(Rules(), player(str(folder))).to_dict()
    assert json.loads(json.dumps(found)) == card["certificate"]
    assert found["unbeatable"]


@pytest.mark.parametrize("name", list(LEARNERS))
def test_weights_alone_play_as_the_shipped_table_does(name):
    folder = SHIPPED / name
    again = certify(Rules(), load_policy(folder)).to_dict()
    shipped = read_card(folder)["certificate"]
    assert again["worst_case"] == shipped["worst_case"]
    assert again["vs_random"]["X"] == pytest.approx(shipped["vs_random"]["X"], abs=1e-6)


def test_what_is_shipped_is_small_and_needs_no_training_state():
    whole = {"card.json", "weights.safetensors", "policy.safetensors"}
    for card in SHIPPED.rglob("card.json"):
        files = {file.name: file.stat().st_size for file in card.parent.iterdir()}
        large = card.parent.parent.name == "larger"  # boards whose table would be
        assert set(files) == whole - ({"policy.safetensors"} if large else set())
        assert sum(files.values()) < 1_000_000
