"""Exploring starts: games begin with random stones, and continue as usual from there."""

import gymnasium as gym
import numpy as np
import pytest

from tttenv import Rules
from tttenv.env import ExploringStarts, VectorExploringStarts
from tttenv.game.openings import random_openings
from tttenv.game.outcomes_kernel import GOING

RULES = Rules()


def test_openings_are_undecided_boards_of_every_number_of_stones():
    boards = random_openings(RULES, 8, 4000, np.random.default_rng(0))
    RULES.check_all(boards)
    assert not RULES.over(boards).any()
    stones = np.count_nonzero(boards, axis=1)
    assert set(stones) == set(range(9))
    few = random_openings(RULES, 2, 4000, np.random.default_rng(0))
    counts = np.bincount(np.count_nonzero(few, axis=1))
    assert counts == pytest.approx(np.full(3, 4000 / 3), abs=150)  # no game ends that early
    with pytest.raises(ValueError, match="at least 0"):
        random_openings(RULES, -1, 1, np.random.default_rng(0))


def test_a_single_game_starts_anywhere_and_the_same_seed_gives_the_same_starts():
    def starts(seed):
        env = ExploringStarts(gym.make("TicTacToe-v0", opponent="random", obs="dict"))
        found = []
        for number in range(300):
            seen, info = env.reset(seed=seed if number == 0 else None)
            board = env.unwrapped.board
            assert (seen["action_mask"] == (board == 0)).all()
            assert (info["action_mask"] == (board == 0)).all()
            found.append(board)
        return np.array(found)

    first = starts(1)
    assert set(np.count_nonzero(first, axis=1)) == set(range(9))
    assert (starts(1) == first).all()
    assert (starts(2) != first).any()
    env = ExploringStarts(gym.make("TicTacToe-v0"))
    env.reset(options={"board": "X___O____"})
    assert RULES.format(env.unwrapped.board) == RULES.format(RULES.parse("X___O____"))


def test_a_seed_beside_a_board_also_seeds_the_later_starts():
    def starts(env):
        env.reset(seed=3, options={"board": "X___O____"})
        found = []
        for _ in range(9):
            env.reset()
            found.append(RULES.format(env.unwrapped.board))
        return found

    used = ExploringStarts(gym.make("TicTacToe-v0"))
    used.reset(seed=0)
    assert starts(used) == starts(ExploringStarts(gym.make("TicTacToe-v0")))


def test_a_batch_starts_anywhere_and_only_where_a_game_ended():
    def run(seed):
        envs = VectorExploringStarts(gym.make_vec("TicTacToe-v0", num_envs=32, obs="board"))
        boards, infos = envs.reset(seed=seed)
        envs.action_space.seed(seed)
        shown, ended = [boards], 0
        for _ in range(50):
            assert (infos["action_mask"] == (boards == 0)).all()
            assert (boards == envs.unwrapped.boards).all()
            before, cells = boards, envs.unwrapped.sample_actions()
            boards, _, over, _, infos = envs.step(cells)
            assert (boards[~over, cells[~over]] == 1).all()
            more = np.count_nonzero(boards, axis=1) - np.count_nonzero(before, axis=1)
            assert (more[~over] == 2).all()
            if over.any():
                assert (infos["final_info"]["outcome"][over] != GOING).all()
                ended += np.count_nonzero(over)
            shown.append(boards)
        assert ended > 300
        return np.concatenate(shown)

    first = run(3)
    RULES.check_all(first)
    assert (run(3) == first).all()
    assert set(np.count_nonzero(first, axis=1)) == set(range(9))
