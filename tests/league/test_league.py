"""Leagues: openings, exact and sampled results of pairs, storage, files and output."""

import itertools
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tttenv import Rules, player
from tttenv.cli import league as command
from tttenv.cli import workers
from tttenv.exact import positions, tabulate
from tttenv.exact.evaluation import PlayPolicy, backward_induction
from tttenv.game import symmetry
from tttenv.game.openings import opening_classes
from tttenv.league import league, pair
from tttenv.league.pair import EXACT, SAMPLED, CachedPlayer, PairLimits, PairResult, PlayerError
from tttenv.parallel.tasks import Context, key, perform
from tttenv.players import PLAYERS
from tttenv.players.digests import digests
from tttenv.policy import FunctionPlayer, Traits, blend, player_for, uniform

ROOT = Path(__file__).parents[2]
SMALL = Rules(3, 3, 3)
QUICK = {  # options for players that would take long
    "mcts": "mcts:iterations=20",
    "gumbel": "gumbel:simulations=8",
    "alphabeta": "alphabeta:depth=1",
    "epsilon": "epsilon:player=(alphabeta:depth=1),epsilon=0.5",
}
PLAYERS = [QUICK.get(name, name) for name in PLAYERS]


def asker(spec, rules=SMALL):
    return CachedPlayer(player(spec, rules))


def named(policy, name, rules=SMALL):
    made = CachedPlayer(player_for(rules, policy))
    made.name = name
    return made


# --- The openings
def test_there_are_as_many_openings_as_counted():
    numbers = {(4, 4): 33, (5, 5): 85, (5, 6): 225, (6, 6): 165, (9, 9): 846}
    for (m, n), count in numbers.items():
        assert len(opening_classes(Rules(m, n, 4), 2)) == count
    assert [len(opening_classes(SMALL, stones)) for stones in range(4)] == [1, 3, 12, 38]


@pytest.mark.parametrize("rules", [(3, 3, 3), (2, 4, 2), (3, 4, 3), (2, 2, 2)])
@pytest.mark.parametrize("stones", range(4))
def test_every_undecided_board_is_an_image_of_one_opening(rules, stones):
    rules = Rules(*rules)
    game = positions(rules)
    boards = game.boards[game.ply(stones)]
    undecided = boards[~rules.over(boards)]
    if not len(undecided):
        with pytest.raises(ValueError, match="is over after"):
            opening_classes(rules, stones)
        return
    openings = {board.tobytes() for board in opening_classes(rules, stones)}
    reached = {symmetry.canonical(rules, board[None])[0].tobytes() for board in undecided}
    assert openings == reached


def test_openings_that_nobody_can_list_are_refused():
    too_many = "choose at most 2, which make 16,416$"
    for rules, stones, said in (
        ((19, 19, 5), 3, too_many),
        ((3, 3, 3), 9, "openings"),
        ((3, 3, 3), -1, "openings"),
    ):
        with pytest.raises(ValueError, match=said):
            opening_classes(Rules(*rules), stones)


# --- Exact results
@cache
def table(rules, spec):
    """Return a player's output on all boards."""
    return tabulate(rules, player(spec, rules))


@cache
def induced(rules, x, o):
    """Return the odds of all positions by backward induction, ply by ply."""
    return backward_induction(rules, PlayPolicy(table(rules, x)), PlayPolicy(table(rules, o)))


def expected(rules, first, second, openings):
    """Return the expected output of `exact_odds`, looked up in the whole game."""
    stones, found = np.count_nonzero(openings[0]), []
    numbers = positions(rules).index(openings) - positions(rules).plies[stones]
    for colour in (0, 1):
        odds = induced(rules, *((first, second) if colour == 0 else (second, first)))
        of_mover = odds[stones][numbers]
        found.append(of_mover if stones % 2 == colour else of_mover[:, ::-1])
    return np.array(found)


