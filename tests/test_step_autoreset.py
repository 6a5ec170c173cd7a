"""A batch's whole step: the same however the opponent is asked, whoever shares the work."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from copy import deepcopy

import numpy as np
import pytest
from reference import random_game, view

import tttenv.simulator.threads
from tttenv import Rules, player
from tttenv.exact import tabulate
from tttenv.simulator.match import Match
from tttenv.vector import VectorTicTacToe

BOARDS = [(3, 3, 3), (3, 4, 3), (5, 5, 4)]
GAMES = 23


@pytest.fixture(autouse=True)
def _threads_share_even_small_batches(monkeypatch):
    monkeypatch.setattr(tttenv.simulator.threads, "LEAST", 4)


def pair(rules, opponent, **kwargs):
    """An environment that plays the opponent in compiled code, and one that asks it in Python."""
    m, n, k = rules
    compiled = VectorTicTacToe(GAMES, m, n, k, opponent, **kwargs)
    policy = compiled.match.opponent
    asking = VectorTicTacToe(GAMES, m, n, k, lambda boards: policy(boards), **kwargs)
    assert (compiled.match.asks, asking.match.asks) == (False, True)
    return compiled, asking


def some_moves(env, dice):
    """Random legal cells, and now and then one that may be taken."""
    cells = env.sample_actions()
    wild = dice.random(GAMES) < 0.04
    return np.where(wild, dice.integers(0, env.rules.cells, GAMES), cells)


def plain(answer):
    """What a step returned, to be compared."""
    if isinstance(answer, dict):
        return {name: plain(part) for name, part in answer.items()}
    if isinstance(answer, tuple):
        return [plain(part) for part in answer]
    return str(answer.dtype), answer.shape, answer.tobytes()


def same_steps(compiled, asking, count):
    dice = np.random.default_rng(0)
    for _ in range(count):
        cells = some_moves(compiled, dice)
        assert plain(compiled.step(cells)) == plain(asking.step(cells))


@pytest.mark.parametrize("spec", ["random", "minimax", "tactical"])
@pytest.mark.parametrize("seat", ["X", "O", "random"])
@pytest.mark.parametrize("obs", ["onehot", "board", "dict"])
@pytest.mark.parametrize(("threads", "copy"), [(1, True), (3, False)])
def test_compiled_opponents_play_as_they_do_when_asked(spec, seat, obs, threads, copy):
    rules = Rules()
    other = "random" if spec == "random" else tabulate(rules, player(spec, rules))
    envs = pair((3, 3, 3), other, seat=seat, obs=obs, threads=threads, copy=copy)
    seen = [plain(env.reset(seed=5)) for env in envs]
    assert seen[0] == seen[1]
    same_steps(*envs, 150)
    assert envs[0].np_random.bit_generator.state == envs[1].np_random.bit_generator.state


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@pytest.mark.parametrize("obs", ["onehot", "board", "dict"])
@pytest.mark.parametrize(("threads", "copy"), [(1, False), (2, True), (5, True)])
def test_random_opponents_too_on_boards_of_any_size(rules, obs, threads, copy):
    envs = pair(rules, "random", obs=obs, copy=copy, threads=threads)
    for env in envs:
        env.reset(seed=0)
    same_steps(*envs, 200)


def test_keys_of_another_generator_do_as_well():
    envs = pair((3, 3, 3), "random")
    for env in envs:
        env.np_random = np.random.Generator(np.random.MT19937(1))
        env.reset()
    same_steps(*envs, 50)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_threads_take_part_and_go_when_the_environment_is_closed(opponent):
    before = set(threading.enumerate())
    env = VectorTicTacToe(500, opponent=opponent, threads=3)
    env.reset(seed=0)
    env.step(env.sample_actions())
    assert len(set(threading.enumerate()) - before) == 2
    env.close()
    assert set(threading.enumerate()) == before


def test_threads_go_with_their_games():
    before = set(threading.enumerate())
    env = VectorTicTacToe(500, opponent="random", threads=3)
    env.reset(seed=0)
    env.step(env.sample_actions())
    del env
    gc.collect()
    deadline = time.monotonic() + 20
    while set(threading.enumerate()) != before:
        assert time.monotonic() < deadline, "they outlive their games"
        time.sleep(0.01)


def test_a_program_ends_while_threads_wait():
    script = """
from tttenv.vector import VectorTicTacToe
env = VectorTicTacToe(100_000, opponent=None, threads=2)
env.reset(seed=0)
env.step(env.sample_actions())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_it_goes_on_from_any_board_and_after_playing_an_opponent(rules):
    m, n, k = rules
    env = VectorTicTacToe(GAMES, m, n, k, "random", copy=False)
    other = VectorTicTacToe(GAMES, m, n, k, None)
    env.reset(seed=3)
    for _ in range(20):
        env.step(env.sample_actions())
    env.set_opponent(None)
    other.reset(options={"board": env.boards})
    for _ in range(40):
        cells = env.sample_actions()
        one, two = env.step(cells), other.step(cells)
        assert (one[0] == two[0]).all()
        nothing = np.zeros(1)
        assert (one[4].get("final_obs", nothing) == two[4].get("final_obs", nothing)).all()


