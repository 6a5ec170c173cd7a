"""Gymnasium's wrappers: each works on TicTacToe-v0, or is for another kind of environment."""

import re
import warnings
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

import tttenv

PAGE = Path(tttenv.__file__).parent.parent / "docs" / "reference" / "environment.md"

# What each takes besides the environment, if anything.
SINGLE = {
    "AddWhiteNoise": (0.1,),
    "ClipReward": (-0.5, 0.5),
    "DelayObservation": (1,),
    "DiscretizeObservation": (3,),
    "DtypeObservation": (np.float32,),
    "FilterObservation": (["observation"],),
    "FrameStackObservation": (3,),
    "MaxAndSkipObservation": (2,),
    "ObstructView": (0.1, 4),
    "RepeatAction": (2,),
    "RescaleObservation": (-2, 2),
    "ReshapeObservation": ((3, 3),),
    "StickyAction": (0.1,),
    "TimeLimit": (5,),
    "TransformAction": (lambda action: action, gym.spaces.Discrete(9)),
    "TransformObservation": (lambda seen: seen, None),
    "TransformReward": (lambda reward: 2 * reward,),
}
NOTHING = "AddRenderObservation Autoreset FlattenObservation NormalizeObservation NormalizeReward"
NOTHING += " OrderEnforcing PassiveEnvChecker RecordEpisodeStatistics RenderCollection"
SINGLE |= dict.fromkeys([*NOTHING.split(), "TimeAwareObservation"], ())
DICTS = {"FilterObservation", "FlattenObservation", "RecordEpisodeStatistics"}
VECTOR = {
    name: SINGLE[name]
    for name in ("ClipReward", "DtypeObservation", "RescaleObservation", "TransformReward")
} | {
    "ReshapeObservation": ((3, 9),),
    "TransformAction": (lambda actions: actions,),
    "TransformObservation": (lambda seen: seen,),
    "VectorizeTransformAction": (
        partial(wrappers.TransformAction, func=lambda a: a, action_space=gym.spaces.Discrete(9)),
    ),
    "VectorizeTransformObservation": (
        partial(wrappers.TransformObservation, func=lambda seen: seen, observation_space=None),
    ),
    "VectorizeTransformReward": (
        partial(wrappers.TransformReward, func=lambda reward: 2 * reward),
    ),
}
NOTHING = "DictInfoToList FlattenObservation NormalizeObservation NormalizeReward"
VECTOR |= dict.fromkeys([*NOTHING.split(), "RecordEpisodeStatistics"], ())
CONTINUOUS = {"ClipAction", "DiscretizeAction", "RescaleAction"}
IMAGES = {"AtariPreprocessing", "GrayscaleObservation", "ResizeObservation"}
LIBRARIES = {"ArrayConversion", "JaxToNumpy", "JaxToTorch", "NumpyToTorch"}
PICTURES = {"HumanRendering", "RecordVideo"}  # these are tested with a window and in the docs
ELSEWHERE = CONTINUOUS | IMAGES | LIBRARIES | PICTURES
ANY_MODE = {  # the other vector wrappers refuse the mode SAME_STEP
    *("ClipReward", "DictInfoToList", "NormalizeReward", "RecordEpisodeStatistics"),
    *("TransformAction", "TransformReward", "VectorizeTransformAction"),
    "VectorizeTransformReward",
}


def test_every_wrapper_has_its_row():
    assert {*wrappers.__all__} - {"vector"} == {*SINGLE} | ELSEWHERE
    rest = {*vector.__all__} - {*VECTOR}
    assert rest <= ELSEWHERE | {"FilterObservation"}  # a batch has no dictionaries


@pytest.mark.parametrize("name", SINGLE)
def test_games_end_in_each_wrapper(name):
    obs = "dict" if name in DICTS else "board"
    env = gym.make("TicTacToe-v0", obs=obs, opponent="random", render_mode="rgb_array")
    if name == "TimeAwareObservation":
        env = wrappers.TimeLimit(env, 5)
    env = getattr(wrappers, name)(env, *SINGLE[name])
    rng = np.random.default_rng(0)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        for _ in range(10):
            assert env.observation_space.contains(seen), seen
            action = int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
            seen, reward, terminated, truncated, _ = env.step(action)
            assert np.isfinite(reward)
            if terminated or truncated:
                break
        assert terminated or truncated
    env.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("name", VECTOR)
def test_vector_wrappers_run_in_the_mode_that_they_want(name, mode):
    env = gym.make_vec("TicTacToe-v0", num_envs=4, autoreset_mode=mode)
    if mode == "SameStep" and name not in ANY_MODE:
        with pytest.raises(ValueError, match="autoreset_mode"):
            getattr(vector, name)(env, *VECTOR[name])
        return
    env = getattr(vector, name)(env, *VECTOR[name])
    env.reset(seed=0)
    for _ in range(20):
        seen, rewards, *_ = env.step(env.unwrapped.sample_actions())
        assert np.isfinite(seen).all()
        assert np.isfinite(rewards).all()
    assert env.unwrapped.metadata["autoreset_mode"] is AutoresetMode(mode)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_recorded_lengths_are_those_of_the_games(mode):
    """A random game of 3,3,3 has 3203/420 moves on average, and at least 5."""
    games = gym.make_vec("TicTacToe-v0", num_envs=64, opponent=None, autoreset_mode=mode)
    env = vector.RecordEpisodeStatistics(games, buffer_length=10**5)
    env.reset(seed=0)
    env.unwrapped.action_space.seed(0)
    counted, moves, over = [], np.zeros(64, int), np.zeros(64, bool)
    for _ in range(500):
        begins = over & (mode == "NextStep")
        _, _, over, _, _ = env.step(env.unwrapped.sample_actions())
        moves[~begins] += 1
        counted += moves[over].tolist()
        moves[over] = 0
    assert [*env.length_queue] == counted
    assert min(counted) == 5
    assert abs(np.mean(counted) - 3203 / 420) < 0.1


def test_a_gymnasium_whose_statistics_are_wrong_is_named(monkeypatch):
    monkeypatch.setattr(gym, "__version__", "1.2.2")
    with pytest.warns(UserWarning, match="Gymnasium 1.2.2 .* RecordEpisodeStatistics leaves out"):
        gym.make_vec("TicTacToe-v0", num_envs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gym.make_vec("TicTacToe-v0", num_envs=2, autoreset_mode="NextStep")
        monkeypatch.undo()
        gym.make_vec("TicTacToe-v0", num_envs=2)


def test_the_page_lists_every_wrapper():
    section = PAGE.read_text(encoding="utf-8").partition("## Wrappers")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z]\w+)`", section))
    assert named == {*SINGLE} | ELSEWHERE | {*VECTOR} | {"SAME_STEP", "NEXT_STEP"}
