"""Tree search on many trees: its proofs are true, its moves legal and independent of the batch."""

import numpy as np
import pytest
from played_boards import played_boards

from tttenv import Rules, certify
from tttenv.game.outcomes_kernel import LOST, UNPROVEN
from tttenv.players.search.gumbel import GumbelSearch, LineEvaluator, considered_visits
from tttenv.proofs.prover import Prover
from tttenv.testing import some_boards

BOARDS = [(3, 3, 3), (3, 4, 3), (4, 4, 4), (5, 5, 4), (6, 6, 5)]


def value_for_mover(prover, board):
    """Return the proved value of an undecided board for the side to move, or None if slow."""
    value = prover.prove(board, 20_000).value
    return value if value is None or prover.rules.seat(board) == 0 else -value


def value_after(prover, board, cell):
    """Return the proved value of a move for the side that makes it."""
    after = prover.rules.play(board, cell)
    if prover.rules.over(after):
        return int(prover.rules.lost(after))
    value = value_for_mover(prover, after)
    return None if value is None else -value


@pytest.mark.parametrize("size", BOARDS)
@pytest.mark.parametrize("simulations", [1, 30])
def test_what_a_search_proves_is_the_proved_value_and_its_moves_keep_it(size, simulations):
    rules = Rules(*size)
    boards = played_boards(rules, 150)
    noise = np.random.default_rng(0).gumbel(size=boards.shape).astype(np.float32)
    found = GumbelSearch(rules, LineEvaluator(rules), simulations, 64).search(boards, None, noise)
    prover, proven = Prover(rules), 0
    for i, board in enumerate(boards):
        if found.proofs[i] == UNPROVEN:
            continue
        wanted = value_for_mover(prover, board)
        if wanted is not None:
            proven += 1
            assert found.proofs[i] == wanted == found.values[i], rules.format(board)
            for cell in {int(found.moves[i]), *np.flatnonzero(found.policy[i] > 0.01).tolist()}:
                after = value_after(prover, board, cell)
                assert after in (None, wanted) or wanted == LOST, rules.format(board)
    assert proven > 20


@pytest.mark.parametrize("size", BOARDS)
@pytest.mark.parametrize("simulations", [1, 7, 40])
def test_policies_and_moves_are_legal(size, simulations):
    rules = Rules(*size)
    boards = some_boards(rules, 200)
    found = GumbelSearch(rules, LineEvaluator(rules), simulations, 50).search(boards)
    assert found.policy.sum(axis=1) == pytest.approx(1)
    assert (found.policy[boards != 0] == 0).all()
    assert (found.policy >= 0).all()
    assert (boards[np.arange(len(boards)), found.moves] == 0).all()
    assert (abs(found.values) <= 1).all()


def test_a_search_is_given_its_simulations_board_by_board():
    rules = Rules(5, 5, 4)
    counted = []
    lines = LineEvaluator(rules)

    def evaluate(boards):
        counted.append(len(rules.check_all(boards)))  # positions, seen by the side to move
        return lines(boards)

    boards = rules.start(6)
    wanted = np.array([0, 1, 2, 4, 8, 16])
    found = GumbelSearch(rules, evaluate, 16, 6).search(boards, wanted)
    # One question for the root, and one for each simulation, for none of which lines decide.
    assert sum(counted) == (wanted + 1).sum()
    assert len(counted) == 17
    assert found.policy.sum() == pytest.approx(6)


@pytest.mark.parametrize("moves", [1, 2, 3, 4, 8, 16, 25])
@pytest.mark.parametrize("simulations", [0, 1, 5, 8, 64, 200])
def test_sequential_halving_shares_the_visits(moves, simulations):
    schedule = considered_visits(moves, simulations)
    assert len(schedule) == simulations
    visits = np.zeros(moves, np.int64)
    for wanted in schedule:  # whoever has this number of visits gets one more
        assert wanted in visits
        visits[np.flatnonzero(visits == wanted)[0]] += 1
    assert visits.sum() == simulations
    if moves > 1 and simulations >= 2 * moves * np.ceil(np.log2(moves)):
        shares = np.sort(visits)[::-1]
        assert shares[0] - shares[1] <= 1  # the last two are compared by equal visits
        assert (shares[-1] >= 1 and shares[0] > 2 * shares[-1]) or moves == 2


def test_the_schedule_of_the_source():
    """Eight simulations of four moves: two phases of four, as in the paper's first figure."""
    assert considered_visits(4, 8).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


def test_two_hundred_simulations_are_unbeatable_on_the_small_board():
    assert certify(Rules(), "gumbel").unbeatable


def test_noise_changes_what_is_considered_and_nothing_else_does():
    rules = Rules(6, 6, 5)
    search = GumbelSearch(rules, LineEvaluator(rules), 4, 8, considered=2)
    boards = rules.start(8)
    plain = search.search(boards)
    assert (search.search(boards).policy == plain.policy).all()
    noise = np.random.default_rng(3).gumbel(size=boards.shape).astype(np.float32)
    assert len(set(search.search(boards, None, 5 * noise).moves.tolist())) > 1
