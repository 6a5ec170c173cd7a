"""Bundled players in checkpoints/: complete, small, and as strong as their cards state."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from learners.cli import benchmark
from learners.registry import LEARNERS
from tttenv import Rules, certify, player
from tttenv.certificates.certificate import Certificate
from tttenv.players import PLAYERS, checkpoint_of, rules_of
from tttenv.players import bundled as shipped
from tttenv.players.stored.checkpoint import read_card
from tttenv.testing import some_boards

SHIPPED = Path(__file__).parents[2] / "checkpoints"


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_learner_ships_a_player_whose_certificate_can_be_computed_again(name):
    folder = SHIPPED / name
    card = read_card(folder)
    found = certify(Rules(), player(str(folder)))
    stated = Certificate.from_dict(card["certificate"])
    assert found == replace(stated, more=found.more)  # a metric may be newer than the card
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert found.unbeatable


def test_what_is_shipped_is_small_and_needs_no_training_state():
    for card in SHIPPED.rglob("card.json"):
        files = {file.name: file.stat().st_size for file in card.parent.iterdir()}
        named = read_card(card.parent)["files"]
        assert set(files) == {"card.json", *named}
        large = card.parent.parent.name == "larger"  # boards whose table would be
        roles = {name.removesuffix(".safetensors").partition("-")[0] for name in named}
        assert roles == ({"weights"} if large else {"weights", "policy", "snapshots"})
        assert sum(files.values()) < 1_000_000


@pytest.mark.parametrize("name", list(LEARNERS))
def test_a_trained_player_is_known_by_its_name_from_any_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named, by_folder = player(name), player(str(SHIPPED / name))
    np.testing.assert_array_equal(named.table, by_folder.table)


def test_one_for_a_larger_board_brings_its_rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert rules_of("reinforce_444") == Rules(4, 4, 4)
    with pytest.raises(ValueError, match=r"plays 4,4,4, not 3,3,3$"):
        player("reinforce_444", Rules())


def test_rows_of_the_table_come_before_trained_players(tmp_path, monkeypatch):
    (tmp_path / "minimax").mkdir()
    (tmp_path / "minimax" / "card.json").touch()
    monkeypatch.setattr(shipped, "home", lambda: tmp_path)
    assert shipped.names() == ["minimax"]
    assert checkpoint_of("minimax") is None
    assert checkpoint_of("random") is None
    assert not set(shipped.names()) - set(PLAYERS)


@pytest.mark.parametrize("spec", ["selfplay", "{}/selfplay", "{}/selfplay/"])
def test_options_of_a_checkpoint_go_through_the_same_grammar(spec):
    spec = spec.format(SHIPPED)
    with pytest.raises(
        ValueError,
        match=r"selfplay has no option 'x'; it takes canonical, simulations, threes, pairing$",
    ):
        player(f"{spec}:x=1")
    with pytest.raises(ValueError, match="options must be written option=value, not 'x'"):
        player(f"{spec}:x")
    assert player(f"{spec}:") is not None
    assert rules_of(f"{spec}:x=1") == Rules()


def test_line_patterns_play_every_board_with_their_k_and_no_other():
    larger = Rules(4, 5, 3)
    assert player("patterns", larger)(larger.start()[None]).sum() == 1
    with pytest.raises(ValueError, match=r"patterns plays 3 in a row, not 4$"):
        player("patterns", Rules(4, 5, 4))


def test_a_search_is_an_option_of_players_that_search():
    boards = some_boards(Rules(), 50)
    searching = player("alphazero:simulations=16")
    assert (searching(boards).sum(axis=1) == 1).all()
    assert (searching(boards[::-1])[::-1] == searching(boards)).all()
    assert certify(Rules(), searching).unbeatable
    for name in set(LEARNERS) - {"alphazero"}:
        for option in ("simulations", "threes"):
            with pytest.raises(ValueError, match=f"a player of {name} does not search"):
                player(f"{name}:{option}=16")
    for wrong in (-1, 10**9):
        with pytest.raises(ValueError, match=r"^simulations must be|^there can be at most"):
            player(f"alphazero:simulations={wrong}")
    assert certify(Rules(), player("alphazero:simulations=4,threes=100")).unbeatable
    for options in ("threes=9", "simulations=4,threes=-1", f"simulations=4,threes={10**12}"):
        with pytest.raises(ValueError, match=r"^threes"):
            player(f"alphazero:{options}")


def test_a_folder_may_have_a_colon_in_its_name(tmp_path):
    place = tmp_path / "a:b"
    place.mkdir()
    for file in (SHIPPED / "td0").iterdir():
        (place / file.name).write_bytes(file.read_bytes())
    assert player(str(place)).table.shape == (5478, 9)


def test_shipping_copies_the_players_without_what_resumes_their_training(tmp_path):
    cards = {name: read_card(SHIPPED / name) for name in LEARNERS}
    trainings = [{**card, "seed": 0, "folder": str(SHIPPED / name)} for name, card in cards.items()]
    benchmark.ship({"trainings": trainings, "learners": []}, 0, tmp_path)
    assert {name: read_card(tmp_path / name) for name in LEARNERS} == cards


def test_shipping_some_learners_keeps_the_results_of_the_others(tmp_path):
    for name, median in (("lms", 3), ("td0", 1), ("lms", 2)):
        row = {"learner": name, "median_seconds": median}
        benchmark.ship({"trainings": [], "learners": [row]}, 0, tmp_path)
    rows = benchmark.measured(tmp_path)
    assert [tuple(row.values()) for row in rows] == [("td0", 1), ("lms", 2)]
