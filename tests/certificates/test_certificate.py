"""Certificates, compared number by number with an independent solver."""

import json

import numpy as np
import pytest
from lost_games import require_lost_by_own_moves
from reference import certificate, game, spell

from tttenv.certificates import phrases
from tttenv.certificates.certificate import Certificate, certify
from tttenv.certificates.verdict import certificate_table
from tttenv.cli.certify import print_certificate
from tttenv.exact import Tabulated, positions, tabulate
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import blend, from_observations, uniform, uniform_over
from tttenv.testing.findings import examine
from tttenv.testing.policy_checks import CheckedPlayer, legal

NAMED = ["random", "first", "tactical", "minimax", "minimax:ties=first", "minimax:ties=fastest"]
MIXED = [
    "epsilon",
    "epsilon:player=first,epsilon=0.3",
    "epsilon:epsilon=1e-7",  # loses only by moves too unlikely to be blunders
    "epsilon:player=first,epsilon=1e-7",
    "epsilon:player=tactical,epsilon=2e-6",
]
GAMES = [(3, 3, 3), (2, 2, 2), (2, 3, 2), (1, 5, 3), (3, 3, 2)]
by_rules = pytest.mark.parametrize("rules", GAMES, ids=spell)
SEEDS = range(3)  # the first never mixes


def flat(value, name=""):
    """Return nested numbers as {path: number}, with the losing lines unchanged."""
    if isinstance(value, dict):
        return {k: v for key in value for k, v in flat(value[key], f"{name}.{key}").items()}
    if isinstance(value, list) and not name.startswith(".losing_line"):
        return {f"{name}.{i}": part for i, part in enumerate(value)}
    return {name: value}


def alike(found, known):
    """Check that two certificates are equal up to rounding of floats."""
    other = (".queried_twice", ".more")  # depends on the player's traits; metrics have their tests
    found, known = (
        {name: number for name, number in flat(each).items() if not name.startswith(other)}
        for each in (found.to_dict(), known)
    )
    assert list(found) == list(known)
    for name, number in known.items():
        wanted = pytest.approx(number, abs=1e-12) if isinstance(number, float) else number
        assert found[name] == wanted, name


def check(rules, policy, table):
    found = certify(Rules(*rules), policy)
    alike(found, certificate(rules, table))
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    for seat, line in found.losing_line.items():
        if line is not None:
            require_lost_by_own_moves(Rules(*rules), policy, seat, line)


@by_rules
@pytest.mark.parametrize("spec", NAMED + MIXED)
def test_every_number_of_a_named_players_certificate_is_the_reference_solvers(spec, rules):
    policy = player(spec, Rules(*rules))
    check(rules, policy, game(rules).table(policy))


@by_rules
@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_of_a_random_players_certificate_is_the_reference_solvers(seed, rules):
    table = game(rules).random_table(seed, parts=1 if seed % 3 == 0 else 16)
    check(rules, game(rules).player(table), table)


def test_perfect_play_is_unbeatable_even_where_its_seat_is_lost():
    found = certify(Rules(3, 4, 3), player("minimax:ties=fastest", Rules(3, 4, 3)))
    assert (found.value, found.blunders) == (1, 0)
    assert found.worst_case == pytest.approx({"X": 1, "O": -1}, abs=1e-12)
    assert found.unbeatable
    assert found.losing_line["X"] is None
    every = game((3, 4, 3))
    assert len(found.losing_line["O"]) == every.perfect()[every.boards[0]][1] == 7


def test_what_is_known_of_tic_tac_toe_stands_in_the_certificates():
    random = certify(Rules(), player("random", Rules()))
    assert random.worst_case == pytest.approx({"X": -874 / 945, "O": -191 / 192}, abs=1e-13)
    assert random.optimal_moves["all"] == pytest.approx(0.5797, abs=5e-5)
    assert random.blunders == 3_191  # every critical position: it may play anything
    assert not random.unbeatable


def test_unlikely_moves_make_the_losing_line_if_and_only_if_likely_ones_never_lose():
    always, tactical, rare_slips, careful = (
        certify(Rules(), policy)
        for policy in (
            uniform,
            player("tactical", Rules()),
            blend(Rules(), player("tactical"), uniform, 1e-7),
            blend(Rules(), player("minimax"), uniform, 1e-7),
        )
    )
    assert careful.blunders == 0
    assert not careful.unbeatable
    for seat, shortest in (("X", 6), ("O", 5)):
        assert len(always.losing_line[seat]) == shortest
        assert len(careful.losing_line[seat]) == shortest
        assert len(tactical.losing_line[seat]) > shortest
        assert rare_slips.losing_line[seat] == tactical.losing_line[seat]


