"""Player with pairing strategies: it never loses where it claims not to."""

import numpy as np
import pytest
from played_boards import played_boards

from tttenv import Rules, certify, player
from tttenv.certificates import reachability
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.exact import positions

SIZES = [(3, 3, 3), (3, 4, 3), (2, 5, 3), (4, 4, 4), (5, 5, 4), (5, 5, 5)]


def boards_of(rules):
    if rules.cells <= 10:
        game = positions(rules)
        return game.boards[game.decisions]
    return played_boards(rules, 200)


@pytest.mark.parametrize("spec", ["first", "tactical"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_claim_survives_every_reply(size, spec):
    """So it never loses from there, by induction over the empty cells."""
    rules = Rules(*size)
    policy = player(f"pairing:player={spec}", rules)
    boards = boards_of(rules)
    claimed = boards[policy.holds(boards)]
    assert len(claimed) > 0
    rows, cells = np.nonzero(policy(claimed) > 0)
    after = rules.play(claimed[rows], cells)
    after = after[~rules.over(after)]
    rows, cells = np.nonzero(after == 0)
    replied = rules.play(after[rows], cells)
    assert not rules.lost(replied).any()
    left = replied[~rules.over(replied)]
    assert policy.holds(left).all()


@pytest.mark.parametrize("size", SIZES[:3], ids=str)
def test_without_a_claim_it_plays_as_the_other_player(size):
    rules = Rules(*size)
    bare, policy = player("first", rules), player("pairing:player=first", rules)
    boards = boards_of(rules)
    open_boards = boards[~policy.holds(boards)]
    same = (policy(open_boards) == bare(open_boards)).all(axis=1)
    assert same.any()
    cells = policy(open_boards[~same]).argmax(axis=1)
    assert rules.lost(rules.play(open_boards[~same], cells)).all()  # a win comes first


@pytest.mark.parametrize("seat", "XO")
def test_leaving_out_what_it_holds_changes_no_verdict(seat):
    rules = Rules(3, 4, 4)
    policy = player("pairing:player=first", rules)
    seated = SeatedPlayer(rules, policy, seat, "the player")
    full = reachability.Search(seated).run()
    cut = reachability.Search(
        seated, reachability.SearchOptions(followed=0, may_always_win=False)
    ).run()
    assert cut.never_loses == full.never_loses
    assert cut.positions <= full.positions
    assert cut.pairing is True
    assert full.pairing is False


def test_the_certificate_says_that_it_rests_on_pairs():
    rules = Rules(5, 5, 5)
    found = certify(rules, "pairing:player=first", positions=3_000)
    assert found.never_loses == {"X": True, "O": True}
    assert found.pairing == {"X": True, "O": True}
    assert certify(Rules(), "pairing:player=first").pairing is None
