"""Best-first search for lost games, checked on small games."""

import numpy as np
import pytest
from lost_games import require_lost_by_own_moves
from pairs import pairs

from tttenv import Rules, player, refute
from tttenv.certificates import reachability, refutation
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.players import PLAYERS
from tttenv.policy import uniform

MORE = ["minimax:ties=first", "mcts:iterations=20", "epsilon:player=first,epsilon=0.3"]
# Games found attack first that are not the shortest: stones before and after, by seat.
DETOURS = [
    ("alphabeta:depth=1", Rules(5, 5, 4), {"X": (12, 8), "O": (9, 7)}),
    ("alphabeta:depth=1,ties=first", Rules(7, 7, 5), {"X": (12, 10), "O": (13, 9)}),
]
by_seat = pytest.mark.parametrize("seat", "XO")


@pytest.mark.parametrize(
    ("rules", "spec", "seat"),
    pairs([Rules(), Rules(2, 4, 3), Rules(1, 2, 2)], [*PLAYERS, *MORE], "XO"),
    ids=str,
)
def test_on_small_boards_a_lost_game_is_found_if_and_only_if_there_is_one(rules, spec, seat):
    policy = player(spec, rules)
    line = refute(rules, spec, seat)
    found = reachability.Search(SeatedPlayer(rules, policy, seat, spec)).run()
    assert (line is None) == found.never_loses
    if line is not None:
        require_lost_by_own_moves(rules, policy, seat, line)
        assert len(line) == len(found.losing_line)
        assert refutation.search(SeatedPlayer(rules, policy, seat, spec), 100_000).shortest is True


@by_seat
@pytest.mark.parametrize(("spec", "rules", "long"), DETOURS, ids=str)
def test_a_game_is_shortened_where_that_takes_few_positions(spec, rules, long, seat, monkeypatch):
    policy = player(spec, rules)
    found = refutation.search(SeatedPlayer(rules, policy, seat, spec), 20_000)
    monkeypatch.setattr(refutation, "SHORTENED", 0)
    first = refutation.search(SeatedPlayer(rules, policy, seat, spec), 20_000)
    require_lost_by_own_moves(rules, policy, seat, found.losing_line)
    assert found.shortest is True
    assert (len(first.losing_line), len(found.losing_line)) == long[seat]
    assert (first.shortest is True) == (long[seat][0] == 2 * rules.k - (seat == "O"))


@by_seat
def test_without_the_positions_for_it_nothing_is_said_of_shorter_games(seat):
    rules, spec = Rules(7, 7, 5), "alphabeta:depth=1"
    asked = refutation.search(SeatedPlayer(rules, player(spec, rules), seat, spec), 255)
    assert asked.losing_line is not None
    assert asked.shortest is False
    assert asked.positions == 255


def by_hand(rules, policy, seat):
    """Count the positions reached by the player in which the opponent's next stone may win."""
    lost, seen = 0, set()
    board = rules.start()
    waiting = [board] if seat == "X" else [rules.play(board, cell) for cell in range(rules.cells)]
    while waiting:
        board = waiting.pop()
        if board.tobytes() in seen:
            continue
        seen.add(board.tobytes())
        after, beaten = [], False
        for cell in np.flatnonzero(policy(board[None])[0]):
            mine = rules.play(board, cell)
            for reply in np.flatnonzero(rules.legal(mine)) if not rules.over(mine) else ():
                position = rules.play(mine, reply)
                beaten = beaten or bool(rules.lost(position))
                after += [] if rules.over(position) else [position]
        lost += beaten
        waiting += [] if beaten else after
    return lost, len(seen)


@pytest.mark.parametrize(
    ("rules", "spec", "seat"),
    pairs(
        [Rules(), Rules(2, 4, 2)],
        ["first", "tactical", "mcts:iterations=20", "minimax:ties=first"],
        "XO",
    ),
    ids=str,
)
def test_losing_leaves_are_those_of_a_plain_walk(rules, spec, seat, monkeypatch):
    monkeypatch.setattr(refutation, "REPLIES", rules.cells**2)  # every reply, not the best only

    def known(boards):  # which does not say that it treats mirror images alike
        return policy(boards)

    policy = player(spec, rules)
    lost, asked = refutation.losing_leaves(rules, known, seat, 100_000)
    assert (lost, asked) == by_hand(rules, policy, seat)
    assert (lost == 0) == reachability.Search(
        SeatedPlayer(rules, policy, seat, spec)
    ).run().never_loses
    for most in (1, 7):
        some, few = refutation.losing_leaves(rules, known, seat, most)
        assert few == min(most, asked)
        assert some <= few


@by_seat
def test_no_more_boards_are_asked_about_than_allowed_and_none_twice(seat):
    rules, asked = Rules(5, 5, 4), []

    def spy(boards):
        asked.extend(board.tobytes() for board in boards)
        return perfect(boards)

    perfect = player("alphabeta:depth=3,ties=first", rules)
    for most in (1, 30, 100):
        asked.clear()
        assert refute(rules, spy, seat, most) is None
        assert len(asked) == len(set(asked)) == most


def test_mixed_moves_count_with_all_that_may_be_played():
    rules = Rules()
    careful, slips = player("minimax", rules), 1e-9

    def slipping(boards):
        return (1 - slips) * careful(boards) + slips * uniform(boards)

    assert refute(rules, careful, "X") is None
    require_lost_by_own_moves(rules, slipping, "X", refute(rules, slipping, "X"))


def test_who_no_longer_plays_what_lost_is_refused():
    rules = Rules()
    moves = iter(range(10**6))

    def turning(boards):
        rows = np.zeros(boards.shape)
        for board, row in zip(boards, rows, strict=True):
            empty = np.flatnonzero(board == 0)
            row[empty[next(moves) % len(empty)]] = 1
        return rows

    with pytest.raises(ValueError, match="gives different answers to the same board"):
        refute(rules, turning, "O")