@pytest.mark.parametrize("stones", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", [(3, 3, 3), (2, 4, 3)])
def test_exact_results_are_those_of_backward_induction(shape, stones):
    rules = Rules(*shape)
    openings = opening_classes(rules, stones)
    askers = [named(table(rules, spec), spec, rules) for spec in PLAYERS]
    for first, second in itertools.combinations_with_replacement(askers, 2):
        odds = pair.exact_odds(rules, first, second, openings)
        wanted = expected(rules, first.name, second.name, openings)
        np.testing.assert_allclose(odds, wanted, rtol=0, atol=1e-11)
        assert odds.sum(axis=2) == pytest.approx(np.ones(odds.shape[:2]), abs=1e-11)


def followed(rules, seats, board, mover):
    """Return the odds of a win of X, a draw and a win of O, move by move."""
    if rules.over(board):
        return np.eye(3)[1 if not rules.lost(board) else 2 - 2 * mover]
    chances = seats[mover](board[None])[0]
    return sum(
        chances[cell] * followed(rules, seats, rules.play(board, cell), 1 - mover)
        for cell in np.flatnonzero(chances)
    )


@pytest.mark.parametrize(
    ("shape", "specs"),
    [((7, 7, 4), ("first", "alphabeta:depth=1,ties=first")), ((7, 7, 2), ("tactical", "random"))],
)
def test_on_boards_of_two_words_results_are_those_of_following_every_move(shape, specs):
    rules = Rules(*shape)
    openings = opening_classes(rules, 1)  # O is to move
    first, second = (player(spec, rules) for spec in specs)
    found = pair.play(rules, *(asker(spec, rules) for spec in specs), openings, 2, 0)
    assert found.method == EXACT
    as_x = [followed(rules, (first, second), board, 1) for board in openings]
    as_o = [followed(rules, (second, first), board, 1)[::-1] for board in openings]
    np.testing.assert_allclose(found.odds, [as_x, as_o], atol=1e-11)


def test_images_count_once_only_where_all_players_treat_them_alike():
    """`first` does not, so that it may not be asked about an image of the board it stands on."""
    rules, openings = Rules(3, 4, 3), opening_classes(Rules(3, 4, 3), 2)
    odds = pair.play(rules, asker("random", rules), asker("first", rules), openings, 2, 0).odds
    np.testing.assert_allclose(odds, expected(rules, "random", "first", openings), atol=1e-11)
    two = [asker(spec, rules) for spec in ("random", "tactical")]
    plain = [named(lambda boards, p=a.player: p(boards), a.name, rules) for a in two]
    enough = PairLimits(30_000)  # for one image of each position; all images are 71,788
    quotient = pair.exact_odds(rules, *two, openings, enough)
    np.testing.assert_allclose(quotient, pair.exact_odds(rules, *plain, openings), atol=1e-11)
    assert pair.exact_odds(rules, *plain, openings, enough) is None


# --- Sampled games
def test_sampled_games_come_near_the_exact_result():
    openings = opening_classes(SMALL, 2)
    for first, second in (("random", "tactical"), ("tactical", "mcts:iterations=20")):
        two = asker(first), asker(second)
        exact = pair.play(SMALL, *two, openings, 2, 0)
        found = PairResult(SAMPLED, pair.sampled_games(SMALL, *two, openings, 4000, 1).odds)
        assert abs(found.value - exact.value) < 5 * found.error
        assert 0.2 < found.error * np.sqrt(4000) < 1
        each = found.odds.sum(axis=2)
        assert each.sum() == found.games == 4000
        assert np.ptp(each) <= 1
        assert (each[0] == each[1]).all()
        shares = found.odds / each[..., None]
        assert np.abs(shares - exact.odds).max() < 0.2


def test_the_seed_and_nothing_else_decides_sampled_games():
    openings, two = opening_classes(SMALL, 2), (asker("random"), asker("tactical"))
    games = [pair.sampled_games(SMALL, *two, openings, 50, seed).odds for seed in (1, 1, 2)]
    assert (games[0] == games[1]).all()
    assert (games[0] != games[2]).any()
    assert (np.count_nonzero(games[0].sum(axis=2), axis=1) == 12).all()
    few = pair.sampled_games(SMALL, *two, openings, 10, 0).odds
    assert np.count_nonzero(few[0].sum(axis=1)) == 5
    for wrong in (0, 3, -2):
        with pytest.raises(ValueError, match="even number"):
            pair.sampled_games(SMALL, *two, openings, wrong, 0)


def test_games_are_sampled_where_a_result_cannot_be_exact():
    openings = opening_classes(SMALL, 2)
    timed, random, mcts = (asker(s) for s in ("mcts:time=0.001", "random", "mcts:iterations=5"))
    assert pair.play(SMALL, timed, random, openings, 4, 0).method == SAMPLED
    assert pair.play(SMALL, random, timed, openings, 4, 0).method == SAMPLED
    for limits, method in (
        (PairLimits(), EXACT),
        (PairLimits(positions=100), SAMPLED),
        (PairLimits(searches=100), SAMPLED),
        (PairLimits(searches=0), SAMPLED),
    ):
        assert pair.play(SMALL, random, mcts, openings, 4, 0, limits).method == method
    tactical, limits = asker("tactical"), PairLimits(searches=0)
    assert pair.play(SMALL, random, tactical, openings, 4, 0, limits).method == EXACT


def test_an_exact_result_that_takes_too_many_searches_is_given_up_before_the_first():
    """12 openings in both colours and 7 plies are 84 searches of each player, before any ends."""
    openings, printed = opening_classes(SMALL, 2), []
    searching = CachedPlayer(FunctionPlayer(SMALL, failing, Traits(searches=True)))
    two = searching, asker("first")
    assert pair.exact_odds(SMALL, *two, openings, PairLimits(searches=83)) is None
    with pytest.raises(PlayerError):
        pair.exact_odds(SMALL, *two, openings, PairLimits(searches=84))
    mcts = asker("mcts:iterations=5")
    pair.play(SMALL, mcts, two[1], openings, 4, 0, tell=lambda *now: printed.append(now))
    assert {now[1:] for now in printed} == {(20_000, "looking for an exact result")}
    assert [now[0] for now in printed] == sorted({now[0] for now in printed})


# --- How players are asked

COUNT = itertools.count()


def forgetful(boards):
    """Return probabilities that differ in each call."""
    free = [np.flatnonzero(board == 0) for board in boards]
    return np.eye(9)[[cells[next(COUNT) % len(cells[:3])] for cells in free]]


def failing(boards):
    raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (forgetful, "gives different answers"),
        (failing, "out of order"),
        (blend(SMALL, failing, uniform, 0.5), "out of order"),
    ],
)
def test_a_player_that_breaks_the_laws_is_named(policy, said):
    wrong = named(policy, "a stranger")
    for two in ((wrong, asker("first")), (asker("tactical"), wrong)):
        with pytest.raises(PlayerError, match=rf"^a stranger: .*{said}"):
            pair.play(SMALL, *two, opening_classes(SMALL, 2), 2, 0)


