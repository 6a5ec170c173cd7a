"""Metrics: described tags, exact results as in the reference, intervals that cover the truth."""

from types import SimpleNamespace

import numpy as np
import pytest
from reference import game, spell, standards

from tttenv import Rules, certify, player
from tttenv.certificates import metric_table, metrics, phrases, reachability, verdict
from tttenv.certificates.certificate import Certificate, stated_certificate
from tttenv.certificates.metric_table import Metric, flat
from tttenv.certificates.metrics import arena
from tttenv.certificates.metrics.arena import Sampled
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.cli.certify import print_certificate
from tttenv.cli.play import text_board
from tttenv.exact import positions, tabulate
from tttenv.policy import uniform
from tttenv.report import leaderboard
from tttenv.report.data import quantised
from tttenv.report.load_players import Shown
from tttenv.testing import policy_checks

SMALL = [(3, 3, 3), (2, 3, 2), (1, 5, 3)]


@pytest.mark.parametrize("rules", [*SMALL, (5, 5, 4)], ids=spell)
def test_every_number_has_a_described_tag_and_every_metric_a_number(rules):
    rules = Rules(*rules)
    found = metrics.measure(rules, uniform) | flat(certify(rules, uniform, 1_000))
    used = set()
    for tag, number in found.items():
        assert isinstance(number, float)
        assert np.isfinite(number)
        assert metrics.description(tag)
        used.add(metrics.description(tag))
    assert len(used) == len(found)  # no tag twice
    assert metrics.description("exact/nothing") == ""
    assert all(tag.startswith(("exact/", "sampled/")) for tag in found)


@pytest.mark.parametrize("rules", SMALL, ids=spell)
@pytest.mark.parametrize("seed", range(2))
def test_the_accuracy_by_plies_is_what_its_definition_gives(rules, seed):
    every = game(rules)
    table = every.random_table(seed)
    policy = every.player(table)
    optimal, shares = standards(rules)[0], {}
    for board in every.decisions:
        good = sum(p for p, ok in zip(table[board], optimal[board], strict=True) if ok)
        shares.setdefault(len(board) - board.count("_"), []).append(good)
    found = metric_table.accuracy(Rules(*rules), policy)
    plies = {int(tag.rsplit("_", 1)[1]): share for tag, share in found.items()}
    assert plies == pytest.approx({ply: float(np.mean(good)) for ply, good in shares.items()})


@pytest.mark.parametrize("seat", ["X", "O"])
def test_the_interval_covers_the_exact_value_about_95_times_of_100(seat):
    rules = Rules()
    policy, other = tabulate(rules, player("tactical")), player("random")
    exact = metric_table.versus(rules, policy, other)[seat].value
    found = [arena.arena(rules, policy, other, seat, 200, seed) for seed in range(100)]
    covered = sum(abs(result.value - exact) <= result.margin for result in found)
    assert 88 <= covered <= 100
    assert np.mean([result.value for result in found]) == pytest.approx(exact, abs=0.015)
    assert len({result.value for result in found}) > 10  # other seeds, other games
    assert found[7] == arena.arena(rules, policy, other, seat, 200, 7)
    spread = np.std([result.value for result in found])
    assert np.mean([result.margin for result in found]) == pytest.approx(1.96 * spread, rel=0.25)


def test_margins_shrink_with_more_games_and_never_vanish():
    assert Sampled(100, 1.0, 0.0, 0.0).margin > 0.02  # a row of wins does not claim certainty
    assert Sampled(1, 0.0, 0.0, 1.0).margin > 0.5
    for shares in ((1, 0, 0), (0, 1, 0), (0.5, 0.2, 0.3)):
        margins = [Sampled(games, *shares).margin for games in (10, 100, 1000, 10_000)]
        assert margins == sorted(margins, reverse=True)
        assert margins[-1] > 0
    even = Sampled(10_000, 0.5, 0.0, 0.5)
    assert (even.value, round(even.margin, 4)) == (0, 0.0196)


def test_small_games_are_measured_exactly_and_large_ones_by_samples():
    asked = []

    def watched(boards):
        asked.append(len(boards))
        return uniform(boards)

    assert all(tag.startswith("exact/") for tag in metrics.measure(Rules(), watched))
    assert asked == [4520]  # once, about every position
    found = arena.measure(Rules(5, 5, 4), uniform, games=60, seed=1)
    lost = metric_table.losing_leaves(Rules(5, 5, 4), uniform)
    every = metrics.measure(Rules(5, 5, 4), player("first", Rules(5, 5, 4)))
    assert every.keys() == found.keys() | lost.keys()
    assert all(tag.startswith("exact/losing_leaves_") for tag in lost)
    assert all(tag.startswith("sampled/") for tag in found)
    assert all(number > 0 for tag, number in found.items() if "margin" in tag)
    assert found["sampled/value_vs_tactical_X"] < -0.5  # tactical play beats random play
    with pytest.raises(ValueError, match=r"^[^\n]*arena[^\n]*$"):
        metric_table.versus(Rules(5, 5, 4), uniform, uniform)


