"""Alpha-beta and searching minimax: exact where they reach the end, elsewhere within limits."""

import signal
import threading
import time

import numpy as np
import pytest
from reference import put, random_game, spell, view, winner

from tttenv.exact import positions, solve
from tttenv.game.rules import Rules
from tttenv.game.transposition_kernel import EXACT, LOWER_BOUND, UPPER_BOUND
from tttenv.players import player
from tttenv.players.search import alphabeta
from tttenv.players.search.alphabeta_kernel import WIN_SCORE

EVERY_MOVE = [(3, 3, 3), (2, 3, 2), (3, 3, 2), (1, 5, 3), (5, 1, 4), (2, 4, 3)]


def decisions(rules):
    """Return all undecided boards with their solutions."""
    game, solution = positions(rules), solve(rules)
    return game.boards[game.decisions], solution, game.decisions


def late_boards(rules, games, least, most):
    """Return boards of random games, as texts, with this many empty cells."""
    found = [board for seed in range(games) for board in random_game(rules, seed)[0][:-1]]
    return [b for b in dict.fromkeys(found) if least <= b.count("_") <= most]


def exact_rank(rules, board, known):
    """Return the exact rank by exhaustive search: sooner wins higher, sooner losses lower."""
    if board not in known:
        end = winner(rules, board)
        if end:
            known[board] = 0 if end == "_" else -1000
        else:
            moves = [
                -exact_rank(rules, put(board, c), known) for c, m in enumerate(board) if m == "_"
            ]
            known[board] = max(moves) - np.sign(max(moves))
    return known[board]


def test_all_searches_agree_with_the_solved_game_on_the_value_of_all_4520_positions():
    boards, solution, rows = decisions(Rules())
    assert len(boards) == 4520
    values = solution.values[rows].astype(float).tolist()
    for spec in (
        "alphabeta",
        "alphabeta:ties=first,memory=1",
        "minimax:search=cached",
        "minimax:search=symmetric",
    ):
        search = player(spec).search
        assert [search(board).value for board in boards] == values, spec


@pytest.mark.parametrize("threats", [0, 30])
@pytest.mark.parametrize("rules", EVERY_MOVE, ids=spell)
def test_alphabeta_plays_every_fastest_win_and_slowest_loss_and_nothing_else(rules, threats):
    rules = Rules(*rules)
    boards, solution, rows = decisions(rules)
    fastest = solution.fastest[rows]
    played = player(f"alphabeta:threats={threats}", rules)(boards) > 0
    assert not (played & ~fastest).any()
    # Where two threats stand, every move loses as fast; it then plays one that blocks.
    threatened = solution.distances[rows] == 2
    assert (played == fastest)[~threatened | (solution.values[rows] > -1)].all()
    first = player(f"alphabeta:ties=first,threats={threats}", rules)(boards)
    assert (first.max(axis=1) == 1).all()
    assert (first.argmax(axis=1) == played.argmax(axis=1)).all()


@pytest.mark.parametrize("ties", ["uniform", "first", "fastest"])
@pytest.mark.parametrize("search", ["plain", "cached", "symmetric"])
def test_searching_minimax_plays_as_the_table_does(search, ties):
    boards, _, _ = decisions(Rules())
    if search == "plain":
        boards = boards[-2500::5]  # the others would take seconds
    searching = player(f"minimax:search={search},ties={ties}")
    assert (searching(boards) == player(f"minimax:ties={ties}")(boards)).all()


@pytest.mark.parametrize(
    ("rules", "memory"),
    [((4, 4, 4), ""), ((4, 5, 4), "memory=1,"), ((5, 5, 4), "threats=30,"), ((6, 6, 5), "")],
)
def test_late_in_larger_games_it_plays_as_trying_everything_does(rules, memory):
    policy = player(f"alphabeta:{memory}depth=99", Rules(*rules))
    for board in late_boards(rules, games=15, least=5, most=8):
        known = {}
        best = exact_rank(rules, board, known)
        moves = [c for c, m in enumerate(board) if m == "_"]
        after = {c: -known[put(board, c)] for c in moves}
        good = {c for c in moves if after[c] == max(after.values())}
        found = policy.search(np.array(view(board), np.int8))
        assert found.value == np.sign(best)
        played = set(np.flatnonzero(found.probs).tolist())
        assert played == good or (best < 0 and played < good)


def keys(hashes, stones):
    """Return the keys (boards,) of boards (boards, cells) with stones 1 and -1 of sides 0 and 1."""
    own, other = hashes.stone_keys[:, 0], hashes.stone_keys[:, 1]
    signs = stones[:, :, None]
    each = np.where(signs == 1, own, np.where(signs == -1, other, np.uint64(0)))
    return np.bitwise_xor.reduce(each, axis=1).min(axis=1)


