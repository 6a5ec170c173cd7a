"""Invariants of every player in the table, and known results of some."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from reference import RULES, SMALL, game, mover, put, random_game, spell, view, winner

from tttenv.exact import backward_induction, enumerable, positions, score, solve
from tttenv.game.rules import Rules
from tttenv.players import FOREIGN, PLAYERS, bundled, player
from tttenv.policy import uniform

SPECS = [
    *PLAYERS,
    "minimax:ties=first",
    "minimax:ties=fastest",
    "epsilon:player=tactical,epsilon=0.3",
    "epsilon:player=(minimax:ties=first),epsilon=1",
    "gumbel:simulations=8,threes=100",
]

KNOWN_NAMES = ", ".join((*PLAYERS, *FOREIGN, *bundled.names(), "or the folder of a checkpoint"))


def undecided(rules, games=6):
    found = [board for seed in range(games) for board in random_game(rules, seed)[0][:-1]]
    return np.array([view(board) for board in dict.fromkeys(found)], np.int8)


def made(spec, rules):
    """Return the player, or None if the game is too large for it."""
    try:
        return player(spec, Rules(*rules))
    except ValueError as refusal:
        if "too large for exact results" in str(refusal):
            return None
        raise


@pytest.mark.parametrize(
    ("spec", "rules"), [*product(SPECS, RULES[:3]), *zip(SPECS, RULES[3:] * 2, strict=False)]
)
def test_every_player_is_legal_pure_and_leaves_the_boards_alone(spec, rules):
    boards = undecided(rules)[:: 1 + len(undecided(rules)) // 8]
    before = boards.copy()
    policy = made(spec, rules)
    if policy is None:
        assert not enumerable(Rules(*rules))  # what fits a table, every player can play
        return
    probs = policy(boards)
    assert (boards == before).all()
    assert probs.shape == boards.shape
    assert probs.dtype == np.float64
    assert (probs >= 0).all()
    assert (probs[boards != 0] == 0).all()
    assert probs.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert (policy(np.asfortranarray(boards[::-1])) == probs[::-1]).all()
    again, copied = made(spec, rules), pickle.loads(pickle.dumps(policy))
    assert all((again(boards[i : i + 1])[0] == probs[i]).all() for i in range(len(boards)))
    assert (copied(boards) == probs).all()
    assert (copied.traits, copied.name, copied.rules) == (policy.traits, policy.name, policy.rules)
    assert policy.traits.alone
    assert policy(boards[:0]).shape == (0, boards.shape[1])


SEARCHES = [
    "alphabeta:nodes=1000",
    "alphabeta:depth=4",
    "alphabeta:nodes=1000,threats=30",
    "mcts:iterations=100",
    "gumbel:simulations=16,threes=100",
    "pairing:player=(mcts:iterations=100)",
    "alphazero_554:simulations=8",
]


@pytest.mark.parametrize("spec", SEARCHES)
def test_a_player_shared_by_threads_makes_the_moves_that_it_makes_alone(spec):
    boards, policy = undecided((5, 5, 4), games=2)[::2], made(spec, (5, 5, 4))
    alone = policy(boards)
    rows = np.random.default_rng(0).integers(0, len(boards), 8 * len(boards))
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda row: policy(boards[row : row + 1])[0], rows))
    assert (np.array(together) == alone[rows]).all()


@pytest.mark.parametrize("rules", [*SMALL, (3, 4, 3)], ids=spell)
def test_the_random_and_the_first_player_do_what_their_names_say(rules):
    boards = undecided(rules)
    for board, evenly, firstly in zip(
        boards.tolist(),
        player("random", Rules(*rules))(boards).tolist(),
        player("first", Rules(*rules))(boards).tolist(),
        strict=True,
    ):
        assert evenly == [(stone == 0) / board.count(0) for stone in board]
        assert firstly == [float(cell == board.index(0)) for cell in range(len(board))]


def one_ply(rules, board):
    """Return the cells of the tactical player, without its code: win, else block, else any."""
    me, empty = mover(board), [cell for cell, mark in enumerate(board) if mark == "_"]
    wins = [cell for cell in empty if winner(rules, put(board, cell)) == me]
    other = "XO"[me == "X"]
    theirs = [board[:cell] + other + board[cell + 1 :] for cell in empty]
    blocks = [cell for cell, b in zip(empty, theirs, strict=True) if winner(rules, b) == other]
    return wins or blocks or empty


@pytest.mark.parametrize("rules", [(3, 3, 3), (1, 5, 3), (3, 3, 2), (2, 5, 4)], ids=spell)
def test_tactical_wins_else_blocks_else_moves_at_random_on_every_position(rules):
    for board, probs in game(rules).table(player("tactical", Rules(*rules))).items():
        good = one_ply(rules, board)
        assert probs == [(cell in good) / len(good) for cell in range(len(board))], board


@pytest.mark.parametrize("rules", SMALL, ids=spell)
@pytest.mark.parametrize("ties", ["uniform", "first", "fastest"])
def test_minimax_mixes_over_the_moves_its_ties_option_says(rules, ties):
    every, perfect = game(rules), game(rules).perfect()
    for board, probs in every.table(player(f"minimax:ties={ties}", Rules(*rules))).items():
        moves = every.after[board].items()
        good = [cell for cell, b in moves if perfect[b][0] == -perfect[board][0]]
        if ties == "first":
            good = good[:1]
        elif ties == "fastest" and perfect[board][0]:
            left = perfect[board][1] - 1
            good = [c for c, b in moves if perfect[b] == (-perfect[board][0], left)]
        assert probs == [(cell in good) / len(good) for cell in range(len(board))], board


KNOWN = [  # against uniform random on 3,3,3: as X, and as O
    ("random", (737 / 1260, 8 / 63, 121 / 420), (121 / 420, 8 / 63, 737 / 1260)),
    ("minimax", (75257 / 77760, 2503 / 77760, 0), (2645 / 3402, 757 / 3402, 0)),
    ("minimax:ties=first", (191 / 192, 1 / 192, 0), (254 / 315, 61 / 315, 0)),
]


@pytest.mark.parametrize(("spec", "as_x", "as_o"), KNOWN)
def test_against_random_the_known_players_win_as_often_as_theory_says(spec, as_x, as_o):
    one, other = player(spec, Rules()), player("random", Rules())
    assert tuple(score(Rules(), one, other)) == pytest.approx(as_x, abs=1e-13)
    assert tuple(score(Rules(), other, one))[::-1] == pytest.approx(as_o, abs=1e-13)


@pytest.mark.parametrize(
    ("seat", "pick", "expected"),
    [(0, 1, 191 / 192), (0, -1, 161 / 192), (1, 1, 866 / 945), (1, -1, 542 / 945)],
)
def test_never_losing_play_wins_against_random_within_the_known_range(seat, pick, expected):
    every, solution = positions(Rules()), solve(Rules())

    def safely(boards, odds):
        safe = solution.optimal[every.index(boards)]
        move_values = np.where(safe, pick * odds[..., 0], -np.inf)
        return np.eye(9)[move_values.argmax(axis=1)]

    sides = [safely, lambda boards, odds: uniform(boards)]
    odds = backward_induction(Rules(), *(sides if seat == 0 else sides[::-1]))[0][0]
    assert odds[2 * seat] == pytest.approx(expected, abs=1e-13)
    assert odds[2 - 2 * seat] == 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("perfect", f"unknown player 'perfect'; known are {KNOWN_NAMES}"),
        ("epsilon:tie=first", "epsilon has no option 'tie'; it takes player, epsilon"),
        ("epsilon:player=first,epsilon=2", "a probability must be between 0 and 1, not 2.0"),
        (7, "a player's name must be a string, not 7"),
    ],
)
def test_a_spec_that_names_no_player_is_answered_by_what_is_known(spec, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        player(spec, Rules())


@pytest.mark.parametrize("spec", ["minimax", "epsilon", "epsilon:player=minimax"])
def test_what_needs_the_solved_game_refuses_large_boards_and_names_what_plays_there(spec):
    with pytest.raises(ValueError, match=r"5,5,4 is too large .*alphabeta plays"):
        player(spec, Rules(5, 5, 4))
