"""Bundled players for larger boards, certified again by the positions they reach."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from learners.training.checkpoint import load_policy
from tests.played_boards import played_boards
from tttenv import Rules, certify, player
from tttenv.certificates import reachability
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.metrics.arena import arena
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.exact import SEATS
from tttenv.game.types import Boards
from tttenv.players.stored.checkpoint import read_card
from tttenv.testing import check_policy

LARGE = "alphazero_995"
BEATABLE = (LARGE, "patterns_15155")  # on boards too large for perfect play
LONGEST = "alphazero_555"  # its certificate takes over an hour; here pairs end the games early
FOLDERS = sorted(Path(__file__).parents[2].glob("checkpoints/larger/*"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_shipped_player_is_as_strong_as_its_card_says(folder):
    card = read_card(folder)
    policy = player(f"{folder}/:pairing=true" if folder.name == LONGEST else str(folder))
    found = certify(Rules.of(card["rules"]), policy, method="reachable positions")
    shipped = Certificate.from_dict(card["certificate"])
    assert found.value == shipped.value
    assert found.never_loses == shipped.never_loses
    assert found.worst_case == shipped.worst_case
    if folder.name in BEATABLE:
        return
    assert found.unbeatable
    assert shipped.unbeatable
    assert found.never_loses == {"X": True, "O": found.value == 0}
    assert found.worst_case["X"] == found.value


@dataclass(frozen=True, eq=False)
class Opened(SeatedPlayer):
    """A player that continues games from the boards (boards, cells) of an opening."""

    opened: Boards

    def first_boards(self):
        """Return the opening's boards."""
        return self.opened


@pytest.mark.parametrize("seat", SEATS)
def test_without_pairs_no_reply_beats_the_network_after_random_openings(seat):
    rng = np.random.default_rng(0)
    policy, rules = player(LONGEST), Rules(5, 5, 5)
    boards = rng.choice(SeatedPlayer(rules, policy, seat, LONGEST).first_boards(), 10)
    for _ in range(3):  # a move and a random reply in each game
        boards[range(10), policy(boards).argmax(axis=1)] = 1
        replies = [rng.choice(np.flatnonzero(board == 0)) for board in boards]
        boards[range(10), replies] = -1
    options = reachability.SearchOptions(followed=0, may_always_win=False)
    found = reachability.Search(Opened(rules, policy, seat, LONGEST, boards), options).run()
    assert found.never_loses
    assert not found.pairing


@pytest.mark.parametrize("seat", "XO")
def test_the_network_for_the_large_board_beats_a_tree_search(seat):
    rules = Rules(9, 9, 5)
    network = player(f"{FOLDERS[0].parent / LARGE}:simulations=32", rules)
    found = arena(rules, network, player("mcts:iterations=1000", rules), seat, 10)
    assert found.value >= 0.5


OTHER_BOARDS = [(3, 3, 3), (4, 4, 4), (4, 6, 4), (7, 7, 5), (15, 15, 5)]
ALPHAZEROS = [folder for folder in FOLDERS if read_card(folder)["learner"] == "alphazero"]


@pytest.mark.parametrize(("simulations", "threes"), [(0, 0), (2, 0), (2, 10)])
@pytest.mark.parametrize("size", OTHER_BOARDS, ids=str)
@pytest.mark.parametrize("folder", ALPHAZEROS, ids=lambda folder: folder.name)
def test_an_alphazero_network_plays_boards_it_has_not_learned(
    folder, size, simulations, threes, tmp_path
):
    rules = Rules(*size)
    claimed = tmp_path / folder.name  # the same weights, and a card that names the board
    shutil.copytree(folder, claimed)
    card = json.loads((claimed / "card.json").read_text("utf8"))
    (claimed / "card.json").write_text(json.dumps(card | {"rules": str(rules)}), "utf8")
    policy = player(f"{folder}/:simulations={simulations},threes={threes}", rules)
    boards = played_boards(rules, 20)
    assert (policy(boards) == load_policy(claimed, simulations, threes)(boards)).all()
    check_policy(policy, rules, count=40)
    assert policy.traits.equivariant


@pytest.mark.parametrize("folder", ALPHAZEROS, ids=lambda folder: folder.name)
def test_an_alphazero_network_is_unbeatable_on_the_small_board_too(folder):
    assert certify(Rules(), player(str(folder), Rules())).unbeatable
