"""Autoreset modes: finished games restart in the same step, in the next one, or on reset."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tttenv import player
from tttenv.env import VectorTicTacToe


def asked(boards):
    """Return random moves, as an opponent called through Python."""
    return player("random")(boards)


def made(mode, games=50, rules=(3, 3, 3), **settings):
    return VectorTicTacToe(games, *rules, autoreset_mode=mode, **settings)


@pytest.mark.parametrize("illegal", ["lose", "raise"])
@pytest.mark.parametrize("opponent", ["random", asked, None])
@pytest.mark.parametrize("rules", [(3, 3, 3), (5, 5, 4)])
def test_the_action_of_a_finished_game_is_ignored_even_off_the_board(rules, opponent, illegal):
    one, other = (made("NextStep", 20, rules, opponent=opponent, illegal=illegal) for _ in range(2))
    over = np.zeros(20, bool)
    one.reset(seed=0)
    other.reset(seed=0)
    for _ in range(40):
        cells = one.sample_actions()
        last = one.step(cells)
        for got, wanted in zip(other.step(np.where(over, -9, cells))[:3], last[:3], strict=True):
            assert (got == wanted).all()
        over = last[2]
    with pytest.raises(ValueError, match=f"game {over.argmin()} is off the board"):
        other.step(np.full(20, 99))


def test_without_autoreset_games_begin_where_the_mask_says():
    env = made("Disabled")
    env.reset(seed=0)
    for _ in range(200):
        _, _, over, _, _ = env.step(env.sample_actions())
        if over.any():
            before = env.boards
            with pytest.raises(gym.error.ResetNeeded, match=rf"game {over.argmax()} is over"):
                env.step(np.zeros(50, int))
            assert (env.boards == before).all()
            env.reset(options={"reset_mask": over, "seat": "X"})
            assert not env.boards[over].any()
            assert (env.boards[~over] == before[~over]).all()


def test_make_vec_takes_the_mode_and_the_metadata_name_it():
    for mode in AutoresetMode:
        for name in (mode, mode.value):
            env = gym.make_vec("TicTacToe-v0", num_envs=3, autoreset_mode=name)
            assert env.metadata["autoreset_mode"] is mode
    assert gym.make_vec("TicTacToe-v0").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert VectorTicTacToe.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_a_list_of_seeds_seeds_the_batch():
    first, again = (made("NextStep", 3) for _ in range(2))
    again.reset(seed=[3, 2, 1])
    for seeds in ([1, 2, 3], [5, None, 6]):
        other = again.np_random_seed
        seen = [env.reset(seed=seeds)[0] for env in (first, again)]
        assert (seen[0] == seen[1]).all()
        assert first.np_random_seed == again.np_random_seed != other
        first.reset(seed=[None, None, None])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"options": {"reset_mask": np.ones(4, bool)}}, "3 booleans"),
        ({"options": {"reset_mask": [True, False, False]}}, "3 booleans"),
        ({"options": {"reset_mask": np.ones(3, int)}}, "3 booleans"),
        ({"options": {"reset_mask": np.zeros(3, bool)}}, "must have a True"),
        ({"options": {"reset_mask": np.ones(3, bool), "board": "_" * 9}}, "not with 'board'"),
        ({"options": {"reset_mask": np.ones(3, bool)}, "seed": 1}, "no seed can be given"),
        ({"options": {"mask": np.ones(3, bool)}}, "the options board, seat, reset_mask, not"),
        ({"seed": [1, 2]}, "3 seeds"),
        ({"seed": [1, 2, -3]}, "non-negative"),
    ],
)
def test_what_is_no_mask_and_no_list_of_seeds_is_refused(wrong, said):
    env = made("Disabled", 3)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=said):
        env.reset(**wrong)
    with pytest.raises(ValueError, match="all games must have been reset before"):
        made("Disabled", 3).reset(options={"reset_mask": np.ones(3, bool)})
