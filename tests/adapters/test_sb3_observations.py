"""Models of Stable-Baselines3 behind transforms: the player judged is the one that predicts."""

import json
import threading
import zipfile
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import wrappers
from sb3_models import Counting, made
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecExtractDictObs,
    VecFrameStack,
    VecNormalize,
)

from tttenv import Rules, certify, player
from tttenv.adapters.sb3 import ExactEvalCallback, SelfPlayCallback, VecEnv, policy, save
from tttenv.adapters.sb3.models import observed
from tttenv.env.env import TicTacToe
from tttenv.exact import positions
from tttenv.players.as_player import as_player
from tttenv.policy import Uniform
from tttenv.testing import some_boards
from tttenv.testing.diagnosis import diagnose, subject_of

RULES = Rules(2, 3, 2)
GAME = {"m": 2, "n": 3, "k": 2}
BOARDS = positions(RULES).boards[positions(RULES).decisions]


def games(wrapped, count=2, batch=DummyVecEnv, **given):
    """Return a batch of wrapped environments."""
    return batch([lambda: wrapped(gym.make("tttenv:TicTacToe-v0", **GAME, **given))] * count)


class Locked:
    """An opponent that cannot be copied."""

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, boards):
        """Return the probabilities of random moves."""
        return Uniform(RULES)(boards)


class Flipped(TicTacToe):
    """A user's own game that shows the planes in another order."""

    def _now(self):
        seen, info = super()._now()
        return seen[::-1].copy(), info


def frozen(env):
    env = wrappers.NormalizeObservation(env)
    env.obs_rms.mean, env.update_running_mean = np.linspace(0, 1, 18), False
    return env


def rescaled(env):
    return wrappers.RescaleObservation(env, np.float32(-1), np.float32(1))


def normalized(env, **given):
    env = VecNormalize(env, **given)
    for part in env.obs_rms.values() if isinstance(env.obs_rms, dict) else [env.obs_rms]:
        part.mean, part.var = np.linspace(-1, 1, part.mean.size), np.linspace(0, 2, part.var.size)
    return env


BATCH = partial(VecEnv, obs="dict", **GAME)
JUDGED = {
    "VecNormalize": lambda: normalized(VecEnv(3, **GAME), clip_obs=np.inf),
    "a part": lambda: normalized(BATCH(1), norm_obs_keys=["observation"], clip_obs=0.5),
    "both": lambda: normalized(games(rescaled)),
    "Rescale": lambda: games(lambda env: Monitor(rescaled(wrappers.TimeLimit(env, 9)))),
    "Flatten": lambda: games(wrappers.FlattenObservation, obs="dict", opponent=Locked()),
    "Normalize, frozen": lambda: games(frozen),
    "a subclass": lambda: DummyVecEnv([lambda: Flipped(**GAME)]),
    "a batch": lambda: Counting(VecExtractDictObs(BATCH(4), "action_mask")),
    "another process": lambda: games(Monitor, 1, SubprocVecEnv),
}


def decided(env):
    """Return a MaskablePPO with an untrained network whose moves are no ties."""
    model = made("maskable_ppo", env, n_steps=32, batch_size=32)
    with torch.no_grad():
        for weights in model.policy.parameters():
            weights.normal_()
    return model


def predicted(model):
    """Return the model's moves on all positions, each set up in its own environment."""
    env, base, cells = model.get_env(), model.get_env().unwrapped, []
    env.training = False
    for board in BOARDS:
        whole = isinstance(base, VecEnv)
        base.set_options({"board": np.stack([board] * base.num_envs) if whole else board})
        seen, masks = env.reset(), np.stack(env.env_method("action_masks"))
        cells.append(model.predict(seen, action_masks=masks, deterministic=True)[0][0])
    env.training = True
    return cells


@pytest.mark.parametrize("transform", JUDGED)
def test_a_model_is_judged_as_it_predicts_behind_its_wrappers(transform):
    model = decided(JUDGED[transform]())
    play = policy(model, RULES, deterministic=True)
    assert play(BOARDS).argmax(axis=1).tolist() == predicted(model)
    sampled = policy(model, RULES)(BOARDS)
    assert (as_player(RULES, model)(BOARDS) == sampled).all()
    assert (subject_of("model", model, RULES).policy(BOARDS) == sampled).all()
    exact = ExactEvalCallback(every=999)
    model.learn(64, [exact, SelfPlayCallback(every=999, players=())])
    assert exact.certificate == certify(RULES, policy(model, RULES, deterministic=True))
    model.env.close()


