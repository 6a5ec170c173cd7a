"""Explanations of searching players: own move first, true values, lines that can be played."""

import numpy as np
import pytest
from played_boards import played_boards

from tttenv.cli.play.advice import Adviser
from tttenv.exact import positions, solve
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.players import PLAYERS, player
from tttenv.players.symmetric_player import Canonical

SEARCHES = [
    "alphabeta",
    "alphabeta:ties=first",
    "alphabeta:nodes=300,threats=9",
    "alphabeta:nodes=1",
    "alphabeta:depth=2,width=5",
    "mcts:iterations=80",
    "mcts:iterations=300,solver=true",
    "mcts:iterations=4",
    "gumbel:simulations=20",
    "gumbel:simulations=20,threes=200",
    "pairing:player=(gumbel:simulations=20)",
]


def playable(rules, board, line):
    """Return whether each stone of a line can be put, and none follows the end of the game."""
    for cell in line:
        if rules.over(board) or board[cell] != 0:
            return False
        board = rules.play(board, cell)
    return True


@pytest.mark.parametrize("rules", [(3, 3, 3), (2, 5, 3), (4, 4, 4), (5, 5, 4)], ids=str)
@pytest.mark.parametrize("spec", SEARCHES)
def test_a_search_explains_the_move_that_it_plays_with_lines_that_can_be_played(spec, rules):
    rules = Rules(*rules)
    policy = player(spec, rules)
    for board in played_boards(rules, 6, seed=2):
        before, probs = board.copy(), policy(board[None])[0]
        found = policy.explain(board)
        assert (board == before).all()
        assert (policy(board[None])[0] == probs).all()  # the explanation leaves no traces
        cells = [one.cell for one in found.candidates]
        assert len(cells) == len(set(cells))
        assert (board[cells] == 0).all()
        if "pairing" not in spec:  # which may overrule the search
            assert set(np.flatnonzero(probs)) == set(cells[: np.count_nonzero(probs)])
        for one in found.candidates:
            assert one.value is None or -1 <= one.value <= 1
            assert not one.line or one.line[0] == one.cell
            assert playable(rules, board, one.line)


@pytest.mark.parametrize("spec", [*PLAYERS, "selfplay"])
def test_the_move_of_every_player_is_the_first_row_of_its_analysis(spec):
    rules = Rules()
    policy, adviser = player(spec, rules), Adviser(rules)
    for board in played_boards(rules, 12):
        moves, probs = adviser.analysis(board, policy).moves, policy(board[None])[0]
        assert sorted(one.cell for one in moves) == np.flatnonzero(board == 0).tolist()
        assert probs[moves[0].cell] == probs.max()
        assert adviser.analysis(board, policy, moves[-1].cell).moves[0].cell == moves[-1].cell
        for cell, line in ((one.cell, one.line) for one in moves if one.line):
            assert line[0] == cell
            assert playable(rules, board, line)


@pytest.mark.parametrize("threats", [0, 30])
@pytest.mark.parametrize("rules", [(3, 3, 3), (2, 4, 3), (3, 4, 3)], ids=str)
def test_alphabeta_that_reaches_the_end_scores_all_moves_as_the_solved_game(rules, threats):
    """Where a selective search finds an exact value it is exact; a bound is never wrong."""
    rules = Rules(*rules)
    policy, exact = player(f"alphabeta:threats={threats}", rules), 0
    for board in played_boards(rules, 40, seed=1):
        ranks = solve(rules).move_ranks[int(positions(rules).index(board))].astype(int)
        best = ranks[board == 0].max()
        for one in policy.explain(board).candidates:
            rank = int(ranks[one.cell])
            if one.at_most:
                assert np.sign(rank) <= one.value
            else:
                exact += 1
                assert one.value == np.sign(rank)
                if rank and (rank == best or not threats):
                    assert one.stones == (rules.cells + 1 - abs(rank) + 1) // 2
                    plies = rules.cells + 1 - abs(rank)
                    assert len(one.line) == plies or (threats and len(one.line) < plies)
    assert exact > 60


@pytest.mark.parametrize("spec", ["alphabeta:nodes=400", "mcts:iterations=30,seed=3"])
def test_a_canonical_player_explains_the_image_that_it_searched(spec):
    rules = Rules(4, 4, 3)
    policy = Canonical(player(spec, rules))
    for board in played_boards(rules, 4, seed=3):
        for image in maps(rules)[::3]:
            seen = board[image]
            cells = [one.cell for one in policy.explain(seen).candidates]
            assert policy(seen[None])[0, cells[0]] == policy(seen[None])[0].max()
            assert all(playable(rules, seen, one.line) for one in policy.explain(seen).candidates)


def test_a_large_search_compares_moves_within_its_limits():
    rules = Rules(9, 9, 5)
    policy, board = player("alphabeta:nodes=3000", rules), rules.start()
    for cell in (40, 30, 41):
        board = rules.play(board, cell)
    found = policy.explain(board)
    assert found.nodes <= 3000
    assert len(found.candidates) >= 10
    best, *others = found.candidates
    assert all(one.value <= best.value or one.depth < best.depth for one in others)
    assert player("alphabeta:nodes=3000", rules).explain(board) == found
