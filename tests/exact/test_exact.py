"""Exact results: the enumerated and solved game, compared with an independent solver."""

from functools import cached_property, partial

import numpy as np
import pytest
from reference import SMALL, game, mover, spell, view

from tttenv.certificates.certificate import certify
from tttenv.env.games import transition_table
from tttenv.env.rollouts import child_table
from tttenv.exact import (
    backward_induction,
    best_response,
    enumerable,
    positions,
    score,
    solve,
    tabulate,
    worst_case,
)
from tttenv.game.line_patterns_kernel import _rows_of_sides
from tttenv.game.rollouts_kernel import playground
from tttenv.game.rules import Rules
from tttenv.players.search.gumbel import considered_visits
from tttenv.policy import uniform
from tttenv.proofs.move_values import MoveValues

TABLED = [*SMALL, (3, 4, 3)]
every_rules = pytest.mark.parametrize("rules", TABLED, ids=spell)
small_rules = pytest.mark.parametrize("rules", SMALL, ids=spell)


def test_tic_tac_toe_has_as_many_positions_as_is_known():
    every = positions(Rules())
    assert len(every) == 5_478
    assert len(every.decisions) == 4_520
    assert np.bincount(every.seats[every.decisions]).tolist() == [2_423, 2_097]
    x_won, o_won = every.lost & (every.seats == 1), every.lost & (every.seats == 0)
    draws = every.over & ~every.lost
    assert (x_won.sum(), o_won.sum(), draws.sum()) == (626, 316, 16)


@every_rules
def test_the_positions_are_those_the_referee_reaches_ply_by_ply_and_found_by_their_board(rules):
    every, boards = positions(Rules(*rules)), game(rules).boards
    found = every.index(np.array([view(board) for board in boards], np.int8))
    assert sorted(found.tolist()) == list(range(len(every)))
    stones = np.count_nonzero(every.boards, axis=1)
    assert (np.diff(stones) >= 0).all()
    for ply in range(len(every.plies) - 1):
        assert (stones[every.ply(ply)] == ply).all()
    assert (every.seats == stones % 2).all()
    over = [board in game(rules).result for board in boards]
    assert every.over[found].tolist() == over


@every_rules
def test_successors_are_where_play_leads(rules):
    ours, every = Rules(*rules), positions(Rules(*rules))
    assert ((every.successors >= 0) == ours.legal(every.boards)).all()
    at, cells = np.nonzero(every.successors >= 0)
    after = ours.play(every.boards[at], cells)
    assert (every.index(after) == every.successors[at, cells]).all()
    assert (every.lost == ours.lost(every.boards)).all()
    assert (every.over == ours.over(every.boards)).all()


UNREACHABLE = {
    "two stones too many": [1, 1, 1, 0, 0, 0, 0, 0, 0],
    "won by both": [1, 1, 1, -1, -1, -1, 0, 0, 0],
    "played on after a win": [1, 1, 1, -1, -1, 0, 0, 0, -1],
    "eight cells": [0] * 8,
    "ten cells": [0] * 10,
    "a stone of no side": [0, 0, 0, 0, 0, 0, 0, 0, 2],
}


@pytest.mark.parametrize("board", UNREACHABLE.values(), ids=UNREACHABLE)
def test_index_refuses_boards_that_cannot_be_reached(board):
    every = positions(Rules())
    with pytest.raises(ValueError, match=r"3,3,3"):
        every.index(board)
    with pytest.raises(ValueError, match=r"3,3,3"):
        every.index([board, board])
    with pytest.raises(ValueError, match=r"3,3,3"):
        every.index(np.array(board, np.int8))


@every_rules
def test_values_and_distances_are_those_of_an_independent_minimax(rules):
    boards, perfect = game(rules).boards, game(rules).perfect()
    solution = solve(Rules(*rules))
    found = positions(Rules(*rules)).index(np.array([view(b) for b in boards], np.int8))
    expected = np.array([perfect[board] for board in boards])
    assert (solution.values[found] == expected[:, 0]).all()
    decided = expected[:, 0] != 0
    assert (solution.distances[found][decided] == expected[decided, 1]).all()
    left = np.array([board.count("_") for board in boards])
    assert (solution.distances[found][~decided] == left[~decided]).all()