def test_a_losing_move_counts_however_unlikely_but_leaves_the_worst_case():
    found = certify(Rules(), blend(Rules(), player("minimax:ties=first"), uniform, 1e-12))
    assert found.unbeatable
    assert found.blunders == 0
    assert found.never_loses == {"X": False, "O": False}
    assert found.losing_line["X"]


def test_a_certificate_that_is_changed_changes_no_later_one():
    table = player("minimax")
    before = certify(Rules(), table).to_dict()
    changed = certify(Rules(), table)
    changed.vs_random["X"][0] = 2.0
    changed.worst_case.clear()
    assert certify(Rules(), table).to_dict() == before


def test_the_policy_is_asked_once_about_all_undecided_boards_and_again_about_those_with_a_choice():
    asked = []

    def spy(boards):
        asked.append(boards.copy())
        boards[:] = 1  # whatever it does to its input stays with it
        return uniform(asked[-1])

    assert certify(Rules(), spy) == certify(Rules(), uniform)
    boards, *again = asked
    assert not Rules().over(boards).any()
    assert (boards == positions(Rules()).boards[positions(Rules()).decisions]).all()
    others = np.concatenate(again)
    choice = boards[(boards == 0).sum(axis=1) > 1]
    assert {board.tobytes() for board in others} == {board.tobytes() for board in choice}
    assert max(map(len, again)) < len(boards) / 10


def test_sums_slightly_off_one_are_divided_out_for_looked_up_players_too():
    exact, rng = player("tactical", Rules()), np.random.default_rng(0)
    answer = tabulate(Rules(), exact).table * rng.uniform(1 - 5e-5, 1 + 5e-5, (5_478, 1))
    off, known = Tabulated(Rules(), answer), certify(Rules(), exact).to_dict()
    alike(certify(Rules(), lambda boards: off(boards)), known)
    alike(certify(Rules(), off), known)


def test_a_player_limited_by_time_is_refused_and_told_what_to_limit_instead():
    def hasty(boards):
        raise AssertionError("asked")

    hasty.depends_on = "time"
    with pytest.raises(ValueError, match=r"limited by time .* iterations or nodes"):
        certify(Rules(), hasty)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_certificate_and_the_doctor_say_what_a_mask_hides(share, capsys):
    rules = Rules()
    game = positions(rules)
    boards = game.boards[game.decisions]
    gone = np.random.default_rng(0).random(len(game)) < share

    def net(seen):
        """Return probabilities on taken cells where `gone`, else half of them there."""
        taken, free = (uniform_over(part) for part in (seen != 0, seen == 0))
        mixed = np.where((seen != 0).any(axis=1)[:, None], (taken + free) / 2, free)
        return np.where((gone[game.index(seen)] & seen.any(axis=1))[:, None], taken, mixed)

    policy = from_observations(net, rules, obs="board", kind="probs")
    with np.errstate(invalid="ignore"):
        probs = np.nan_to_num(net(boards))
        certificate = certify(rules, policy)
        (found,) = examine(CheckedPlayer(rules, policy, policy), {"legal": legal})
    taken = np.where(boards != 0, probs, 0).sum(axis=1)
    choice = np.count_nonzero(boards == 0, axis=1) > 1
    assert certificate.illegal_mass == pytest.approx(taken.mean())
    assert certificate.only_illegal == pytest.approx(((taken > 0.9) & choice).mean())
    assert (certificate.only_illegal > 0) == (share > 0)
    assert Certificate.from_dict(certificate.to_dict()) == certificate
    print_certificate("net", certificate)
    shown, table = capsys.readouterr().out, certificate_table(certificate)
    for text, digits in ((shown, 2), (table, 2), (found.text, 1)):
        assert phrases.share(certificate.illegal_mass, digits) in text
        assert not share or phrases.share(certificate.only_illegal, digits) in text


def test_another_method_is_refused_and_the_known_ones_named():
    with pytest.raises(ValueError, match="all positions, reachable positions, not 'sampled'"):
        certify(Rules(), uniform, method="sampled")
