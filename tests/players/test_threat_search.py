"""Alpha-beta with threats: its proofs hold by brute force, by the solved game and by the prover."""

import copy

import numpy as np
import pytest
from reference import random_game, spell, view, windows, winner

from tttenv import prove
from tttenv.game.open_lines_kernel import new_open_lines, set_board
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.players.search.threat_moves_kernel import (
    can_make_double_threat,
    new_threat_room,
    only_answers,
    only_attacks,
)
from tttenv.players.search.threat_search import ThreatSearch

BOARDS = [(4, 4, 4), (5, 5, 3), (5, 5, 4), (6, 6, 4), (7, 7, 5)]


def winning(rules, board, mark):
    """Return the empty cells on which a mark completes a line."""
    found = set()
    for window in windows(rules):
        marks = "".join([board[cell] for cell in window])
        if marks.count(mark) == rules[2] - 1 and marks.count("_") == 1:
            found.add(window[marks.index("_")])
    return found


def doubles(rules, board, mark):
    """Return the empty cells on which a mark threatens to complete lines on two cells."""
    empty = [cell for cell, found in enumerate(board) if found == "_"]
    after = {c: board[:c] + mark + board[c + 1 :] for c in empty}
    return {c for c in empty if len(winning(rules, after[c], mark)) > 1}


def quiet_boards(rules, games, stones):
    """Return boards of random games with this many stones and no line short of one stone."""
    found = [board for seed in range(games) for board in random_game(rules, seed)[0][stones:-1]]
    return [
        board
        for board in dict.fromkeys(found)
        if not winner(rules, board)
        and not winning(rules, board, "X")
        and not winning(rules, board, "O")
    ]


def test_double_threats_answers_and_attacks_are_what_trying_every_move_shows():
    seen = np.sum([compare_with_trying_every_move(rules) for rules in BOARDS], axis=0)
    assert min(seen) > 3  # double threats, answers and attacks that are some of the moves


def compare_with_trying_every_move(rules):
    """Compare three functions with brute force; return how often each had a result."""
    game = Rules(*rules)
    lines = new_open_lines(game)
    room, barred = new_threat_room(lines, game.cells), np.zeros(game.cells, np.bool_)
    seen = [0, 0, 0]
    for board in quiet_boards(rules, 25, rules[2])[::5][:12]:
        own = "X" if board.count("X") == board.count("O") else "O"
        other = "O" if own == "X" else "X"
        stones = np.array(view(board), np.int8)
        set_board(lines, stones)
        empty = [cell for cell, mark in enumerate(board) if mark == "_"]
        can = bool(doubles(rules, board, own))
        assert can_make_double_threat(lines, 0, room) == can
        must = bool(doubles(rules, board, other))
        assert can_make_double_threat(lines, 1, room) == must
        assert only_answers(lines, 0, room, barred) == must
        seen[0] += can
        after = {c: board[:c] + own + board[c + 1 :] for c in empty}
        threatens = {c for c in empty if winning(rules, after[c], own)}
        if must:
            good = threatens | {c for c in empty if not doubles(rules, after[c], other)}
            assert set(np.flatnonzero(~barred).tolist()) == good
            seen[1] += 0 < len(good) < len(empty)
        if not can:
            good = threatens | {c for c in empty if doubles(rules, after[c], own)}
            assert only_attacks(lines, 0, room, barred) == len(good)
            assert set(np.flatnonzero(~barred).tolist()) == good
            seen[2] += 0 < len(good) < len(empty)
    return seen


def value_for_mover(rules, board):
    """Return the proven value of a board (cells,) for the side to move."""
    found = prove(rules, board, nodes=300_000).value
    return None if found is None else found * (1 - 2 * int(rules.seat(board)))


@pytest.mark.parametrize("rules", [(4, 4, 4), (5, 5, 4)], ids=spell)
def test_what_is_said_before_a_search_is_what_the_prover_says(rules):
    game = Rules(*rules)
    search, seen = ThreatSearch(game, 4000), {"won": 0, "left out": 0, "neither": 0}
    for text in [board for seed in range(12) for board in random_game(rules, seed)[0][2:-1]]:
        board = np.array(view(text), np.int8)
        win, losing = search(board)
        if win is not None:
            seen["won"] += 1
            after = game.play(board[None], [win])
            assert game.over(after)[0] or value_for_mover(game, after[0]) == -1
        elif losing:
            seen["left out"] += 1
            assert set(losing) < set(np.flatnonzero(board == 0).tolist())
            for move in losing[:3]:
                assert value_for_mover(game, game.play(board[None], [move])[0]) == 1
        else:
            seen["neither"] += 1
    assert rules == (4, 4, 4) or min(seen.values()) > 2


