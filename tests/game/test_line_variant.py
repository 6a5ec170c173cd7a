"""Misère, in which a completed line loses: one subclass of Rules, and all that follows from it."""

import copy
import pickle
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import tttenv
from learners.registry import LEARNERS
from learners.training.checkpoint import save
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv.adapters.trl import game_factory
from tttenv.certificates.mistakes import find_mistakes
from tttenv.certificates.refutation import refute
from tttenv.certificates.verdict import verdict
from tttenv.env.env import TicTacToe
from tttenv.env.rollouts import rollout
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import score, solve
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules
from tttenv.league.league import LeagueSettings, play_pair
from tttenv.players import PLAYERS, player

Misere = type("Misere", (Rules,), {"line": Outcome.LOSS})
KINDS = [type("Misere", (kind,), {"rules_type": Misere}) for kind in (TicTacToe, VectorTicTacToe)]


def by_hand(rules):
    """Return the value and the random game's odds for X, from the empty board."""

    @cache
    def search(board, mover):
        if any(all(board[cell] == -mover for cell in line) for line in rules.lines.tolist()):
            return mover, np.eye(3)[1 - mover]  # the other side completed it and lost
        empty = [cell for cell, stone in enumerate(board) if stone == 0]
        if not empty:
            return 0, np.eye(3)[1]
        after = [search((*board[:c], mover, *board[c + 1 :]), -mover) for c in empty]
        return mover * max(mover * value for value, _ in after), np.mean([o for _, o in after], 0)

    return search((0,) * rules.cells, 1)


@pytest.mark.parametrize("size", [(3, 3, 3), (3, 3, 2), (2, 4, 3), (3, 2, 3)])
def test_exact_results_and_games_follow_the_outcome(size):
    rules = Misere(*size)
    (value, odds), both = by_hand(rules), [player("random", rules)] * 2
    assert size != (3, 3, 3) or value == 0
    assert solve(rules).value == player("minimax:search=cached", rules).search(rules.start()).value
    assert solve(rules).value == value
    assert score(rules, *both) == pytest.approx(odds)
    assert rollout(rules, *both, 20_000).mean() == pytest.approx(odds[0] - odds[2], abs=0.03)
    assert tttenv.certify(rules, player("minimax", rules)).unbeatable
    for seat, line in tttenv.certify(rules, both[0]).losing_line.items():
        board = rules.start()
        for cell in line or ():
            board = rules.play(board, cell)
        assert line is None or "OX"[len(line) % 2] == seat
        assert line is None or rules.outcomes(board) == Outcome.WIN
    assert str(rules) != str(Rules(*size))
    assert solve(rules) is not solve(Rules(*size))


@pytest.mark.parametrize("table", [12, 0])
@pytest.mark.parametrize("opponent", [None, "random"])
def test_both_environments_pay_by_the_outcome(table, opponent, monkeypatch):
    monkeypatch.setattr("tttenv.env.games.FEW", table)
    env, batch = (kind(opponent=opponent, obs="board") for kind in KINDS)
    rng = np.random.default_rng(0)
    for game in range(40):
        (board, info), over = env.reset(seed=game), False
        batch.reset(seed=game)
        while not over:
            cell = rng.choice(np.flatnonzero(info["action_mask"]))
            board, reward, over, _, info = env.step(cell)
            assert batch.step([cell])[1] == reward
        mine, theirs = ((board[env.rules.lines] == s).all(axis=1).any() for s in (1, -1))
        assert reward == (int(theirs) - int(mine)) * (1 if opponent else -1)  # the mover's in None


def test_rules_are_read_as_they_are_written_wherever_results_name_them():
    rules = Misere(2, 4, 3)
    assert Rules.of(str(rules)) == Misere.of(str(rules)) == Misere.of("2,4,3") == rules
    with pytest.raises(ValueError, match="rules are written m,n,k"):
        Rules.of("torus 2,4,3")
    first, other = (player(name, rules) for name in ("first", "random"))
    assert verdict(tttenv.certify(rules, first)).rules == rules
    odds = play_pair(LeagueSettings(str(rules), stones=0), "first", "random").odds
    assert odds[0, 0] == pytest.approx(score(rules, first, other))
    games = VectorTicTacToe.of(rules, 2, opponent=None)
    for copied in (pickle.loads(pickle.dumps(games)), copy.deepcopy(games)):
        assert (type(copied), copied.rules) == (VectorTicTacToe, rules)


def test_whatever_reasons_by_lines_refuses_by_name():
    rules, by_outcome = Misere(), {"random", "first", "minimax", "epsilon"}
    named = {*PLAYERS, "pairing:player=random", "external:command=cat"}
    first = player("first", rules)
    searches = [partial(player, name, rules) for name in named - by_outcome] + [
        partial(tttenv.prove, rules),
        partial(refute, rules, first, "X"),
        partial(tttenv.certify, rules, first, method="reachable positions"),
        partial(find_mistakes, rules, first, "X", 0, 1, 1, np.random.default_rng(), None),
        partial(KINDS[0], obs="text"),
        partial(game_factory, str(rules)),
        lambda: train(
            Run("td0", "default", LEARNERS.load("td0").Config(), rules, Schedule(1, 1, 1)),
            Path("no"),
        ),
        partial(save, Path("no"), None, rules, {}),
    ]
    for search in searches:
        with pytest.raises(ValueError, match="completed line wins, not misere 3,3,3"):
            search()