def test_beyond_enumeration_transforms_are_copied_with_the_network():
    game = {"m": 4, "n": 4, "k": 4}
    rules = Rules(**game)
    boards, single = some_boards(rules, 20), lambda: rescaled(TicTacToe(**game))
    for env in (normalized(VecEnv(2, **game)), DummyVecEnv([single])):
        model = decided(env)
        numbers = observed(model, rules, True).numbers(boards)
        assert policy(model, rules, True).numbers(boards) == pytest.approx(numbers, abs=1e-3)


REFUSED = {
    "NormalizeObservation": lambda: games(wrappers.NormalizeObservation),
    "TimeAwareObservation": lambda: games(
        lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 9))
    ),
    "DelayObservation": lambda: games(lambda env: wrappers.DelayObservation(env, 1)),
    "VecFrameStack": lambda: VecFrameStack(VecEnv(2, **GAME), 2),
    "TransformAction": lambda: games(
        lambda env: wrappers.TransformAction(env, lambda cell: 5 - cell, env.action_space)
    ),
    "StickyAction": lambda: games(lambda env: wrappers.StickyAction(env, 0.01)),
    "RepeatAction": lambda: games(lambda env: wrappers.RepeatAction(env, 2)),
    "Flipped": lambda: SubprocVecEnv([lambda: Monitor(Flipped(**GAME))]),  # in another process
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_behind_what_is_no_function_of_the_board_is_refused_by_name(name):
    model = decided(REFUSED[name]())
    for door in (
        lambda: policy(model, RULES),
        lambda: certify(RULES, model),
        lambda: diagnose(model, RULES),
        lambda: model.learn(32, ExactEvalCallback()),
        lambda: model.learn(32, SelfPlayCallback()),
    ):
        with pytest.raises(ValueError, match=f"^the model learned behind {name}, which[^\n]*$"):
            door()
    assert model.num_timesteps == 0
    model.env.close()


@pytest.mark.parametrize("transform", ["VecNormalize", "a part", "Rescale"])
def test_a_zip_without_its_transform_is_refused(transform, tmp_path):
    model = decided(JUDGED[transform]()).learn(32)
    model.save(tmp_path / "model.zip")
    with pytest.raises(
        ValueError, match=r"^[^\n]*learned behind a transform[^\n]*sb3\.save[^\n]*$"
    ):
        player(f"sb3:path={tmp_path}/model.zip,trust=true", RULES)
    if transform == "Rescale":
        with pytest.raises(ValueError, match=r"behind RescaleObservation, .* cannot hold it"):
            model.learn(32, ExactEvalCallback(folder=tmp_path))


@pytest.mark.parametrize("transform", ["VecNormalize", "a part"])
def test_the_statistics_of_a_normalization_are_checked_json_in_the_zip(transform, tmp_path):
    model = decided(JUDGED[transform]()).learn(32)
    spec = f"sb3:path={tmp_path}/model.zip,trust=true"
    save(model, tmp_path / "model.zip")
    assert (player(spec, RULES)(BOARDS) == policy(model, RULES)(BOARDS)).all()
    with zipfile.ZipFile(tmp_path / "model.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(parts["normalization.json"])
    for wrong in (
        *({"mean": {"x": [0]}}, {"var": {}}, {"clip": 0}, {"epsilon": "x"}, {"mean": []}),
        *({"mean": {}}, {"clip": "nan"}, {"var": {name: [0] for name in data["var"]}}),
        {"mean": {name: ["nan"] * 18 for name in data["mean"]}},
        {"more": "m" * 2**22},
    ):
        with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
            for name, text in (parts | {"normalization.json": json.dumps(data | wrong)}).items():
                archive.writestr(name, text)
        with pytest.raises(
            ValueError, match=r"^[^\n]*model\.zip is not a [^\n]*normalization[^\n]*$"
        ):
            player(spec, RULES)
    exact = ExactEvalCallback(folder=tmp_path, stop=False)
    model.learn(32, exact)
    best = json.loads((tmp_path / "best.json").read_text())["player"]
    assert certify(RULES, best) == exact.best
