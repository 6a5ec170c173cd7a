"""The compiled passes that a batch takes are the step they stand for, whoever shares them."""

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

import tttenv.simulator.crew
import tttenv.simulator.rounds
from tttenv import Rules, player
from tttenv.exact import tabulate
from tttenv.kernels import passes, pcg
from tttenv.kernels.desk import ASLEEP, BUSY
from tttenv.kernels.passes import KIND
from tttenv.simulator.helpers import NAME
from tttenv.simulator.match import Match
from tttenv.simulator.pcg import read, write
from tttenv.vector import VectorTicTacToe

BOARDS = [(3, 3, 3), (3, 4, 3), (5, 5, 4)]
GAMES = 23


@pytest.fixture(autouse=True)
def _threads_share_even_small_batches(monkeypatch):
    monkeypatch.setattr(tttenv.simulator.crew, "HEAD_START", 0)
    monkeypatch.setattr(tttenv.simulator.crew, "LIGHT_HEAD_START", 0)
    monkeypatch.setattr(tttenv.simulator.rounds, "CHUNK", 4)
    monkeypatch.setattr(tttenv.simulator.rounds, "processors", lambda: 9)


def pair(rules, opponent=None, **kwargs):
    """The passes, which one-hot observations take, beside the general step with others."""
    m, n, k = rules
    kinds = "onehot", "dict"
    return [VectorTicTacToe(GAMES, m, n, k, opponent, obs=obs, **kwargs) for obs in kinds]


def some_moves(env, dice):
    """Random legal cells, and now and then one that may be taken."""
    cells = env.sample_actions()
    wild = dice.random(GAMES) < 0.04
    return np.where(wild, dice.integers(0, env.rules.cells, GAMES), cells)


def same_step(quick, general, cells):
    """Play the same cells in both and hold what they show equal."""
    shown, rewards, over, truncated, infos = quick.step(cells)
    others = general.step(cells)
    assert (shown == others[0]["observation"]).all()
    assert (rewards == others[1]).all()
    assert (over == others[2]).all()
    assert not truncated.any()
    assert (infos["action_mask"] == others[4]["action_mask"]).all()
    assert ("final_obs" in infos) == over.any() == ("final_obs" in others[4])
    if over.any():
        assert (infos["final_obs"] == others[4]["final_obs"]["observation"]).all()
        for name in ("_final_obs", "_final_info"):
            assert (infos[name] == others[4][name]).all()
        assert not infos["final_info"]["action_mask"].any()
        for name in ("outcome", "_outcome"):
            assert (infos["final_info"][name] == others[4]["final_info"][name]).all()


def same_steps(quick, general, count):
    dice = np.random.default_rng(0)
    for _ in range(count):
        same_step(quick, general, some_moves(quick, dice))


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_they_show_what_the_general_step_shows(rules, copy, threads):
    quick, general = pair(rules, copy=copy, threads=threads)
    assert (quick.reset(seed=0)[0] == general.reset(seed=0)[0]["observation"]).all()
    same_steps(quick, general, 400)


@pytest.mark.parametrize("spec", ["random", "minimax", "tactical"])
@pytest.mark.parametrize("seat", ["X", "O", "random"])
@pytest.mark.parametrize(("threads", "copy"), [(1, True), (3, False)])
def test_they_show_it_against_players_too_and_roll_the_same_dice(spec, seat, threads, copy):
    rules = Rules()
    other = "random" if spec == "random" else tabulate(rules, player(spec, rules))
    quick, general = pair((3, 3, 3), other, seat=seat, threads=threads, copy=copy)
    assert quick.match.supports_fused_step(quick.np_random)
    assert (quick.reset(seed=5)[0] == general.reset(seed=5)[0]["observation"]).all()
    same_steps(quick, general, 200)
    assert quick.np_random.bit_generator.state == general.np_random.bit_generator.state


def test_dice_of_another_make_are_rolled_as_well():
    quick, general = pair((3, 3, 3), "random")
    for env in (quick, general):
        env.np_random = np.random.Generator(np.random.MT19937(1))
        env.reset()
    same_steps(quick, general, 50)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 1000, 12345])
def test_compiled_dice_are_those_of_the_generator_from_any_place_in_its_sequence(count):
    rng, state = np.random.default_rng(count), np.zeros(4, np.uint64)
    rng.integers(7, size=3, dtype=np.uint32)  # leaves half a number in store
    read(rng, state)
    twin = deepcopy(rng)
    pcg.skip(state, count)
    rng.random(count)
    write(twin, state)
    assert twin.bit_generator.state == rng.bit_generator.state
    rolled = np.empty(50)
    pcg.roll(state, rolled)
    assert (rolled == rng.random(50)).all()
    read(rng, twin_state := np.zeros(4, np.uint64))
    assert (twin_state == state).all()


