"""Merging of symmetric positions only for equivariant players, ties included."""

import numpy as np
import pytest

from tttenv import Rules, player
from tttenv.certificates import POSITIONS, reachability
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.players import PLAYERS
from tttenv.players.symmetric_player import Canonical
from tttenv.policy import Wrapped, blend, player_for, uniform
from tttenv.reach import require_images_alike
from tttenv.testing import some_boards

GAMES = [Rules(), Rules(4, 4, 3), Rules(4, 4, 4), Rules(3, 4, 3), Rules(5, 4, 4)]
by_seat = pytest.mark.parametrize("seat", "XO")
FIELDS = ("never_loses", "always_wins", "one_move")


def declared(rules):
    """Return all players that declare themselves equivariant."""
    named = {name: player(name, rules) for name in ("random", "tactical", "pairing")}
    mixed = blend(rules, named["tactical"], uniform, 0.2)
    depth = 3 if rules.cells <= 20 else 1
    to_depth = player(f"alphabeta:depth={depth},width={rules.cells},threats=0", rules)
    return {
        **named,
        "blend": mixed,
        "one step": Canonical(player("alphabeta:depth=1,ties=first", rules)),
        "to a depth": to_depth,
    }


def search(rules, policy, seat, images=True, **options):
    known = player_for(rules, policy)
    known = known if images else Wrapped(known, equivariant=False)
    seated = SeatedPlayer(rules, known, seat, "the player")
    return reachability.Search(seated, reachability.SearchOptions(**options)).run()


def test_the_players_that_declare_it_are_these():
    rules = Rules()
    told = {name for name in PLAYERS if player(name, rules).traits.equivariant}
    assert told == {"random", "tactical", "pairing"}
    assert all(one.traits.equivariant for one in declared(rules).values())
    # A search that is cut off short, or tries some of the moves, hangs on their order.
    for options in ("nodes=100", "depth=2,nodes=9", "depth=2,width=8", "depth=2,ties=first"):
        assert not player(f"alphabeta:{options}", rules).traits.equivariant
    assert not player("alphabeta:depth=2,threats=30", Rules(5, 5, 4)).traits.equivariant


@pytest.mark.parametrize("name", declared(Rules()))
@pytest.mark.parametrize("rules", [*GAMES, Rules(6, 7, 5), Rules(19, 19, 5)], ids=str)
def test_who_declares_it_plays_images_on_images(rules, name):
    require_images_alike(declared(rules)[name], some_boards(rules, seed=0)[:20], name)


@pytest.mark.parametrize("name", declared(Rules()))
@pytest.mark.parametrize("rules", GAMES[:2], ids=str)
@by_seat
def test_the_full_graph_and_its_quotient_give_the_same_verdicts(rules, name, seat):
    policy = declared(rules)[name]
    # All that a mixed player can reach on 4 by 4 are millions of positions: up to the first loss.
    small = rules.cells < 16 or name == "one step"
    more = {"followed": POSITIONS if small else 0}
    full = search(rules, policy, seat, images=False, **more)
    found = search(rules, policy, seat, **more)
    assert full.symmetry is None
    assert "mirror images" in found.symmetry
    assert found.positions < full.positions
    assert [getattr(found, name) for name in FIELDS] == [getattr(full, name) for name in FIELDS]
    assert full.never_loses is not None
    assert len(found.losing_line or []) == len(full.losing_line or [])
    if small:
        assert found.vs_random == pytest.approx(full.vs_random, abs=1e-12)


class Corner:
    """Player that declares itself equivariant, but breaks ties by the number of the cell."""

    equivariant = True

    def __init__(self, rules, stones):
        self.rules, self.stones = rules, stones

    def __call__(self, boards):
        """Return uniform probabilities, or on some boards the first cell, (batch, cells)."""
        probs = uniform(boards)
        first = np.eye(self.rules.cells)[(boards == 0).argmax(axis=1)]
        breaks = (boards != 0).sum(axis=1) == self.stones
        return np.where(breaks[:, None], first, probs)


@pytest.mark.parametrize("stones", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("rules", [Rules(), Rules(4, 4, 4), Rules(3, 4, 3)], ids=str)
def test_who_declares_it_falsely_is_found_out(rules, stones):
    told = r"^the player is declared equivariant, but its moves on [XO_]+ and on the image [XO_]+ "
    with pytest.raises(ValueError, match=told):
        search(rules, Corner(rules, stones), "XO"[stones % 2])


def test_on_a_board_that_is_its_own_image_any_of_the_alike_moves_will_do():
    rules = Rules()

    class Opens(Corner):
        """Player that opens in one corner instead of all four."""

    policy = Opens(rules, 0)
    full, found = search(rules, policy, "X", images=False), search(rules, policy, "X")
    assert found.positions < full.positions
    assert found.vs_random == pytest.approx(full.vs_random, abs=1e-12)
