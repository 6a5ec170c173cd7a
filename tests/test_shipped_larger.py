"""Shipped players for boards too large to list: certified again by the positions they reach."""

from pathlib import Path

import pytest

from tttenv import Rules, certify, player
from tttenv.checkpoint import read_card
from tttenv.exact.certificate import Certificate
from tttenv.metrics.arena import arena

LARGE = "alphazero_995"
FOLDERS = sorted(Path(__file__).parents[1].glob("checkpoints/larger/*"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_shipped_player_is_as_strong_as_its_card_says(folder):
    card = read_card(folder)
    found = certify(Rules.of(card["rules"]), player(str(folder)), method="reachable positions")
    shipped = Certificate.from_dict(card["certificate"])
    assert found.value == shipped.value
    assert found.never_loses == shipped.never_loses
    assert found.worst_case == shipped.worst_case
    if folder.name == LARGE:  # nobody knows what 9,9,5 is worth, and this player can be beaten
        return
    assert found.unbeatable
    assert shipped.unbeatable
    assert found.never_loses == {"X": True, "O": found.value == 0}
    assert found.worst_case["X"] == found.value


@pytest.mark.parametrize("seat", "XO")
def test_the_network_for_the_large_board_beats_a_tree_search(seat):
    rules = Rules(9, 9, 5)
    network = player(f"{FOLDERS[0].parent / LARGE}:simulations=32", rules)
    found = arena(rules, network, player("mcts:iterations=1000", rules), seat, 10)
    assert found.value >= 0.5
