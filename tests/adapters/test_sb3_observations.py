"""Models of Stable-Baselines3 behind transforms: the player judged is the one that predicts."""

import json
import zipfile
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces, wrappers
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
from tttenv.testing import some_boards
from tttenv.testing.diagnosis import diagnose, subject_of

RULES = Rules(2, 3, 2)
GAME = {"m": 2, "n": 3, "k": 2}
MASK = "action_mask"
BOARDS = positions(RULES).boards[positions(RULES).decisions]


def games(wrapped, count=2, batch=DummyVecEnv, **given):
    """Return a batch of wrapped environments."""
    return batch([lambda: wrapped(gym.make("tttenv:TicTacToe-v0", **GAME, **given))] * count)


class Counts(gym.ObservationWrapper):
    """A user's own transform: lines of stones and a number."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-9, 9, (7,), np.float32)

    def observation(self, seen):
        """Return stones with a sign and the number of empty cells."""
        return np.append(seen[6:12] - 2 * seen[:6], seen[12:].sum()).astype(np.float32)


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


def shifted(env):
    space = spaces.Box(-1, 2, (18,), np.float32)
    return wrappers.TransformObservation(env, lambda seen: 3 * seen - 1, space)


BATCH = partial(VecEnv, obs="dict", **GAME)
JUDGED = {
    "VecNormalize": lambda: normalized(VecEnv(3, **GAME)),
    "a part": lambda: normalized(BATCH(1), norm_obs_keys=["observation"], clip_obs=0.5),
    "both": lambda: normalized(games(rescaled)),
    "Rescale": lambda: games(lambda env: Monitor(rescaled(wrappers.TimeLimit(env, 9)))),
    "Transform": lambda: games(shifted),
    "Flatten": lambda: games(wrappers.FlattenObservation, obs="dict"),
    "Reshape": lambda: games(lambda env: wrappers.ReshapeObservation(env, (3, 6))),
    "Filter": lambda: games(lambda env: wrappers.FilterObservation(env, [MASK]), obs="dict"),
    "Dtype": lambda: games(lambda env: wrappers.DtypeObservation(env, np.float64), obs="board"),
    "Normalize, frozen": lambda: games(frozen),
    "a class": lambda: games(Counts),
    "a subclass": lambda: DummyVecEnv([lambda: Flipped(**GAME)]),
    "a batch": lambda: Counting(VecExtractDictObs(BATCH(4), MASK)),
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


class Noted(gym.Wrapper):
    """A user's own wrapper whose observation depends on the moves before."""

    def step(self, action):
        """Play, and show the action."""
        seen, *rest = self.env.step(action)
        return np.where(np.arange(18) == action, seen, seen / 2), *rest


REFUSED = {
    "NormalizeObservation": wrappers.NormalizeObservation,
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 9)),
    "FrameStackObservation": lambda env: wrappers.FrameStackObservation(env, 2),
    "DelayObservation": lambda env: wrappers.DelayObservation(env, 1),
    "TransformAction": lambda env: wrappers.TransformAction(env, lambda a: 5 - a, env.action_space),
    "StickyAction": lambda env: wrappers.StickyAction(env, 0.01),
    "RepeatAction": lambda env: wrappers.RepeatAction(env, 2),
    "Noted": Noted,
}


@pytest.mark.parametrize("name", [*REFUSED, "VecFrameStack", "Flipped"])
def test_a_model_behind_what_is_no_function_of_the_board_is_refused_by_name(name):
    if name == "VecFrameStack":
        env = VecFrameStack(VecEnv(2, **GAME), 2)
    elif name == "Flipped":  # in another process, where it cannot be applied
        env = SubprocVecEnv([lambda: Monitor(Flipped(**GAME))])
    else:
        env = games(REFUSED[name])
    model = decided(env)
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
    env.close()


@pytest.mark.parametrize("transform", ["VecNormalize", "a part", "Rescale"])
def test_a_zip_is_judged_with_the_statistics_of_its_normalization_or_refused(transform, tmp_path):
    model = decided(JUDGED[transform]())
    model.learn(32)
    model.save(tmp_path / "model.zip")
    spec = f"sb3:path={tmp_path}/model.zip,trust=true"
    with pytest.raises(
        ValueError, match=r"^[^\n]*learned behind a transform[^\n]*sb3\.save, [^\n]*$"
    ):
        player(spec, RULES)
    if transform == "Rescale":
        with pytest.raises(ValueError, match=r"behind RescaleObservation, .* cannot hold it"):
            model.learn(32, ExactEvalCallback(folder=tmp_path))
        return
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
