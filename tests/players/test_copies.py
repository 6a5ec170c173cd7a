"""Copies of environments in mid-game continue identically, and closed ones reject calls."""

import copy
import pickle
from itertools import cycle

import cloudpickle
import gymnasium as gym
import numpy as np
import pytest
from played_boards import random_cells
from reference import spell

from tttenv.env.env import TicTacToe
from tttenv.env.table_games_kernel import step
from tttenv.env.vector import VectorTicTacToe
from tttenv.players import PLAYERS


def last_cell(boards):
    """Return the last empty cell, as a player that is a module's plain function."""
    return np.eye(boards.shape[1])[boards.shape[1] - 1 - (boards[:, ::-1] == 0).argmax(axis=1)]


SPECS = {"mcts": "mcts:iterations=20", "alphabeta": "alphabeta:depth=1"}
EACH = {
    "none": None,
    "function": last_cell,
    **{name: SPECS.get(name, name) for name in PLAYERS},
    "nested": "epsilon:player=(epsilon:player=tactical,epsilon=0.5)",
}
PLAYED = [  # on a small board by everybody, on a large one by who need not solve the game
    *(((3, 3, 3), name) for name in EACH),
    *(((5, 5, 4), name) for name in EACH if name not in ("minimax", "epsilon")),
]
COPIES = {
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "deepcopy": copy.deepcopy,
    "cloudpickle": lambda env: pickle.loads(cloudpickle.dumps(env)),
}


def moves(env, dice):
    masks = env.unwrapped.action_masks()
    cells = random_cells(np.atleast_2d(masks), dice)
    return int(cells[0]) if masks.ndim == 1 else cells


def held_by(env):
    """Return what an environment holds of its games, which a failing call must not change."""
    match, rng = env.match, env._np_random
    return (
        id(rng),
        rng and rng.bit_generator.state,
        env._np_random_seed,
        [array.tolist() for array in match.games.state],
        match.boards.tolist(),
        match.active,
        match.legal().tolist(),
        getattr(env, "closed", None),
    )


def plain(answer):
    """Return the result of a call in comparable form."""
    if isinstance(answer, np.ndarray):
        return str(answer.dtype), answer.shape, answer.tobytes()
    if isinstance(answer, dict):
        return {name: plain(part) for name, part in answer.items()}
    return [plain(part) for part in answer] if isinstance(answer, tuple) else answer


def played(env, turns):
    """Return the results of some steps."""
    dice, results = np.random.default_rng(0), []
    for _ in range(turns):
        answer = env.step(moves(env, dice))
        results.append(plain(answer))
        if answer[2] is True:
            results.append(plain(env.reset()))
    return results


@pytest.mark.parametrize(("played_by", "way"), list(zip(PLAYED, cycle(COPIES))))  # endless
def test_a_copy_made_in_mid_game_plays_on_alike(played_by, way):
    rules, name = played_by
    given = {**dict(zip("mnk", rules, strict=True)), "opponent": EACH[name]}
    for env in (
        gym.make("TicTacToe-v0", **given),
        TicTacToe(**given, seat="O", obs="board"),
        VectorTicTacToe(5, **given, obs="board", autoreset_mode="NextStep"),
        VectorTicTacToe(5, **given, obs="dict"),
    ):
        env.reset(seed=4)
        played(env, 3)
        twin, compiled = COPIES[way](env), len(step.signatures)
        assert played(twin, 12) == played(env, 12)
        assert len(step.signatures) == compiled  # also for arrays that are no longer read-only


@pytest.mark.parametrize("rules", [(3, 3, 3), (4, 4, 4)], ids=spell)
@pytest.mark.parametrize("kind", [TicTacToe, VectorTicTacToe])
def test_a_closed_environment_refuses_to_go_on_and_still_can_be_looked_at(rules, kind):
    env = kind(**dict(zip("mnk", rules, strict=True)), render_mode="ansi")
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0 if kind is TicTacToe else [0])
    env.reset(seed=0)
    env.close()
    env.close()
    single = kind is TicTacToe
    resets = [] if single else [env.reset, lambda: env.reset(options={"board": "bad"})]
    error = gym.error.ResetNeeded if single else gym.error.ClosedEnvironmentError
    for call in (*resets, lambda: env.step(0), env.sample_action if single else env.sample_actions):
        with pytest.raises(error, match=r"^[^\n]+$"):
            call()
    assert "to move" in "".join(env.render())
    assert env.action_masks().any()