def test_helpers_take_part_sleep_and_go_with_their_games():
    def hired():
        return sum(thread.name == NAME for thread in threading.enumerate())

    before = hired()
    env = VectorTicTacToe(500, opponent="random", threads=3)
    env.reset(seed=0)
    env.step(env.sample_actions())
    assert hired() == before + 2
    helpers = env.match.games.rounds.helpers
    deadline = time.monotonic() + 20
    while helpers.desk[ASLEEP] < 2:
        assert time.monotonic() < deadline, "they never sleep"
        time.sleep(0.01)
    while helpers.desk[ASLEEP] == 2:
        assert time.monotonic() < deadline, "they never wake"
        env.step(env.sample_actions())
    del env, helpers
    gc.collect()
    while hired() > before:
        assert time.monotonic() < deadline, "they outlive their games"
        time.sleep(0.01)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_a_helper_held_up_in_a_chunk_is_waited_for(opponent):
    quick, general = pair((3, 3, 3), opponent, threads=2)
    for env in (quick, general):
        env.reset(seed=2)
    same_steps(quick, general, 1)
    desk = quick.match.games.rounds.helpers.desk
    first, seen = passes.WIPE if opponent is None else passes.STONES, []

    def finish():
        seen.append(desk[KIND])
        desk[BUSY] -= 1

    for _ in range(3):
        cells = quick.sample_actions()
        while not desk[ASLEEP]:
            time.sleep(0.01)
        desk[BUSY] += 1  # as a helper does who takes a chunk, and then loses its processor
        threading.Timer(0.2, finish).start()
        same_step(quick, general, cells)
    assert seen == [first] * 3  # nothing else was begun in the meantime


def test_whoever_interrupts_the_wait_for_a_helper_waits_all_the_same(monkeypatch):
    env = VectorTicTacToe(GAMES, opponent=None, threads=2)
    env.reset(seed=0)
    env.step(cells := env.sample_actions())
    desk = env.match.games.rounds.helpers.desk
    while not desk[ASLEEP]:
        time.sleep(0.01)
    desk[BUSY] += 1

    def finish():
        desk[BUSY] -= 1

    def interrupt(_):
        threading.Timer(0.2, finish).start()
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        env.step(cells)
    assert desk[BUSY] == 0


def test_a_fork_right_after_the_first_step_can_compile():
    script = """
import os, threading
from tttenv.simulator import helpers
from tttenv.vector import VectorTicTacToe
start = threading.Thread.start
def checked(thread):
    assert thread.name != helpers.NAME or helpers.serve.signatures, "a helper has to compile"
    start(thread)
threading.Thread.start = checked
env = VectorTicTacToe(100_000, opponent=None, threads=2)
env.reset(seed=0)
env.step(env.sample_actions())
if not os.fork():
    other = VectorTicTacToe(10, 3, 4, 3, opponent=None, threads=2)
    other.reset(seed=0)
    other.step(other.sample_actions())
    del env
    os._exit(0)
assert os.wait()[1] == 0
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_more_helpers_are_hired_than_there_is_work_and_room_for(monkeypatch):
    for games, room, wanted in ((3, 9, 0), (5, 9, 1), (100, 9, 3), (100, 2, 1), (100, 1, 0)):
        monkeypatch.setattr(tttenv.simulator.rounds, "processors", lambda room=room: room)
        assert Match(Rules(), games, threads=4).games.rounds.helpers.count == wanted


def test_a_program_ends_while_helpers_watch():
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
        assert env.match.supports_fused_step(env.np_random) == (turn % 4 < 3)
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
    env.match.games.rounds.helpers.desk[BUSY] += 1  # one of them is at work just now
    if not (child := os.fork()):  # it has none of the parent's threads
        env.step(cells)
        os._exit(0)
    env.match.games.rounds.helpers.desk[BUSY] -= 1
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
        env = pair((3, 3, 3), copy=copy)[0]
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
        found.append(match.random_cells(np.random.default_rng(0)))
    assert (found[0] == found[1]).all()
    empty = np.flatnonzero(board == 0)
    counts = np.bincount(found[0], minlength=rules.cells)
    assert counts.sum() == counts[empty].sum() == games
    wanted = games / len(empty)
    assert (np.abs(counts[empty] - wanted) < 5.5 * np.sqrt(wanted)).all()
    again = match.random_cells(np.random.default_rng(1))
    assert (again != found[0]).any()


def test_random_legal_cells_of_crowded_boards_are_even_too():
    rules = Rules(6, 6, 6)
    board = np.array([[1, 1, -1, -1, 1, 1], [-1, -1, 1, 1, -1, -1]] * 3, np.int8).reshape(-1)
    board[[3, 20]] = 0
    assert not rules.over(board[None])[0]
    match = Match(rules, 20_000)
    match.set_boards(board)
    cells = match.random_cells(np.random.default_rng(0))
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
