"""Players queried on canonical boards only: images of a board get images of a move."""

import numpy as np
import pytest
from test_first_best import player as untrained

from learners.registry import LEARNERS
from tttenv import Rules, certify, player
from tttenv.exact import Tabulated, positions
from tttenv.game.symmetry import canonical, maps
from tttenv.players.symmetric_player import Canonical, canonical_player
from tttenv.policy import player_for
from tttenv.testing import check_policy, some_boards

SQUARE = Rules(3, 3, 3)


def afterwards(rules, boards, probs):
    """Return, for each board, the canonical boards after a move and their probabilities."""
    rows, cells = np.nonzero(probs)
    numbers = canonical(rules, rules.play(boards[rows], cells))[0]
    found = [{} for _ in boards]
    for row, board, chance in zip(rows, numbers, probs[rows, cells], strict=True):
        key = board.tobytes()
        found[row][key] = found[row].get(key, 0) + chance
    return found


def require_equivariant(rules, policy, boards):
    """Assert that the boards after a move are equal up to symmetry for all images."""
    assert policy.traits.equivariant
    here = afterwards(rules, boards, policy(boards))
    for image in maps(rules):
        there = afterwards(rules, boards[:, image], policy(boards[:, image]))
        for one, other in zip(here, there, strict=True):
            assert one == pytest.approx(other)


@pytest.mark.parametrize("name", list(LEARNERS))
def test_a_trained_player_treats_all_images_of_all_boards_alike(name):
    boards = positions(SQUARE).boards[positions(SQUARE).decisions]
    require_equivariant(SQUARE, player(f"{name}:canonical=true"), boards)


@pytest.mark.parametrize("spec", ["mcts:iterations=10", "tactical", "first", "alphabeta:depth=1"])
def test_any_policy_can_be_asked_so(spec):
    rules = Rules(5, 5, 4)
    policy, boards = Canonical(player(spec, rules)), some_boards(rules, 100)
    require_equivariant(rules, policy, boards)
    check_policy(policy, rules, count=50)


@pytest.mark.parametrize("rules", [Rules(4, 4, 3), Rules(5, 5, 4), Rules(3, 6, 3)], ids=str)
def test_a_network_on_a_large_board_plays_mirror_moves(rules):
    plain = untrained("dqn", rules, lambda net: net)
    policy, boards = canonical_player(player_for(rules, plain)), some_boards(rules, 2000)
    assert isinstance(policy, Canonical)
    require_equivariant(rules, policy, boards)
    found = [afterwards(rules, boards[:, image], plain(boards[:, image])) for image in maps(rules)]
    assert any(one != found[0] for one in found)  # which it would not do by itself


def test_the_answer_is_the_image_of_the_answer_about_the_canonical_board():
    board = SQUARE.parse("__XO_____")[None]
    (image,), (which,) = canonical(SQUARE, board)
    queried = []

    def corner(boards):
        queried.append(boards)
        return np.eye(9)[[np.flatnonzero(boards[0] == 0)[-1]]]

    cell = Canonical(player_for(SQUARE, corner))(board)[0].argmax()
    assert (queried[0] == image).all()
    assert cell == maps(SQUARE)[which][np.flatnonzero(image == 0)[-1]]


def test_it_is_a_table_where_the_game_can_be_enumerated():
    made = player("selfplay:canonical=true")
    assert isinstance(made, Tabulated)
    assert certify(SQUARE, made).unbeatable
    assert (player("selfplay:canonical=false").table == player("selfplay").table).all()