@small_rules
def test_move_ranks_order_moves_as_quickest_win_then_draw_then_slowest_loss(rules):
    every, perfect, solution = game(rules), game(rules).perfect(), solve(Rules(*rules))
    boards = np.array([view(board) for board in every.decisions], np.int8)
    for board, at in zip(every.decisions, positions(Rules(*rules)).index(boards), strict=True):
        move_values = {
            c: (-perfect[b][0], perfect[b][1] + 1) for c, b in every.after[board].items()
        }
        last = len(board) + 1
        ranks = [
            move_values[c][0] * (last - move_values[c][1]) if c in move_values else None
            for c in range(last - 1)
        ]
        legal = [rank for rank in ranks if rank is not None]
        found = solution.move_ranks[at].tolist()
        assert [f for f, rank in zip(found, ranks, strict=True) if rank is not None] == legal
        assert all(f < min(legal) for f, r in zip(found, ranks, strict=True) if r is None)
        optimal = [
            c in move_values and move_values[c][0] == perfect[board][0] for c in range(last - 1)
        ]
        assert solution.optimal[at].tolist() == optimal
        assert solution.fastest[at].tolist() == [rank == max(legal) for rank in ranks]


@small_rules
def test_the_sweep_gives_every_position_the_odds_that_the_referee_gives_it(rules):
    ours, every = Rules(*rules), game(rules)
    tables = [every.random_table(0), every.random_table(100)]
    x, o = (every.player(table) for table in tables)
    layers = backward_induction(
        ours, lambda boards, odds: x(boards), lambda boards, odds: o(boards)
    )
    found = np.concatenate(layers)
    assert [len(layer) for layer in layers] == np.diff(positions(ours).plies).tolist()
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-12)
    odds = every.odds(*tables)
    at = positions(ours).index(np.array([view(board) for board in every.boards], np.int8))
    seen = [odds[b] if mover(b) == "X" else odds[b][::-1] for b in every.boards]
    assert found[at] == pytest.approx(np.array(seen, float), abs=1e-12)
    assert tuple(score(ours, x, o)) == pytest.approx(odds[every.boards[0]], abs=1e-12)


@small_rules
def test_the_worst_case_is_the_best_response_that_brute_force_finds(rules):
    table = game(rules).random_table(0)
    worst = {seat: game(rules).worst_case(table, seat) for seat in "XO"}
    assert worst_case(Rules(*rules), game(rules).player(table)) == pytest.approx(worst, abs=1e-12)


def test_the_best_responses_to_random_win_what_theory_says():
    worst = {"X": -874 / 945, "O": -191 / 192}
    assert worst_case(Rules(), uniform) == pytest.approx(worst, abs=1e-13)
    every = game((3, 3, 3))
    assert {s: float(every.worst_case(every.uniform(), s)) for s in "XO"} == pytest.approx(worst)
    odds = backward_induction(Rules(), best_response, best_response)[0][0]
    assert odds == pytest.approx([0, 1, 0], abs=1e-12)


EVERY = partial(certify, method="all positions")


@pytest.mark.parametrize("ask", [positions, solve, score, worst_case, EVERY])
@pytest.mark.parametrize("rules", [Rules(1, 17, 4), Rules(5, 5, 4), Rules(19, 19, 5)], ids=str)
def test_large_games_are_refused_with_the_sampled_alternative_named(ask, rules):
    players = [uniform] * {score: 2, worst_case: 1, EVERY: 1}.get(ask, 0)
    with pytest.raises(ValueError, match=rf"{rules} is too large .*metrics\.arena"):
        ask(rules, *players)
    assert not enumerable(rules)


LARGE = Rules(4, 4, 4)
CACHED = {  # what all callers share
    "lines": lambda: Rules().lines,
    "positions": lambda: positions(Rules()),
    "solution": lambda: solve(Rules()),
    "transitions": lambda: transition_table(Rules()),
    "children": lambda: child_table(Rules()),
    "table": lambda: tabulate(Rules(), uniform),
    "move values": lambda: MoveValues(Rules()).bounds(Rules().start()),
    "proved move values": lambda: MoveValues(LARGE, work=1_000).bounds(LARGE.start()),
    "visits": lambda: (considered_visits(1, 20), considered_visits(8, 20)),
    "rows of patterns": lambda: _rows_of_sides(3),
    "sets of cells": lambda: playground(Rules()).lined,
}


def arrays(shared, name=""):
    """Return all arrays within an object by name, its cached properties included."""
    if isinstance(shared, np.ndarray):
        return {name: shared}
    if isinstance(shared, tuple):
        parts = dict(enumerate(shared))
    else:
        kind = type(shared)
        for each in dir(kind):
            if isinstance(getattr(kind, each), cached_property):
                getattr(shared, each)
        parts = getattr(shared, "__dict__", {})
    found = {}
    for key, part in parts.items():
        found |= arrays(part, f"{name}.{key}")
    return found


def test_no_array_that_callers_share_can_be_written():
    found = {
        name: array for key, made in CACHED.items() for name, array in arrays(made(), key).items()
    }
    assert len(found) > 40
    assert [name for name, array in found.items() if array.flags.writeable] == []
