"""Players of one game: refused elsewhere at every public door, with traits that wrappers keep."""

from dataclasses import fields, replace
from functools import partial, partialmethod, wraps

import gymnasium as gym
import numpy as np
import pytest

import tttenv
from tttenv import Rules, player
from tttenv.certificates.metric_table import versus
from tttenv.certificates.metrics import measure
from tttenv.certificates.metrics.arena import arena
from tttenv.certificates.mistakes import find_mistakes
from tttenv.certificates.refutation import losing_leaves
from tttenv.env.rollouts import rollout
from tttenv.exact import PlayPolicy, backward_induction, score, tabulate, worst_case
from tttenv.game.symmetry import canonical, inverses
from tttenv.league.pair import CachedPlayer
from tttenv.players import PLAYERS
from tttenv.players.search.pairing import PairingPlayer
from tttenv.players.symmetric_player import Canonical
from tttenv.policy import (
    Blend,
    Explanation,
    Player,
    Traits,
    Uniform,
    blend,
    from_observations,
    player_for,
    uniform,
)
from tttenv.proofs.move_values import MoveValues
from tttenv.testing import check_policy

SQUARE, OTHER = Rules(3, 3, 3), Rules(3, 3, 2)
DOORS = {
    "certify": lambda one: tttenv.certify(OTHER, one),
    "certify, reachable": lambda one: tttenv.certify(OTHER, one, method="reachable positions"),
    "refute": lambda one: tttenv.refute(OTHER, one, "X"),
    "losing_leaves": lambda one: losing_leaves(OTHER, one, "X", 10),
    "find_mistakes": lambda one: find_mistakes(
        OTHER, one, "X", 0, 1, 1, np.random.default_rng(0), MoveValues(OTHER)
    ),
    "score": lambda one: score(OTHER, one, Uniform(OTHER)),
    "score as O": lambda one: score(OTHER, Uniform(OTHER), one),
    "worst_case": lambda one: worst_case(OTHER, one),
    "backward_induction": lambda one: backward_induction(OTHER, *[PlayPolicy(one)] * 2),
    "tabulate": lambda one: tabulate(OTHER, one),
    "measure": lambda one: measure(OTHER, one),
    "arena": lambda one: arena(OTHER, one, Uniform(OTHER), "X", 10),
    "versus": lambda one: versus(OTHER, one, Uniform(OTHER)),
    "rollout": lambda one: rollout(OTHER, Uniform(OTHER), one, 10),
    "blend": lambda one: blend(OTHER, Uniform(OTHER), one, 0.5),
    "Blend": lambda one: Blend(Uniform(OTHER), one, 0.5),
    "check_policy": lambda one: check_policy(one, OTHER),
    "environment": lambda one: gym.make("TicTacToe-v0", k=2, opponent=one),
    "vector environment": lambda one: gym.make_vec("TicTacToe-v0", num_envs=2, k=2, opponent=one),
    "set_opponent": lambda one: gym.make("TicTacToe-v0", k=2).unwrapped.set_opponent(one),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_player_of_another_game_is_refused_by_name_at_every_door(door):
    for name in (*PLAYERS, "selfplay"):
        with pytest.raises(ValueError, match=rf"player {name} plays 3,3,3, not 3,3,2"):
            DOORS[door](player(name, SQUARE))


def test_functions_of_another_game_are_refused_too():
    def policy(boards):
        return Uniform(SQUARE)(boards)

    policy.rules = SQUARE
    first = player("first", SQUARE)
    for one, name in ((policy, "policy"), (first.__call__, "first"), (partial(first), "first")):
        assert tttenv.certify(SQUARE, one).vs_random["X"]
        with pytest.raises(ValueError, match=f"{name} plays 3,3,3, not 3,3,2"):
            tttenv.certify(OTHER, one)


class Known(Player):
    """Uniform player with given traits that answers all questions about itself."""

    closed, limit = 0, None

    def __call__(self, boards):
        """Return uniform probabilities (batch, cells)."""
        return Uniform(self.rules)(boards)

    def explain(self, board):
        """Return an explanation with a number of nodes."""
        return Explanation([], nodes=7)

    def holds(self, boards):
        """Return that it cannot lose."""
        return np.ones(len(boards), np.bool_)

    def proof(self, boards):
        """Return a digest."""
        return "0" * 64

    def unmasked(self, boards):
        """Return the same probability on every cell, taken or not."""
        return np.full(boards.shape, 1 / self.rules.cells)

    def limit_time(self, seconds):
        """Store the limit."""
        self.limit = seconds
        return True

    def particulars(self):
        """Return an entry."""
        return {"known": True}

    def summary(self):
        """Return a sentence."""
        return "known"

    def close(self):
        """Count the calls."""
        self.closed += 1


WORDS = {"depends_on": "time", "seat": "X"}
ALL = Traits(**{f.name: WORDS.get(f.name, True) for f in fields(Traits)})
WRAPPERS = {  # how to wrap a player, and the traits that differ from its own
    "canonical": (Canonical, {"equivariant": True}),
    "pairing": (PairingPlayer, {"pairs": True}),
    "cached": (CachedPlayer, {}),
    "a checkpoint's": (
        lambda one: PairingPlayer(Canonical(one)),
        {"equivariant": True, "pairs": True},
    ),
}
METHODS = {name for name in vars(Player) if not name.startswith("__")}


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize("traits", [Traits(), ALL], ids=["no traits", "all traits"])
def test_a_wrapper_keeps_everything_that_it_does_not_change(name, traits):
    wrap, changes = WRAPPERS[name]
    inner = Known(SQUARE, traits, "inner")
    made = wrap(inner)
    assert made.traits == replace(traits, **changes)
    assert (made.rules, made.name) == (SQUARE, "inner")
    assert made.explain(SQUARE.start()).nodes == 7
    assert "pairing" in name or made.holds(SQUARE.start(2)).all()
    assert made.proof(SQUARE.start(2)) is None  # it proves that the inner player's moves win
    assert made.limit_time(2.0)
    assert inner.limit == 2.0
    assert made.particulars() == {"known": True}
    assert made.summary() == "known"
    assert made.traits.pairs or np.allclose(made.unmasked(SQUARE.start(2)), 1 / 9)
    assert tttenv.certify(SQUARE, wrap(Known(SQUARE))).illegal_mass is not None
    made.close()
    assert inner.closed == 1
    assert vars(Known).keys() >= METHODS, "a new method: wrappers must keep it too"


def test_images_mixtures_and_pairings_show_what_a_mask_hides_where_the_player_decides():
    known, boards = Known(SQUARE), np.array([[1, 1, 0, -1, -1, 0, 0, 0, 0], [1] + [0] * 7 + [-1]])
    last = from_observations(lambda seen: seen * np.arange(9), SQUARE, "board", "logits")
    images, which = canonical(SQUARE, boards)
    back = np.take_along_axis(last.unmasked(images), inverses(SQUARE)[which], axis=1)
    assert (Canonical(last).unmasked(boards) == back).all()
    mixed = Blend(Uniform(SQUARE), known, 0.25).unmasked(boards)
    assert np.allclose(mixed, 0.75 * uniform(boards) + 0.25 / 9)
    assert Blend(Uniform(SQUARE), Uniform(SQUARE), 0.5).unmasked(boards) is None
    assert PairingPlayer(known).unmasked(boards)[0].tolist() == np.eye(9)[2].tolist()


class Holder:
    """An object whose methods call a player, or declare what they do themselves."""

    forfeits = True

    def __init__(self, one):
        self.one = one

    def play(self, boards):
        """Return the player's probabilities."""
        return self.one(boards)

    later = partialmethod(play)


def of_arguments(one, boards):
    """Return the probabilities of a player that is given as an argument."""
    return one(boards)


BEHIND = {
    "a partial": partial,
    "a partial of a partial": lambda one: partial(partial(one)),
    "a method": lambda one: one.__call__,
    "a partial of a method": lambda one: partial(one.__call__),
    "a decorated function": lambda one: wraps(one.__call__)(lambda boards: one(boards)),
    "an argument": lambda one: partial(of_arguments, one),
    "a named argument": lambda one: partial(of_arguments, one=one),
}


@pytest.mark.parametrize("way", BEHIND)
def test_traits_come_through_methods_partials_and_decorators_but_not_those_of_moves(way):
    inner = Known(SQUARE, ALL)
    made = player_for(SQUARE, BEHIND[way](inner))
    assert made.traits == replace(ALL, pure=False, alone=False, pairs=False, equivariant=False)
    assert (made.limit_time(2.0), inner.limit, made.summary()) == (True, 2.0, "known")
    with pytest.raises(ValueError, match="limited by time"):
        tttenv.certify(SQUARE, BEHIND[way](inner))


def test_an_object_that_has_every_attribute_is_no_endless_chain():
    endless = type("Proxy", (), {"__getattr__": lambda self, name: type(self)()})
    calls = type("Calls", (endless,), {"__call__": lambda self, boards: Uniform(SQUARE)(boards)})
    assert player_for(SQUARE, calls()).traits == Traits()


def test_declared_traits_come_through_too_and_the_decorated_function_that_calls_itself_ends():
    def play(boards):
        return Uniform(SQUARE)(boards)

    play.depends_on, play.__wrapped__ = "sampling", play
    assert player_for(SQUARE, partial(play)).traits == Traits(depends_on="sampling")
    for method in (Holder(play).play, Holder(play).later):
        assert player_for(SQUARE, partial(method)).traits == Traits(forfeits=True)


@pytest.mark.parametrize("trait", [f.name for f in fields(Traits)])
def test_a_blend_has_a_trait_if_one_part_has_it_or_only_if_both_do(trait):
    value = getattr(ALL, trait)
    one, none = (Known(SQUARE, Traits(**part)) for part in ({trait: value}, {}))
    needs_both = trait in ("pure", "alone", "equivariant")
    for first, second in ((one, none), (none, one)):
        known = getattr(Blend(first, second, 0.5).traits, trait)
        assert bool(known) == (not needs_both and trait != "pairs")
    assert bool(getattr(Blend(one, one, 0.5).traits, trait)) == (trait != "pairs")
    made = Blend(one, one, 0.5)
    made.close()
    assert (made.limit_time(1.0), one.closed, made.particulars()) == (True, 2, {"known": True})


def test_a_table_is_equivariant_and_forfeits_as_the_player_does():
    for traits in (Traits(), Traits(equivariant=True, forfeits=True, searches=True)):
        made = tabulate(SQUARE, Known(SQUARE, traits)).traits
        assert made == Traits(True, None, False, True, False, traits.equivariant, traits.forfeits)


def test_a_function_declares_traits_by_attributes_but_never_that_it_need_not_be_checked():
    def policy(boards):
        return Uniform(SQUARE)(boards)

    vars(policy).update({f.name: getattr(ALL, f.name) for f in fields(Traits)})
    assert player_for(SQUARE, policy).traits == replace(ALL, pure=False, alone=False, pairs=False)


def test_a_blend_forfeits_where_a_part_that_it_may_follow_does():
    class Silent(Known):
        def __call__(self, boards):
            """Return zeros on the empty board."""
            return Uniform(self.rules)(boards) * boards.any(axis=1, keepdims=True)

    silent, boards = Silent(SQUARE, Traits(forfeits=True)), SQUARE.start(2)
    boards[1, 0] = -1
    for weight, forfeited in ((0.0, [False] * 2), (0.5, [True, False]), (1.0, [True, False])):
        probs = Blend(Uniform(SQUARE), silent, weight)(boards)
        assert (~probs.any(axis=1)).tolist() == forfeited
    certificate = tttenv.certify(SQUARE, Blend(Uniform(SQUARE), silent, 0.5))
    assert certificate.losing_line["X"] == []


@pytest.mark.parametrize("spec", ["alphazero:simulations=4", "pairing:player=(mcts:iterations=5)"])
def test_a_wrapped_search_is_queried_again_as_seldom_as_any_search(spec):
    assert player(spec, SQUARE).traits.searches
    assert tttenv.certify(SQUARE, player(spec, SQUARE)).queried_twice == 475