@pytest.mark.parametrize("wrong", [{"seat": "random"}, {"games": 0}])
def test_a_wrong_seat_or_no_games_are_refused(wrong):
    with pytest.raises(ValueError, match=r"seat|game"):
        arena.arena(Rules(), uniform, uniform, **({"seat": "X", "games": 10} | wrong))


def test_one_row_adds_a_metric_and_it_is_shown_everywhere(monkeypatch, capsys):
    def missed(rules, table):
        return float(np.count_nonzero(table.table[0]))

    def by_seat(rules, table):
        return {"exact/first_X": 1.5, "exact/first_O": 2.5}

    rows = (
        Metric("exact/missed", "How many.", "wins that it misses", measure=missed),
        Metric("exact/first_{seat}", "As {seat}.", "first", measure=by_seat),
    )
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, *rows))
    for module in (verdict, metric_table):
        monkeypatch.setattr(module, "METRICS", metrics.METRICS)
    policy = player("epsilon:player=first,epsilon=0.25")
    found = certify(Rules(), policy)
    stated = {"exact/missed": 9, "exact/first_X": 1.5, "exact/first_O": 2.5}
    assert stated.items() <= found.to_dict()["more"].items()
    assert Certificate.from_dict(found.to_dict()) == found
    assert metrics.measure(Rules(), policy)["exact/missed"] == 9
    assert "| first | 1.5 | 2.5 |" in verdict.certificate_table(found)
    assert metrics.description("exact/first_O") == "As O."
    print_certificate("some", found)
    assert "wins that it misses: 9.0\n" in capsys.readouterr().out
    shown = Shown("some", "some", "", found, table=tabulate(Rules(), policy))
    assert 'data-head="wins that it misses">9.0<' in leaderboard.html([shown])
    assert 'data-head="first O">2.5<' in leaderboard.html([shown])
    assert stated_certificate({"certificate": found.to_dict()}, Rules()) == found
    forged = metrics.flat(Certificate.from_dict(found.to_dict() | {"more": {"exact/blunders": -1}}))
    assert forged["exact/blunders"] == found.blunders


def test_a_player_loses_wherever_lost_positions_are_counted_and_stronger_ones_have_fewer():
    rules = Rules(4, 4, 4)
    specs = ["first", "tactical", "alphabeta:depth=1,ties=first", "reinforce_444"]
    counted = [metric_table.losing_leaves(rules, player(spec, rules)) for spec in specs]
    for seat in "XO":
        numbers = [found[f"exact/losing_leaves_{seat}"] for found in counted]
        assert numbers == sorted(numbers, reverse=True)
        assert numbers[0] > 20
        assert numbers[-1] == 0  # its certificate says that it never loses
        for spec, number in zip(specs, numbers, strict=True):
            seated = SeatedPlayer(rules, player(spec, rules), seat, spec)
            found = reachability.Search(
                seated, reachability.SearchOptions(20_000, followed=0)
            ).run()
            assert number == 0 or found.never_loses is False
    assert metric_table.losing_leaves(rules, player("mcts:time=0.01", rules)) == {}


SIDES, ODDS = (-1.0, 0.0, 1.0), (0.0, 1.0)  # what is certain
WRITERS = {
    "a share": (phrases.share, ODDS),
    "a tenth": (lambda share: phrases.share(share, 1), ODDS),
    "a whole": (lambda share: phrases.share(share, 0), ODDS),
    "a value": (phrases.value, SIDES),
    "hundredths": (phrases.hundredths, SIDES),
    "an expected result": (lambda x: phrases.rounded(x, 3), (-1.0, 1.0)),
    "a terminal's cell": (text_board._share, ODDS),
    "an analysis": (text_board._percent, ODDS),
    "the doctor": (policy_checks.percent, ODDS),
    "the page's data": (lambda share: quantised_share(share), (1.0,)),
}


def quantised_share(share):
    """Return the page's number for a move with a probability in all positions."""
    moves = np.full(positions(Rules()).successors.shape, share)
    (number,) = {*quantised(SimpleNamespace(moves=moves)).tolist()}
    return number


@pytest.mark.parametrize("what", WRITERS)
def test_only_what_is_certain_is_written_so(what):
    write, certain = WRITERS[what]
    for exact in certain:
        for gap in 10.0 ** -np.arange(1.0, 12.0):
            for near in (exact - gap, exact + gap):
                if certain[0] <= near <= certain[-1]:
                    assert write(near) != write(exact), near
        noise = exact * (1 - 1e-15)  # of a sum of probabilities
        assert write(noise) == write(exact)
