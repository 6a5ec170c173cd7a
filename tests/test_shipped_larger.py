"""Shipped players for boards too large to list: certified again by the positions they reach."""

from pathlib import Path

import pytest

from tttenv import Rules, certify, player
from tttenv.checkpoint import read_card
from tttenv.exact.certificate import Certificate

FOLDERS = sorted(Path(__file__).parents[1].glob("checkpoints/larger/*"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_shipped_player_is_as_strong_as_its_card_says(folder):
    card = read_card(folder)
    found = certify(Rules.of(card["rules"]), player(str(folder)), method="reachable positions")
    shipped = Certificate.from_dict(card["certificate"])
    assert found.unbeatable
    assert shipped.unbeatable
    assert found.never_loses == shipped.never_loses == {"X": True, "O": found.value == 0}
    assert found.worst_case == shipped.worst_case
    assert found.worst_case["X"] == found.value == shipped.value
