"""All games played in a batch, against the plain-Python rules, and large boards."""

import numpy as np
import pytest
from reference import game

from tttenv import Outcome, Rules, player
from tttenv.env.games import GameBatch, TableGames
from tttenv.env.rollouts import rollout
from tttenv.env.step_options_kernel import DISABLED
from tttenv.players.baselines import random as random_row
from tttenv.policy import uniform


def every_game():
    """Return all games of 3,3,3 in plain Python: cells, and the winner (1 X, -1 O, 0 draw)."""
    every, found = game((3, 3, 3)), []

    def go(board, cells):
        if board in every.result:
            found.append((cells, "O_X".index(every.result[board]) - 1))
        for cell, after in every.after[board].items():
            go(after, [*cells, cell])

    go(every.boards[0], [])
    return found


@pytest.fixture(scope="module")
def games():
    found = every_game()
    cells = np.full((9, len(found)), -1)
    for i, (line, _) in enumerate(found):
        cells[: len(line), i] = line
    return cells, np.array([winner for _, winner in found])


@pytest.mark.parametrize("kind", [TableGames, GameBatch])
def test_all_255168_games_end_as_the_plain_rules_say_for_the_mover(games, kind):
    cells, winners = games
    assert cells.shape == (9, 255_168)
    assert [(winners == who).sum() for who in (1, -1, 0)] == [131_184, 77_904, 46_080]
    batch = kind(Rules(), len(winners))
    batch.restart(np.arange(len(winners)), 0, None, "X")
    lengths = (cells >= 0).sum(axis=0)
    for ply in range(9):
        payoffs, output = np.zeros(5), batch.outputs.take()
        known = batch.compiled(None), 0, batch.known, payoffs, DISABLED
        batch.kernel.step(batch.state, cells[ply], (np.uint64(0),) * 2, *known, output.compiled)
        ended = lengths == ply + 1
        assert (batch.over == ended).all()
        mover = 1 if ply % 2 == 0 else -1
        wanted = np.where(winners == mover, Outcome.WIN, Outcome.DRAW)
        assert (batch.outcomes == np.where(ended, wanted, Outcome.GOING)).all()
        cells, winners, lengths = cells.compress(~ended, axis=1), winners[~ended], lengths[~ended]
        if len(winners):
            boards = np.zeros((len(winners), 9), np.int8)
            for before in range(ply + 1):
                sign = 1 if before % 2 != ply % 2 else -1  # seen by the next mover
                boards[np.arange(len(winners)), cells[before]] = sign
            assert (batch.boards(np.flatnonzero(~ended)) == boards).all()
            batch = kind(Rules(), len(winners))
            batch.set_boards(boards)


@pytest.mark.parametrize("rules", [Rules(), Rules(5, 5, 4)])
def test_rollouts_repeat_by_seed_and_end_as_often_as_they_should(rules):
    results = rollout(rules, uniform, random_row(rules), 20_000, seed=1)
    assert (results == rollout(rules, uniform, uniform, 20_000, seed=1)).all()
    assert (results != rollout(rules, uniform, uniform, 20_000, seed=2)).any()
    if rules == Rules():
        shares = [(results == outcome).mean() for outcome in (1, 0, -1)]
        assert np.allclose(shares, [737 / 1260, 8 / 63, 121 / 420], atol=0.015)


def test_looked_up_rollouts_meet_the_exact_score():
    from tttenv.exact import score

    rules = Rules()
    first, second = player("tactical", rules), player("epsilon:epsilon=0.5", rules)
    results = rollout(rules, first, second, 50_000)
    exact = score(rules, first, second)
    for outcome, share in zip((1, 0, -1), exact, strict=True):
        assert abs((results == outcome).mean() - share) < 0.01
