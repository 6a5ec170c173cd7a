"""Certificates from reachable positions, against those from all positions, and on larger boards."""

import json

import pytest
from lost_games import require_lost_by_own_moves

from tttenv import Rules, certify, player, solve
from tttenv.certificates.reachability import SeatResults
from tttenv.certificates.reachable_certificate import (
    proved_value,
    unbeatable,
    worst_cases,
)
from tttenv.certificates.verdict import verdict
from tttenv.cli.certify import print_certificate
from tttenv.players import PLAYERS

REACHABLE = "reachable positions"
MORE = ["minimax:ties=first", "mcts:iterations=20", "selfplay", "genetic", "reinforce"]
SMALL = [(Rules(), [*PLAYERS, *MORE])]
UNLIKELY = "epsilon:player=(minimax:ties=first),epsilon=1e-12"
SMALL += [(Rules(3, 4, 3), ["random", "tactical", "minimax:ties=first", UNLIKELY])]
SMALL += [(Rules(2, 5, 4), ["first", "minimax:ties=first"])]


def unknown(value):
    """Return whether a field, or some part of it, is None."""
    return value is None or (isinstance(value, dict) and any(map(unknown, value.values())))


@pytest.mark.parametrize(
    ("rules", "spec", "value"),
    [
        *((rules, spec, "known") for rules, specs in SMALL for spec in specs),
        *((Rules(), spec, "unknown") for spec in ("random", "first", "minimax", "mcts")),
    ],
    ids=str,
)
def test_it_agrees_with_the_one_over_all_positions_in_all_that_both_know(rules, spec, value):
    more = {} if value == "known" else {"value_of": lambda rules: None}
    policy = player(spec, rules)
    every, found = certify(rules, policy), certify(rules, policy, method=REACHABLE, **more)
    assert (found.rules, found.method) == (every.rules, REACHABLE)
    assert found.never_loses == every.never_loses
    for seat in "XO":
        assert found.vs_random[seat] == pytest.approx(every.vs_random[seat], abs=1e-12)
        assert found.worst_case[seat] in (None, pytest.approx(every.worst_case[seat], abs=1e-12))
        lines = [part.losing_line[seat] for part in (every, found)]
        assert len(lines[0] or []) == len(lines[1] or [])
        assert found.shortest[seat] == every.shortest[seat]
    assert found.value in (None, every.value)
    assert found.unbeatable in (None, every.unbeatable)
    if set(every.worst_case.values()) <= {-1, 0, 1} and value == "known":
        assert found.unbeatable == every.unbeatable
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert found.blunders is None
    assert unknown(found.vs_perfect)
    assert unknown(found.optimal_moves)


def test_who_always_wins_proves_it_too_and_nothing_is_asked_of_the_other_seat():
    rules = Rules(3, 4, 3)
    perfect = player("minimax:ties=first", rules)
    found = certify(rules, perfect, method=REACHABLE, value_of=lambda rules: None)
    assert (found.value, found.unbeatable) == (1, True)
    assert found.worst_case == {"X": 1, "O": -1}
    assert verdict(found).headline.startswith("ALWAYS WINS as X")
    assert solve(rules).value == 1


@pytest.mark.parametrize("spec", ["tactical", "first", "mcts:iterations=50"])
def test_reachable_certificate_a_player_is_refuted_and_the_game_is_lost(spec, capsys):
    rules = Rules(5, 5, 4)
    found = certify(rules, player(spec, rules))
    assert found.method == REACHABLE
    assert found.never_loses == {"X": False, "O": False}
    for seat, line in found.losing_line.items():
        require_lost_by_own_moves(rules, player(spec, rules), seat, line)
    one_move = spec != "tactical"
    assert found.worst_case == dict.fromkeys("XO", -1 if one_move else None)
    assert found.unbeatable is (False if one_move else None)
    assert found.vs_random == {"X": None, "O": None}
    assert found.shortest == {"X": True, "O": True}
    assert [len(line) for line in found.losing_line.values()] == [8, 7]
    print_certificate(spec, found)
    shown = capsys.readouterr().out
    assert f"{spec} on 5,5,4: can be beaten: as X in 8 stones, as O in 7 stones" in shown


def test_a_search_that_runs_out_is_undecided(capsys):
    rules = Rules(5, 5, 4)
    policy = player("alphabeta:depth=3,ties=first", rules)
    unknown = {"X": None, "O": None}
    for most in (1, 50):
        found = certify(rules, policy, positions=most, value_of=lambda rules: None)
        assert found.never_loses == found.vs_random == found.losing_line == unknown
        assert found.value is found.unbeatable is None
        assert max(found.reached.values()) <= most
    print_certificate("alphabeta", found)
    assert f"undecided after {found.reached['X']} positions as X" in capsys.readouterr().out


LOSES, NEVER, WINS = (
    SeatResults(1, never, always, one_move=True, loss_chance=chance)
    for never, always, chance in ((False, False, 1.0), (True, False, 0.0), (True, True, 0.0))
)
OPEN = SeatResults(1, None, None, one_move=True)
MIXED = SeatResults(1, False, False, loss_chance=0.01)
RARELY = SeatResults(1, False, False, loss_chance=1e-12)
O_NEVER = SeatResults(1, True, False)
VERDICTS = [  # as X, as O, the value if known; the value proved, the worst cases, unbeatable
    (NEVER, NEVER, None, 0, (0, 0), True),
    (NEVER, O_NEVER, None, 0, (0, 0), True),
    (WINS, OPEN, None, 1, (1, -1), True),
    (WINS, LOSES, None, 1, (1, -1), True),
    (NEVER, LOSES, None, None, (0, -1), False),
    (NEVER, OPEN, None, None, (0, None), None),
    (LOSES, OPEN, None, None, (-1, None), False),
    (OPEN, LOSES, None, None, (None, -1), None),
    (OPEN, LOSES, 0, 0, (None, -1), False),
    (OPEN, LOSES, 1, 1, (None, -1), None),
    (OPEN, NEVER, None, 0, (None, 0), None),
    (MIXED, MIXED, 0, 0, (None, None), None),
    (MIXED, OPEN, 1, 1, (None, -1), False),
    (RARELY, OPEN, 1, 1, (None, -1), None),
    (NEVER, OPEN, 1, 1, (0, -1), False),
]


@pytest.mark.parametrize(("x", "o", "known", "value", "worst", "verdict"), VERDICTS)
def test_what_two_seats_say_together(x, o, known, value, worst, verdict):
    found = proved_value(x, o) if known is None else known
    assert found == value
    assert worst_cases(x, o, value) == dict(zip("XO", worst, strict=True))
    assert unbeatable(x, o, value) is verdict