@pytest.mark.parametrize("stones", [2, 6])
def test_a_player_that_varies_without_saying_so_plays_games_unless_checked_strictly(stones):
    varying = CachedPlayer(player_for(SMALL, forgetful), strict=False)
    boards = opening_classes(SMALL, stones)
    assert pair.play(SMALL, asker("first"), varying, boards, 2, 0).method == SAMPLED
    assert varying.traits.depends_on is not None


# --- The league
SETTINGS = league.LeagueSettings("3,3,3", 2, games=10, positions=1_500)
SPECS = ["random", "first", "tactical", "minimax", "mcts:iterations=5", "alphabeta:depth=1"]


def slow(specs):
    return {spec: asker(spec).traits.searches for spec in specs}


def whole(specs=SPECS, settings=SETTINGS):
    """Return a league played in this process."""
    played = {two: league.play_pair(settings, *two) for two in league.pairs_of(slow(specs))}
    return league.assembled(settings, specs, played)


@pytest.fixture(scope="module")
def usual():
    return whole()


def test_every_pair_is_listed_once_whatever_the_order_the_slow_ones_first():
    found = league.pairs_of(slow(SPECS))
    assert set(map(frozenset, found)) == set(map(frozenset, itertools.combinations(SPECS, 2)))
    assert len(found) == 15
    assert found == league.pairs_of(slow(SPECS[::-1]))
    assert all("mcts" in str(two) or "alphabeta" in str(two) for two in found[:9])


