"""Choice of moves as stated in a checkpoint's card."""

import json

import pytest
from test_symmetric_player import require_equivariant

from learners.registry import LEARNERS
from learners.reinforce import Reinforce, ReinforceConfig
from learners.training.checkpoint import load_policy, save
from tttenv import Rules, certify, player
from tttenv.exact import positions
from tttenv.players import bundled
from tttenv.players.stored.checkpoint import CARD, read_card
from tttenv.players.symmetric_player import canonical_player
from tttenv.policy import player_for
from tttenv.testing import some_boards

SQUARE = Rules(3, 3, 3)
SMALL = {"hidden": [8], "games": 2}
ABOUT = {"learner": "reinforce", "preset": "default", "config": SMALL, "steps": 0}
TABLES = ("td0", "qtable", "genetic", "patterns")  # whose outputs are not rounded
NEAR = {"lms": 2**-30} | dict.fromkeys(TABLES)  # all others: 2**-14
CANONICAL = "alphazero", "reinforce", "maskable_ppo"


def untrained(rules):
    return Reinforce(ReinforceConfig(hidden=(8,), games=2), rules)


@pytest.mark.parametrize("name", list(LEARNERS))
def test_the_trained_players_cards_say_how_they_choose(name):
    choice = read_card(bundled.home() / name)["choice"]
    assert choice == {"tolerance": NEAR.get(name, 2**-14), "canonical": name in CANONICAL}


@pytest.mark.parametrize("rules", [SQUARE, Rules(5, 5, 4)], ids=str)
@pytest.mark.parametrize("canonically", [False, True])
def test_the_card_says_how_the_player_chooses_and_it_is_played_so(tmp_path, rules, canonically):
    learner = untrained(rules)
    policy = learner.policy()
    wanted = canonical_player(player_for(rules, policy)) if canonically else policy
    learner.policy = lambda: wanted
    save(tmp_path, learner, rules, ABOUT)
    assert read_card(tmp_path)["choice"] == {"tolerance": 2**-14, "canonical": canonically}
    boards = some_boards(rules, 500)
    for made in (player(f"{tmp_path}/"), load_policy(tmp_path)):
        assert made.traits.equivariant == canonically
        assert (made(boards) == wanted(boards)).all()
    if rules == SQUARE:
        assert certify(rules, made).to_dict() == read_card(tmp_path)["certificate"]
    queried = player(f"{tmp_path}/:canonical=true")
    assert (queried(boards) == canonical_player(player_for(rules, policy))(boards)).all()


def changed(folder, choice):
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | {"choice": choice}))


def test_a_card_that_says_nothing_is_played_as_usual(tmp_path):
    learner = untrained(SQUARE)
    save(tmp_path, learner, SQUARE, ABOUT)
    for choice in ({}, {"tolerance": 0}, {"tolerance": None, "canonical": False, "more": [1]}):
        changed(tmp_path, choice)
        assert (player(f"{tmp_path}/").table == learner.policy().table).all()
    card = json.loads((tmp_path / CARD).read_text())
    del card["choice"]
    (tmp_path / CARD).write_text(json.dumps(card))
    assert (player(f"{tmp_path}/").table == learner.policy().table).all()


@pytest.mark.parametrize(
    "choice",
    [None, [], {"canonical": 1}, {"tolerance": True}, {"tolerance": "\x1b]0;pwn\x07"}]
    + [{"tolerance": -1}, {"tolerance": 10**400}, {"tolerance": [[]] * 10_000}],
)
def test_a_choice_that_is_none_is_refused_in_a_line(tmp_path, choice):
    learner = untrained(SQUARE)
    save(tmp_path, learner, SQUARE, ABOUT)
    changed(tmp_path, choice)
    for way in (load_policy, lambda folder: player(f"{folder}/")):
        with pytest.raises(ValueError, match=r"^[^\n\x1b]*choice[^\n\x1b]*$") as refusal:
            way(tmp_path)
        assert len(str(refusal.value)) < 600 + len(str(tmp_path))


def test_a_claim_of_a_card_makes_no_table_equivariant(tmp_path):
    learner = untrained(SQUARE)
    save(tmp_path, learner, SQUARE, ABOUT)
    changed(tmp_path, {"canonical": True})  # but the file's table is not
    boards = positions(SQUARE).boards[positions(SQUARE).decisions]
    require_equivariant(SQUARE, player(f"{tmp_path}/"), boards)