@pytest.mark.parametrize("threats", [0, 30])
@pytest.mark.parametrize("rules", [(3, 3, 3), (2, 5, 4)], ids=spell)
def test_all_that_stands_in_the_table_after_a_search_is_true(rules, threats):
    rules = Rules(*rules)
    boards, known, rows = decisions(rules)
    ranks, stones = known.ranks[rows].astype(int), np.count_nonzero(boards, axis=1)
    ends = stones + rules.cells + 1 - np.abs(ranks)  # how many stones lie when the game ends
    scores = np.sign(ranks) * (WIN_SCORE - ends)
    seen = {EXACT: 0, LOWER_BOUND: 0, UPPER_BOUND: 0}
    policy = player(f"alphabeta:threats={threats}", rules)
    for root in np.flatnonzero(stones < 3)[::3][:40]:
        policy.search(boards[root])
        table = policy.state.table[policy.state.table["age"] == policy.state.age[0]]
        sides = 1 - 2 * ((stones - stones[root]) % 2)
        true = dict(zip(keys(policy.state.hashes, boards * sides[:, None]), scores, strict=True))
        empty = dict(zip(keys(policy.state.hashes, boards * sides[:, None]), stones, strict=True))
        for entry in table[np.isin(table["key"], list(true))]:
            if entry["depth"] < rules.cells - empty[entry["key"]]:
                continue  # not searched to the end
            bound, score, exact = entry["bound"], entry["score"], true[entry["key"]]
            assert score <= exact if bound != UPPER_BOUND else score >= exact
            assert score >= exact if bound != LOWER_BOUND else score <= exact
            seen[int(bound)] += 1
    assert min(seen.values()) > 10


def test_the_table_stays_within_its_memory():
    rules = Rules(15, 15, 5)
    for megabytes in (1, 3, 16):
        state = player(f"alphabeta:memory={megabytes},depth=2", rules).state
        assert megabytes * 2**19 < state.table.nbytes <= megabytes * 2**20
    parts = [part for whole in (state, state.lines, state.hashes) for part in vars(whole).values()]
    rest = [part for part in parts if isinstance(part, np.ndarray)]
    assert sum(part.nbytes for part in rest) - state.table.nbytes < 2**20


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize(
    "options",
    ["depth=4", "nodes=300", "depth=3,ties=first", "depth=5,threats=9", "nodes=900,threats=9"],
)
def test_a_search_in_slices_is_the_same_search(monkeypatch, options, size):
    rules = Rules(5, 5, 4)
    boards = [view(board) for board in late_boards((5, 5, 4), 4, 12, 21)[:12]]
    policy = player(f"alphabeta:{options}", rules)
    whole = [policy.search(np.array(board, np.int8)) for board in boards]
    monkeypatch.setattr(alphabeta, "SLICE", size)
    for board, expected in zip(boards, whole, strict=True):
        found = policy.search(np.array(board, np.int8))
        assert (found.probs == expected.probs).all()
        assert (found.value, found.nodes) == (expected.value, expected.nodes)


def test_limits_hold():
    rules = Rules(9, 9, 5)
    board = rules.start()
    assert player("alphabeta:nodes=777", rules).search(board).nodes <= 777
    assert player("alphabeta:nodes=1", rules).search(board).nodes <= 1
    shallow, deep = (player(f"alphabeta:depth={d}", rules).search(board) for d in (1, 3))
    assert shallow.nodes == 15  # of 20 moves by their promise, one of each class of equal ones
    assert 15 < deep.nodes < 4000
    assert -1 < shallow.value < 1


@pytest.mark.parametrize("spec", ["alphabeta:time=0.3", "mcts:time=0.3"])
def test_a_time_limit_is_kept_and_is_not_for_certificates(spec):
    rules = Rules(11, 11, 5)
    policy = player(spec, rules)
    policy.search(rules.start())  # compiles
    begin, work = time.monotonic(), time.process_time()
    found = policy.search(rules.start())
    assert time.monotonic() - begin > 0.25
    assert time.process_time() - work < 0.6  # a busy machine makes it wait, not work
    assert found.nodes > 1000
    assert policy.traits.depends_on == "time"


@pytest.mark.parametrize("spec", ["alphabeta:time=60", "mcts:iterations=2000000000,memory=8"])
def test_a_long_search_can_be_interrupted_and_the_player_used_again(spec):
    rules = Rules(15, 15, 5)
    policy = player(spec, rules)
    begin = time.monotonic()
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            policy.search(rules.start())
        assert time.monotonic() - begin < 25  # the first call may compile
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
    board = rules.start()
    board[[0, 1, 2, 3]], board[[100, 102, 104, 130]] = 1, -1
    assert policy.search(board).probs[4] == 1 if spec.startswith("alphabeta") else True


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:depth=0",
        "alphabeta:nodes=0",
        "alphabeta:time=nan",
        "alphabeta:memory=0",
        "alphabeta:memory=999999999,depth=2",
        "alphabeta:width=0",
        "alphabeta:nodes=10,time=1",
        "alphabeta:threats=-1",
        "alphabeta:ties=last",
        "minimax:search=clever",
        "mcts:iterations=0",
        "mcts:c=-1",
        "mcts:heuristic=inf",
        "mcts:seed=-1",
        "mcts:iterations=5,time=1",
        "mcts:solver=perhaps",
        "gumbel:simulations=0",
        "gumbel:simulations=100000000",
        "gumbel:threes=100000000",
        "gumbel:threats=-1",
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(spec):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as refusal:
        player(spec, Rules(15, 15, 5))
    words = spec.replace(":", ",").replace("=", ",").split(",")
    assert any(word in str(refusal.value) for word in words[1::2])


@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "minimax:search=cached"])
@pytest.mark.parametrize(
    ("board", "complaint"),
    [
        ([1, 1, 1, -1, -1, 0, -1, 0, 0], "finished"),
        ([1, -1, 1, 1, -1, -1, -1, 1, -1], "finished"),
        ([2, 0, 0, 0, 0, 0, 0, 0, 0], "unreachable"),
        ([0, 0, 0], "cells"),
    ],
)
def test_a_search_asked_about_a_finished_or_impossible_board_says_so(spec, board, complaint):
    with pytest.raises(ValueError, match=complaint):
        player(spec).search(np.array(board))