def test_last_views_are_right_again_after_an_opponent_played_in_between():
    env = VectorTicTacToe(GAMES, opponent=None, copy=False)
    env.reset(seed=1)
    asked = player("tactical")
    for turn in range(90):
        env.set_opponent([None, "random", None, asked][turn % 4])
        assert env.match.asks == (turn % 4 == 3)
        _, _, over, _, infos = env.step(env.sample_actions())
        if over.any():
            assert not infos["final_obs"][~over].any()
            assert (infos["final_obs"][over].sum(axis=1) == 9).all()


def test_a_batch_with_threads_can_be_copied_pickled_and_forked():
    env = VectorTicTacToe(GAMES, opponent=None, threads=3)
    env.reset(seed=1)
    env.step(env.sample_actions())
    cells = env.sample_actions()
    twins = [deepcopy(env), pickle.loads(pickle.dumps(env))]
    if not (child := os.fork()):  # it has none of the parent's threads
        env.step(cells)
        os._exit(0)
    deadline = time.monotonic() + 20
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            pytest.fail("the fork hangs")
        time.sleep(0.01)
    assert done[1] == 0
    wanted = env.step(cells)[0]
    for twin in twins:
        assert (twin.step(cells)[0] == wanted).all()


def test_what_it_hands_out_stays_as_it_was_unless_told_otherwise():
    for copy in (True, False):
        env = VectorTicTacToe(GAMES, opponent=None, copy=copy)
        env.reset(seed=0)
        kept = [env.step(env.sample_actions()) for _ in range(12)]
        seen = [[np.array(part) for part in step[:4]] for step in kept]
        finals = [np.array(step[4]["final_obs"]) for step in kept if "final_obs" in step[4]]
        for _ in range(12):
            env.step(env.sample_actions())
        same = all(
            (now == then).all()
            for step, parts in zip(kept, seen, strict=True)
            for now, then in zip(step[:4], parts, strict=True)
        )
        assert same == copy
        if copy:
            ended = [step[4]["final_obs"] for step in kept if "final_obs" in step[4]]
            assert all((now == then).all() for now, then in zip(ended, finals, strict=True))
            for rows in ended:
                rows[:] = 7  # theirs to spoil
            del kept, ended, rows
            for _ in range(12):
                step = env.step(env.sample_actions())
                assert not (step[4].get("final_obs", np.zeros(1)) == 7).any()


@pytest.mark.parametrize("rules", [*BOARDS, (15, 15, 5)], ids=str)
def test_random_legal_cells_are_legal_even_and_the_same_for_any_number_of_threads(rules):
    stones = random_game(rules, 1)[0]
    board = np.array(view(stones[len(stones) // 2]), np.int8)
    rules, games = Rules(*rules), 20_000
    found = []
    for threads in (1, 3):
        match = Match(rules, games, threads=threads)
        match.set_boards(board)
        found.append(match.sample(np.random.default_rng(0)))
    assert (found[0] == found[1]).all()
    empty = np.flatnonzero(board == 0)
    counts = np.bincount(found[0], minlength=rules.cells)
    assert counts.sum() == counts[empty].sum() == games
    wanted = games / len(empty)
    assert (np.abs(counts[empty] - wanted) < 5.5 * np.sqrt(wanted)).all()
    again = match.sample(np.random.default_rng(1))
    assert (again != found[0]).any()


def test_random_legal_cells_of_crowded_boards_are_even_too():
    rules = Rules(6, 6, 6)
    board = np.array([[1, 1, -1, -1, 1, 1], [-1, -1, 1, 1, -1, -1]] * 3, np.int8).reshape(-1)
    board[[3, 20]] = 0
    assert not rules.over(board[None])[0]
    match = Match(rules, 20_000)
    match.set_boards(board)
    cells = match.sample(np.random.default_rng(0))
    counts = np.bincount(cells, minlength=36)
    assert counts[[3, 20]].sum() == 20_000
    assert abs(counts[3] - 10_000) < 5 * np.sqrt(5_000)


@pytest.mark.parametrize("rules", [(3, 3, 3), (4, 3, 3)], ids=str)
def test_looked_up_play_outs_agree_with_the_rule(rules):
    from itertools import product

    from tttenv.kernels.rollouts import lined

    rules = Rules(*rules)
    table = lined(rules.m, rules.n, rules.k)
    sets = np.array(list(product([0, 1], repeat=rules.cells)))[:, ::-1]
    lines = np.zeros((len(rules.lines), rules.cells), int)
    for row, line in zip(lines, rules.lines, strict=True):
        row[line] = 1
    assert (table == (sets @ lines.T == rules.k).any(axis=1)).all()
    assert player("mcts:iterations=50", rules).search(rules.start()).nodes == 50