def test_the_matrix_is_antisymmetric_and_shares_sum_to_one(usual):
    values = usual.values()
    assert (values == -values.T).all()
    assert np.abs(values).max() > 0.3
    rows = usual.standings()
    assert all(sum(row.shares) == pytest.approx(1) for row in rows)
    assert sum(row.shares[0] + row.shares[1] / 2 for row in rows) == pytest.approx(len(SPECS) / 2)
    assert sum(row.elo for row in rows) == pytest.approx(0, abs=1e-6)
    assert [row.elo for row in rows] == sorted((row.elo for row in rows), reverse=True)
    methods = {found.method for found in usual.results.values()}
    assert methods == {EXACT, SAMPLED}


def test_a_league_does_not_depend_on_the_order_of_its_players(usual):
    assert league.text(whole(SPECS[::-1])) == league.text(usual)


def test_a_player_that_fails_has_no_result_and_the_others_go_on():
    bad = "external:command=false"
    found = whole(["first", bad, "random"])
    assert [names[:2] for names in found.failed()] == [(bad, "first"), (bad, "random")]
    assert all(reason.startswith(bad) for _, _, reason in found.failed())
    values = found.values()
    assert np.isnan(values[0, [1, 2]]).all()
    assert values[1, 2] == -values[2, 1] == whole(["first", "random"]).values()[0, 1]
    assert found.standings()[-1] == league.Standing(bad)


def test_kept_results_are_of_the_same_players_and_settings(tmp_path):
    import shutil

    folder = tmp_path / "lms"
    shutil.copytree(ROOT / "checkpoints/lms", folder)
    nested = f"epsilon:player={folder},epsilon=0.1"
    for spec in (f"{folder}/", nested):
        (before,) = league.tasks(SETTINGS, [(spec, "random")])
        assert key(league.tasks(SETTINGS, [(spec, "random")])[0]) == key(before)
        assert perform(before.work, before.arguments, Context(print)).error == ""
        card = json.loads((folder / "card.json").read_text())
        (folder / "card.json").write_text(json.dumps(card | {"steps": card["steps"] + 1}))
        assert key(league.tasks(SETTINGS, [(spec, "random")])[0]) != key(before)
        refused = perform(before.work, before.arguments, Context(print))
        assert refused.value is None
        assert "its files have changed" in refused.error
    tasks = league.tasks(SETTINGS, [*itertools.permutations(SPECS, 2)])
    for name in ("stones", "games", "seed", "positions", "searches"):
        other = replace(SETTINGS, **{name: 1})
        tasks += league.tasks(other, [("random", "first")], threads=1)
    tasks += league.tasks(SETTINGS, [("random", "first")], threads=2)
    assert len({key(task) for task in tasks}) == len(tasks) == 36


def test_a_program_is_known_by_each_file_of_its_command_and_what_these_import(tmp_path):
    files = ("run", "net.bin", "bot.py", "own.py", "part/inner.py", "unused.py")
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "bot.py").write_text("import sys, own\nfrom part import inner\n")
    command = f"({tmp_path}/run {tmp_path}/bot.py --net={tmp_path}/net.bin)"
    specs = [f"external:command={command}", f"gomocup:command={command}"]
    specs.append(f"epsilon:player=({specs[0]}),epsilon=0.1")
    for name in files:
        before = [digests(spec) for spec in specs]
        with (tmp_path / name).open("a") as stream:
            stream.write("# other")
        changed = [digests(spec) != old for spec, old in zip(specs, before, strict=True)]
        assert changed == [name != "unused.py"] * 3


