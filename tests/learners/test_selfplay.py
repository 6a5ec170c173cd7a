"""Self-play: its look-ahead plays real games, its targets as published or repaired."""

import numpy as np
import pytest
from reference import game, mover, view

from learners.selfplay import (
    SelfPlayConfig,
    look_ahead,
    targets_by_length,
    targets_by_result,
)
from learners.symmetry_classes import SymmetryClasses, sample_by_play
from tttenv import Rules
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import positions
from tttenv.game.symmetry import canonical

GAMES = [(3, 3, 3), (2, 3, 2)]
DEFAULT = SelfPlayConfig()


def any_cells(rules, seed):
    """Return a cell for each position with a move, (positions,)."""
    every, rng = positions(Rules(*rules)), np.random.default_rng(seed)
    legal = every.successors >= 0
    return every, np.where(legal, rng.random(legal.shape), -1).argmax(axis=1)


def at(board):
    """Return the index of a board of 3,3,3 written as text."""
    return int(positions(Rules()).index(Rules().parse(board)))


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_look_ahead_results_are_those_of_games_played_in_the_environment(rules, seed):
    every, cells = any_cells(rules, seed)
    ahead = look_ahead(every, cells)
    starts, stones = np.nonzero(every.successors >= 0)  # every legal cell of every position
    m, n, k = rules
    env = VectorTicTacToe(len(starts), m, n, k, opponent=None, obs="board")
    boards, _ = env.reset(options={"board": every.boards[starts]})
    results, plies = np.zeros(len(starts)), np.full(len(starts), -1)
    chosen, sign = stones, 1  # the first reward is the moving player's own, the next the other's
    for ply in range(m * n):
        boards, rewards, over, _, _ = env.step(chosen)
        ended = over & (plies < 0)
        results[ended], plies[ended] = sign * rewards[ended], ply
        chosen, sign = cells[every.index(boards)], -sign
    assert (plies >= 0).all()
    assert (ahead.results[starts, stones] == results).all()
    assert (ahead.plies[starts, stones] == plies).all()
    for found in ahead:
        assert not found[every.successors < 0].any()


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_chances_are_those_of_greedy_play_against_random_play(rules, seed):
    every, cells = any_cells(rules, seed)
    whole, chances = game(rules), look_ahead(every, cells).chances
    number = {b: int(every.index(view(b))) for b in whole.decisions}
    greedy = {b: [c == cells[i] for c in range(every.rules.cells)] for b, i in number.items()}
    evenly = whole.uniform()
    odds = {"X": whole.odds(greedy, evenly), "O": whole.odds(evenly, greedy)}
    for board, i in number.items():
        seat = mover(board)
        for cell, after in whole.after[board].items():
            win = odds[seat][after]["X_O".index(seat)]
            assert chances[i, cell] == pytest.approx(float(win), abs=1e-12)


def test_published_targets_reward_speed_and_take_a_late_loss_for_a_draw():
    every, cells = any_cells((3, 3, 3), 0)
    cells[at("XX_OO____")] = 2
    ahead = look_ahead(every, cells)
    targets = targets_by_length(every, ahead)
    assert targets[at("XX_OO____"), 2] == 1  # wins at once
    assert targets[at("XX_O_____"), 4] == pytest.approx(0.4 / 6)  # O errs, X wins on 2 at once
    assert ahead.results[at("XX_O_____"), 4] == -1
    assert targets[at("XOXOXOOX_"), 8] == 1  # the ninth stone may win
    won, legal = ahead.results > 0, every.successors >= 0
    assert targets[legal & won].min() > 0.7
    assert targets[legal & ~won].max() <= 0.4 * 8 / 9
    for stones in range(9):
        rows = every.ply(stones)
        last = legal[rows] & (ahead.plies[rows] == 8 - stones) & ~won[rows]
        speed = 0.5 ** (2 * ahead.plies[rows] / (9 - stones))
        assert targets[rows][won[rows]] == pytest.approx((0.7 + 0.3 * speed)[won[rows]])
        slow = 0.4 * ahead.plies[rows] / (9 - stones)
        assert targets[rows][legal[rows] & ~won[rows]] == pytest.approx(
            slow[legal[rows] & ~won[rows]]
        )
        outcomes = {-1, 0} if stones % 2 else {0}  # the ninth stone is X's, so only O loses by it
        assert set(ahead.results[rows][last]) == outcomes  # and all have the same target


@pytest.mark.parametrize("seed", range(3))
def test_repaired_targets_put_every_win_above_every_draw_above_every_loss(seed):
    every, cells = any_cells((3, 3, 3), seed)
    ahead = look_ahead(every, cells)
    legal = every.successors >= 0
    targets = targets_by_result(ahead, DEFAULT.draw, DEFAULT.chance)
    wins, draws, losses = (targets[legal & (ahead.results == r)] for r in (1, 0, -1))
    assert wins.min() > draws.mean() > losses.mean()
    assert draws.min() > losses.max()
    plain = targets_by_result(ahead, 0.5, 0.0)
    assert (plain[legal] == ahead.results[legal] / 2 + 0.5).all()
    assert (targets_by_result(ahead, 0.5, 1.0) == ahead.chances).all()


def test_random_stones_make_the_boards_of_the_source():
    every, count = positions(Rules()), 200_000
    drawn = sample_by_play(every, np.random.default_rng(0), count)
    stones = np.count_nonzero(every.boards[drawn], axis=1)
    shares = np.bincount(stones, minlength=9) / count
    assert shares[8] == pytest.approx(0.039, abs=0.002)
    assert shares[4] == pytest.approx(0.154, abs=0.003)
    assert (stones % 2 == 0).mean() == pytest.approx(0.56, abs=0.005)
    assert set(drawn) <= set(every.decisions)
    assert len(set(drawn)) > 4480


def test_cells_chosen_on_representatives_are_mapped_to_every_image():
    every = positions(Rules())
    classes = SymmetryClasses(every, symmetric=True)
    assert sum(map(len, classes.rows)) == 765 - 138  # the classes but for the finished ones
    cells = np.arange(len(every)) % 9
    turned = classes.expand_cells(cells)
    marked = np.where(every.boards == 0, 0, every.boards * 2).astype(np.int64)
    marked[np.arange(len(every)), turned] += 7  # the board with a mark on the answer
    model = every.boards[classes.representative].astype(np.int64) * 2
    model[np.arange(len(every)), cells[classes.representative]] += 7
    assert (np.sort(marked, axis=1) == np.sort(model, axis=1)).all()
    assert (canonical(every.rules, every.boards)[0] == every.boards[classes.representative]).all()
    plain = SymmetryClasses(every, symmetric=False)
    assert (plain.expand_cells(cells) == cells).all()
    assert sum(map(len, plain.rows)) == 4520