@pytest.mark.parametrize("rules", [(5, 5, 4), (6, 6, 4)], ids=spell)
def test_values_of_one_are_proven_and_such_positions_are_won(rules):
    game = Rules(*rules)
    policy, rng = player("alphabeta:threats=30,nodes=2000", game), np.random.default_rng(3)
    won = 0
    for text in quiet_boards(rules, 16, 2)[::4][:16]:
        board = np.array(view(text), np.int8)
        found = policy.search(board)
        if abs(found.value) == 1:
            assert value_for_mover(game, board) == found.value
        if found.value == 1:
            won += 1
            board, turn = board[None], 0
            while not game.over(board)[0]:
                probs = policy(board)[0] if turn % 2 == 0 else player("tactical", game)(board)[0]
                board, turn = game.play(board, [rng.choice(game.cells, p=probs)]), turn + 1
            assert game.lost(board)[0]
            assert turn % 2 == 1
    assert won > 5


def test_an_open_three_is_answered_and_a_hidden_win_is_found_on_a_large_board():
    rules = Rules(15, 15, 5)
    board = rules.start()
    board[[111, 112, 113]], board[[20, 24, 200]] = -1, 1
    found = player("alphabeta:nodes=4000", rules).search(board)
    assert set(np.flatnonzero(found.probs)) <= {109, 110, 114, 115}
    # Two rows of two that cross: a three that makes two of them, then an open four.
    board = rules.start()
    board[[112, 113, 126, 141]], board[[0, 48, 200, 221]] = 1, -1
    found = player("alphabeta:nodes=20000", rules).search(board)
    assert found.value == 1
    assert found.nodes < 2000


def test_a_tree_search_plays_the_win_and_leaves_out_what_loses():
    rules = Rules(15, 15, 5)
    won, threatened = rules.start(), rules.start()
    won[[112, 113, 126, 141]], won[[0, 48, 200, 221]] = 1, -1
    threatened[[111, 112, 113]], threatened[[20, 24, 200]] = -1, 1
    boards = np.stack([threatened, won, rules.start()])
    usual = player("gumbel:simulations=2", rules)
    careful = player("gumbel:simulations=2,threes=4000", rules)
    assert careful.search(won).value == 1 > usual.search(won).value
    answers = careful(boards)
    assert answers.sum(axis=1).tolist() == [1, 1, 1]
    assert answers[0].argmax() in (109, 110, 114, 115)
    assert answers[1].argmax() == careful.search(won).probs.argmax()
    assert (answers[2] == usual(boards)[2]).all()
    assert (copy.deepcopy(careful)(boards) == answers).all()
    rules = Rules(9, 9, 5)
    text = "______________________________XO_________X_______XX_____O___O____________________"
    board = np.array([view(text)], np.int8)
    losing = ThreatSearch(rules, 4000)(board[0]).losing
    assert player("gumbel:simulations=2", rules)(board)[0].argmax() in losing
    assert player("gumbel:simulations=2,threes=4000", rules)(board)[0].argmax() not in losing
    few = Rules(2, 3, 2)
    assert player("gumbel:threes=9", few)(few.start(1)).sum() == 1


def test_a_win_that_takes_several_threes_is_found_within_the_nodes_it_needs():
    rules = Rules(6, 6, 4)
    policy = player("alphabeta:threats=30,nodes=8000", rules)
    for text in ("__X_____________________X_O_________", "___X_O____X____________O________O_X_"):
        board = np.array(view(text), np.int8)
        found = policy.search(board)
        assert found.value == 1
        assert found.nodes < 1000  # proved before the search itself
        assert value_for_mover(rules, board) == 1


def test_the_nodes_of_all_its_searches_stay_within_the_limit():
    rules = Rules(15, 15, 5)
    for seed in range(3):
        board = np.array(view(random_game((15, 15, 5), seed)[0][30]), np.int8)
        for nodes in (1, 2, 5, 50, 777):
            found = player(f"alphabeta:nodes={nodes},threats=1000", rules).search(board)
            assert found.nodes <= nodes
            assert board[found.probs > 0].tolist() == [0] * np.count_nonzero(found.probs)


def test_games_with_two_in_a_row_or_no_line_at_all_take_the_option():
    for rules in ((2, 3, 2), (1, 2, 2), (1, 5, 5)):
        game = Rules(*rules)
        assert player("alphabeta:threats=9", game).search(game.start()).value in (0, 1)