# --- The file
def test_a_file_has_the_results_of_all_pairs(usual):
    printed = json.loads(league.text(usual))
    best = [row["player"] for row in printed["players"]]
    for row in printed["pairs"]:
        found = usual.result(best[row["first"]], best[row["second"]])
        again = league.result_from_dict(row)
        assert (again.odds == found.odds).all()
        assert row["value"] == found.value
        assert printed["matrix"][row["second"]][row["first"]] == -row["value"]


OPTIONS = ["--games", "10", "--positions", "1500", "--json"]


class _Serially:
    """Backend of this process, interrupted after `most` tasks."""

    def __init__(self, most=1000):
        self.most, self.ended, self.count = most, [], 0

    def room(self):
        return 1

    def submit(self, number, task):
        if self.count == self.most:
            raise KeyboardInterrupt
        self.count += 1
        self.ended.append((number, perform(task.work, task.arguments, Context(print))))

    def wait(self, seconds):
        ended, self.ended = self.ended, []
        return ended

    def __enter__(self):
        return self

    def stop(self, *_):
        pass

    __exit__ = stop


def played(monkeypatch, given, most=1000):
    """Return the number of tasks that the command has run, in this process."""
    backend = _Serially(most)
    monkeypatch.setattr(workers, "backend", lambda _: backend)
    if most < 1000:
        with pytest.raises(KeyboardInterrupt, match=r"of 15 pairs are stored.*continues") as end:
            command.main(given)
        return str(end.value)
    command.main(given)
    return backend.count


def test_a_killed_league_goes_on_with_what_it_has_kept(tmp_path, monkeypatch, capsys, usual):
    monkeypatch.chdir(tmp_path)
    given, file = [*SPECS, *OPTIONS], tmp_path / "results" / "league.json"
    full = 15
    assert played(monkeypatch, given, 4).startswith("4 of 15 pairs are stored in results/")
    assert not file.exists()
    assert played(monkeypatch, given, 2).startswith("6 of 15 ")
    assert played(monkeypatch, given) == full - 6
    assert file.read_text() == league.text(usual)
    assert played(monkeypatch, given) == 0
    assert file.read_text() == league.text(usual)
    assert played(monkeypatch, [*given, "--seed", "1"]) == full
    assert played(monkeypatch, given) == 0
    assert capsys.readouterr().err == ""


WRONG = {
    "one player": (["first"], "at least two players"),
    "a player twice": (["first", "random", "first"], "first is named twice"),
    "another board": (["reinforce_444", "lms"], "plays 3,3,3, not 4,4,4"),
    "an odd number of games": (["first", "random", "--games", "3"], "must be even"),
    "a folder as the file": (["first", "random", "--out", "."], "--out must be a file"),
    "a file as the folder": (["first", "random", "--out", "file/x.json"], "file"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arguments_are_refused_before_anything_is_played(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setattr(workers, "run_all", None)
    given, said = WRONG[wrong]
    with pytest.raises((ValueError, OSError), match=said):
        command.main(given)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_pair_is_named_and_the_status_is_1(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # it is played again
        with pytest.raises(SystemExit) as end:
            played(monkeypatch, ["first", "external:command=false", "random"])
        assert end.value.code == 1
        printed = capsys.readouterr()
        assert "3 pairs, 1 exact, 2 without a result" in printed.out
        assert "league: no result of external:command=false and first: external" in printed.err


def test_the_usual_players_are_a_ladder_and_the_trained_ones_of_the_board():
    assert command.usual(SMALL)[0] == "random"
    assert {"minimax", "selfplay", "td0"} <= set(command.usual(SMALL))
    on_four = command.usual(Rules(4, 4, 4))
    assert {"reinforce_444", "alphazero_444"} <= set(on_four)
    assert "minimax" not in on_four
    for spec in command.usual(Rules(9, 9, 5)):
        player(spec, Rules(9, 9, 5))
