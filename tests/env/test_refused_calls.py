"""Invalid calls of the environments: a one-line error of a documented type, nothing changed."""

import gymnasium as gym
import numpy as np
import pytest
from reference import spell
from test_copies import held_by

from tttenv.adapters.pettingzoo import raw_env
from tttenv.env.env import TicTacToe
from tttenv.env.step_options_kernel import MODES
from tttenv.env.vector import VectorTicTacToe

SIZES = [(3, 3, 3), (5, 5, 4)]
KINDS = [TicTacToe, VectorTicTacToe]
REFUSALS = (ValueError, gym.error.Error)


THINGS = {  # nothing that NumPy or Python knows is a board, a seat or an action of all sizes
    "text": "bad",
    "negative": -1,
    "large": 2**70,
    "one and a half": 1.5,
    "nan": float("nan"),
    "cube": np.zeros((3, 3, 3), int),
    "dict": {"board": 3},
}
EMPTY = {"zero": 0, "false": False, "empty text": "", "empty list": [], "empty tuple": ()}
OPTIONS = {
    **{name: thing for name, thing in THINGS.items() if name != "dict"},
    **EMPTY,
    "one": 1,
    "unknown": {"bord": None},
    "number": {3: 3},
}


def refused(env, call, *args, **kwargs):
    """Check that a call is rejected with one short line and changes nothing."""
    before = held_by(env), env.match.opponent
    with pytest.raises(REFUSALS) as refusal:
        call(*args, **kwargs)
    assert (held_by(env), env.match.opponent) == before
    message = str(refusal.value)
    assert message
    assert "\n" not in message
    assert len(message) < 6000  # a board of 361 cells is told as it is


def made(kind, rules, begun=True):
    env = kind(**dict(zip("mnk", rules, strict=True)), opponent="first", seat="O")
    if begun:
        env.reset(seed=0)
    return env


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", SIZES, ids=spell)
@pytest.mark.parametrize("begun", [True, False])
def test_wrong_options_of_a_reset_change_nothing_not_even_the_generator(kind, rules, begun):
    env = made(kind, rules, begun)
    for options in OPTIONS.values():
        refused(env, env.reset, options=options)
        refused(env, env.reset, seed=5, options=options)
    for thing in [*THINGS.values(), *EMPTY.values()]:
        refused(env, env.reset, seed=5, options={"board": thing})
        refused(env, env.reset, seed=5, options={"seat": thing})
        refused(env, env.reset, seed=5, options={"board": "_" * rules[0] * rules[1], "seat": thing})
    for thing in (-1, "x", 1.0, np.int64(-3)):
        refused(env, env.reset, seed=thing)
    env.reset(seed=5, options={})
    env.reset(options={"board": None, "seat": None})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", SIZES, ids=spell)
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_wrong_actions_change_nothing(kind, rules, illegal):
    env = made(kind, rules)
    env.match.illegal = illegal
    empty = [thing for name, thing in EMPTY.items() if name != "zero"]  # which is a cell
    listed = [[thing] for thing in THINGS.values()]
    for thing in [*THINGS.values(), *listed, *empty, None, [None]]:
        refused(env, env.step, thing)
    for thing in (True, np.array([True]), rules[0] * rules[1], [rules[0] * rules[1]]):
        refused(env, env.step, thing)
    if illegal == "raise":  # the opponent's stone is on cell 0
        refused(env, env.step, 0 if kind is TicTacToe else [0])


@pytest.mark.parametrize(("kind", "dtype"), [(TicTacToe, np.int8), (VectorTicTacToe, np.uint64)])
def test_a_seed_may_be_an_integer_of_numpy(kind, dtype):
    seeds = []
    for seed in (3, dtype(3)):
        env = kind()
        env.reset(seed=seed)
        assert type(env.np_random_seed) is int
        seeds.append((env.np_random_seed, env.np_random.bit_generator.state))
    assert seeds[0] == seeds[1]


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_opponents_are_refused(kind):
    env = made(kind, (3, 3, 3))
    for thing in THINGS.values():
        if not callable(thing):
            refused(env, env.set_opponent, thing)
            with pytest.raises(REFUSALS, match=r"^[^\n]+$"):
                kind(opponent=thing)
    refused(env, env.set_opponent, "a\0b/")
    refused(env, env.set_opponent, "a/" * 3000)


@pytest.mark.parametrize("mode", ["single", *MODES])
@pytest.mark.parametrize(("before", "after"), [(None, "random"), ("random", None)])
def test_from_none_to_an_opponent_and_back_a_game_does_not_go_on(mode, before, after):
    single = mode == "single"
    env = TicTacToe() if single else VectorTicTacToe(2, autoreset_mode=mode)
    cell = 4 if single else [4, 4]
    env.set_opponent(before)
    env.reset(seed=0)
    env.set_opponent(before and "first")
    env.step(cell)
    env.set_opponent(after)
    env.set_opponent(after)
    sample = env.sample_action if single else env.sample_actions
    for refuses in (sample, lambda: env.step(cell)):
        with pytest.raises(gym.error.ResetNeeded):
            refuses()
    env.reset()
    env.set_opponent(after and "first")
    env.step(cell)


def test_pettingzoo_refuses_options_that_are_none_and_steps_without_a_game():
    game = raw_env()
    with pytest.raises(gym.error.ResetNeeded):
        game.step(0)
    game.reset(options={"board": "XX_OO____"})
    before = game.board.tolist()
    for options in ([], "", 0, 3.5, {"board": 5}, {"board": ["0"] * 9}):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            game.reset(options=options)
        assert (game.board.tolist(), game.agent_selection) == (before, "player_1")
    for cell in (2, None, None):
        game.step(cell)
    with pytest.raises(gym.error.ResetNeeded):
        game.step(None)
