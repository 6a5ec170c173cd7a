"""Mistakes found in a player's own play, compared with the solved game."""

import gc

import numpy as np
import pytest

import tttenv
from tttenv import Rules, certify
from tttenv.certificates.mistakes import find_mistakes
from tttenv.exact import Tabulated, positions, solve
from tttenv.policy import first_best
from tttenv.proofs.move_values import MoveValues
from tttenv.proofs.table_kernel import ProofTable


def random_player(rules, seed):
    """Return a player with one fixed random move per board."""
    game = positions(rules)
    values = np.random.default_rng(seed).random(game.boards.shape)
    legal = (game.boards == 0) | game.over[:, None]
    return Tabulated(rules, np.where(game.over[:, None], 0, first_best(values, legal)))


def search(rules, policy, seat, aim, width=10**6, most=10**6):
    rng = np.random.default_rng(0)
    return find_mistakes(rules, policy, seat, aim, width, most, rng, MoveValues(rules))


@pytest.mark.parametrize("rules", [Rules(3, 3, 3), Rules(3, 4, 3)], ids=str)
@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize("player", [0, 1, "minimax:ties=first"])
def test_mistakes_lose_what_the_solved_game_says(rules, seat, player):
    policy = tttenv.player(player, rules) if player not in (0, 1) else random_player(rules, player)
    solution, value = solve(rules), solve(rules).value
    aim = max(0, value if seat == "X" else -value)
    found = search(rules, policy, seat, aim)
    assert found.everything
    worst = certify(rules, policy).worst_case[seat]
    assert (found.failures == 0) == (worst >= aim)
    if value == 0 or seat == "X":
        assert (len(found.boards) == 0) == (worst >= aim)
    moves = policy(found.boards).argmax(axis=1)
    for board, move, good, worth in zip(found.boards, moves, found.good, found.values, strict=True):
        legal = np.flatnonzero(board == 0)
        after = np.array([rules.play(board, int(cell)) for cell in legal])
        results = -solution.values[solution.positions.index(after)]
        assert results.max() == worth >= aim
        assert (good[legal] == (results == worth)).all()
        assert not good[move]


def test_a_narrow_search_says_that_it_is_one_and_is_the_same_again():
    rules, policy = Rules(3, 3, 3), random_player(Rules(3, 3, 3), 1)
    first, again = (search(rules, policy, "O", 0, width=3, most=2) for _ in range(2))
    assert not first.everything
    assert (first.boards == again.boards).all()
    assert (first.others == again.others).all()
    assert len(first.boards) <= 2


def test_tables_of_proofs_are_freed_with_their_values_without_a_garbage_collection():
    def tables():
        return {id(one) for one in gc.get_objects() if type(one) is ProofTable}

    gc.collect()
    gc.disable()
    try:
        before = tables()
        values = MoveValues(Rules(4, 4, 4), 10_000)
        values.bounds(Rules(4, 4, 4).start())
        assert tables() > before
        del values
        assert tables() == before
    finally:
        gc.enable()
