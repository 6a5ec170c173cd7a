"""What a Stable-Baselines3 model observes of a board: the transforms of its environment.

A certificate is of an agent whose moves follow from the board alone. So the wrappers of a live
model's environment are copied, played for some steps, and used only if they make the same
observation of a board whenever they see it, and pass actions and masks on unchanged. A saved model
has no wrappers: if its file shows that it learned behind a transform, it is refused, unless
`save_normalization` has stored the statistics of its `VecNormalize`.
"""

import contextlib
import copy
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import gymnasium
import numpy as np
from stable_baselines3.common import vec_env
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.running_mean_std import RunningMeanStd

from tttenv.adapters import observation_kind
from tttenv.adapters.sb3.vec_env import VecEnv
from tttenv.env.env import TicTacToe
from tttenv.exact import enumerable, positions
from tttenv.game.outcomes_kernel import ILLEGAL
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import OBSERVATIONS, Uniform
from tttenv.utils.files import write
from tttenv.utils.untrusted import first_line, read_json, shown

NEUTRAL = {  # wrappers that change neither observations nor actions, by their package
    "gymnasium": "Autoreset ClipReward HumanRendering NormalizeReward OrderEnforcing"
    " PassiveEnvChecker RecordEpisodeStatistics RecordVideo RenderCollection TimeLimit"
    " TransformReward",
    "stable_baselines3": "Monitor VecCheckNan VecMonitor VecVideoRecorder",
    "tttenv": "ExploringStarts",
}
REASONS = {  # of wrappers that some steps need not show to be refused
    "AddRenderObservation": "pictures mark the last stone, if they have seen it",
    "AddWhiteNoise": "it is random",
    "StickyAction": "it is random",
}
APART = re.compile(r"<(\w+)(?=<\w+[< ])")  # wrappers, in an environment's text
ARRAY = ""  # the key of statistics of an observation that is no dict
STEPS, ROWS = 8, 120  # steps, and further ones for fewer games, that show what wrappers do
UNKNOWN = (
    "it learned behind a transform, which a zip does not hold; pass the live model with its"
    " environment, or save the statistics of its VecNormalize with"
    " tttenv.adapters.sb3.save_normalization and name that file with statistics="
)


class Observations(NamedTuple):
    """The environment's observations in one format, perhaps normalized."""

    obs: str
    scaler: vec_env.VecNormalize | None = None  # of frozen statistics

    def __call__(self, boards: Boards) -> Any:
        """Return observations (batch, ...) of boards (batch, cells)."""
        seen = OBSERVATIONS[self.obs](boards)
        return seen if self.scaler is None else self.scaler.normalize_obs(seen)

    def __deepcopy__(self, memo: Any) -> "Observations":
        return self  # the scaler is frozen, and SB3's cannot be copied without its environment


class Stack:
    """A copy of a model's wrapped environment, which shows it given boards.

    ValueError, which names the wrappers, unless they are a function of the board.
    """

    def __init__(self, env: vec_env.VecEnv, rules: Rules) -> None:
        self.rules, self.names = rules, wrappers_of(env)
        self.env: Any = self._copied(env, {})
        self.count, rng = self.env.num_envs, np.random.default_rng(0)
        seen, before = self.env.reset(), []
        for _ in range(STEPS + ROWS // self.count):
            boards = self._boards()
            before.append((boards, copy.deepcopy(seen)))
            if not same(np.stack(self.env.env_method("action_masks")), boards == 0):
                raise self.refused("its action masks are not the empty cells")
            cells = np.where(boards == 0, rng.random(boards.shape), -1).argmax(axis=1)
            seen, _, over, infos = self.env.step(cells)
            played = boards.copy()
            played[np.arange(self.count), cells] = 1
            kept = ((self._boards() == 1) == (played == 1)).all(axis=1) | over
            if not kept.all() or any(info.get("outcome") == ILLEGAL for info in infos):
                raise self.refused("it changes or repeats actions")
        for boards, seen in reversed(before):  # in other rows, too
            if not same(self(boards[::-1]), by_part(lambda part: part[::-1], seen)):
                raise self.refused("the observation depends on more than the board")

    def __call__(self, boards: Boards) -> Any:
        """Return the observations (batch, ...) of boards (batch, cells)."""
        found, base = [], self.env.unwrapped
        for at in range(0, len(boards), self.count):
            rows = boards[np.minimum(np.arange(at, at + self.count), len(boards) - 1)]
            whole = isinstance(base, VecEnv)
            base.set_options({"board": rows} if whole else [{"board": row} for row in rows])
            found.append(copy.deepcopy(self.env.reset()))
            if not same(self._boards(), rows):
                raise self.refused("its reset does not pass on the option board")
        return by_part(lambda *parts: np.concatenate(parts)[: len(boards)], *found)

    def __deepcopy__(self, memo: Any) -> "Stack":
        return self  # SB3's wrappers cannot be copied in the usual way, and training changes none

    def refused(self, why: str) -> ValueError:
        """Return an error that names the wrappers."""
        return refusal("(".join(self.names) + ")" * (len(self.names) - 1), why)

    def _boards(self) -> Boards:
        """Return the current boards (games, cells)."""
        base = self.env.unwrapped
        if isinstance(base, VecEnv):
            return base.games.boards
        return np.stack([env.unwrapped.board for env in base.envs])

    def _copied(self, env: Any, memo: dict[int, Any]) -> Any:
        """Return a copy of an environment, without neutral wrappers."""
        if isinstance(env, vec_env.DummyVecEnv):
            return vec_env.DummyVecEnv([partial(self._copied, one, memo) for one in env.envs])
        inside, game = inner(env), getattr(env, "games", env)
        if inside is not None:
            made = self._copied(inside, memo)
            if is_neutral(env):
                return made
        elif game.rules != self.rules:
            raise ValueError(f"the model's environment plays {game.rules}, not {self.rules}")
        elif game.match.opponent is not None:  # which may be impossible to copy
            memo[id(game.match.opponent)] = Uniform(self.rules)
        memo[id(env)] = made = object.__new__(type(env))
        try:
            for name, value in vars(env).items():
                of_class = name == "class_attributes"  # SB3's own
                made.__dict__[name] = value if of_class else copy.deepcopy(value, memo)
        except Exception as error:  # of foreign code
            raise self.refused(f"it cannot be copied ({first_line(error)})") from None
        if isinstance(made, vec_env.VecNormalize):
            made.training = False
        if inside is None:
            getattr(made, "games", made).set_opponent(Uniform(self.rules))
        return made


Seen: TypeAlias = Observations | Stack


def observations_of(
    model: BaseAlgorithm, rules: Rules, statistics: Path | str | None = None
) -> Seen:
    """Return how a model's observations are made of boards, or raise ValueError.

    Args:
        model: a model, with its environment if it has one.
        rules: the game.
        statistics: the file of `save_normalization` for a model that was loaded without one.
    """
    env: Any = model.env
    base: Any = None if env is None else env.unwrapped
    single = type(base) is vec_env.DummyVecEnv and isinstance(base.envs[0].unwrapped, TicTacToe)
    apart = isinstance(base, vec_env.SubprocVecEnv)
    scaler = model.get_vec_normalize_env()
    scaler = copy.deepcopy(scaler) if scaler is not None and scaler.norm_obs else None
    if statistics is not None or not (single or apart or isinstance(base, VecEnv)):
        if scaler is not None:
            raise refusal("VecNormalize", "around an unknown environment, or besides statistics=")
        return _saved(model, rules, statistics)
    names = wrappers_of(env)
    for name in APART.findall("".join(base.env_method("__str__"))) if apart else ():
        if not any(name in known.split() for known in NEUTRAL.values()):
            names.append(name)
    for name in set(names) & set(REASONS):
        raise refusal(name, REASONS[name])
    if names in ([], ["VecNormalize"]):
        return Observations(observation_kind(base.observation_space, rules), scaler)
    if apart:
        raise refusal(names[-1], "another process has the games: use set_env with a DummyVecEnv")
    stack = Stack(env, rules)
    if enumerable(rules):
        boards = positions(rules).boards[positions(rules).decisions]
        with contextlib.suppress(ValueError, KeyError):  # they may differ in their parts
            usual = Observations(observation_kind(model.observation_space, rules), scaler)
            if same(usual(boards), stack(boards)):  # some wrappers change nothing
                return usual
    return stack


def _saved(model: BaseAlgorithm, rules: Rules, statistics: Path | str | None) -> Observations:
    """Return the observations of a model whose environment is unknown."""
    try:
        obs = observation_kind(model.observation_space, rules)
    except ValueError as error:
        raise ValueError(f"{error}: {UNKNOWN}") from None
    ours = _observes_ours(model, rules, obs)
    if statistics is None:
        if ours is False:
            raise ValueError(f"the model's last observation is none of {rules}: {UNKNOWN}")
        return Observations(obs)
    if ours or model.env is not None:
        raise ValueError(
            "statistics= is for a model without its environment that learned behind VecNormalize"
        )
    return Observations(obs, load_normalization(Path(statistics), model.observation_space))


def _observes_ours(model: BaseAlgorithm, rules: Rules, obs: str) -> bool | None:
    """Return whether the last observation that a file holds is one of ours; None: it has none."""
    last: Any = model._last_obs
    if last is None:  # VecNormalize leaves another
        return None if model._last_original_obs is None else False
    boards, cells = last["observation"] if obs == "dict" else last, rules.cells
    if obs != "board":
        boards = boards[:, :cells] - boards[:, cells : 2 * cells]
    with np.errstate(invalid="ignore"):
        whole = boards.astype(np.int8)
    return same(OBSERVATIONS[obs](whole), last) and bool(np.isin(whole.sum(axis=1), (0, -1)).all())


def save_normalization(model: BaseAlgorithm, file: Path | str) -> None:
    """Write the statistics of a model's `VecNormalize` as JSON, beside its zip.

    `sb3:path=MODEL.zip,statistics=FILE` and `policy(..., statistics=FILE)` read them.

    Args:
        model: a model with its environment.
        file: where to write them.

    Raises:
        ValueError: if a `VecNormalize` is not all that changes the model's observations.
    """
    scaler = None if model.env is None else scaler_of(model, model.env.get_attr("rules")[0])
    if scaler is None:
        raise ValueError("the model's environment has no VecNormalize that changes observations")
    found: Any = scaler.obs_rms
    parts = found if isinstance(found, dict) else {ARRAY: found}
    data = {
        "clip": scaler.clip_obs,
        "epsilon": scaler.epsilon,
        "mean": {name: part.mean.tolist() for name, part in parts.items()},
        "var": {name: part.var.tolist() for name, part in parts.items()},
    }
    write(Path(file), json.dumps(data, indent=2) + "\n")


def load_normalization(file: Path, space: Any) -> vec_env.VecNormalize:
    """Read the file of `save_normalization` for observations of a space."""
    data, scaler = read_json(file), object.__new__(vec_env.VecNormalize)
    try:
        spaces, parts = getattr(space, "spaces", {ARRAY: space}), {}
        for name, mean in data["mean"].items():
            parts[name] = part = RunningMeanStd(shape=spaces[name].shape)
            for kept, given in ((part.mean, mean), (part.var, data["var"][name])):
                if np.shape(given) != kept.shape:
                    raise ValueError(f"a shape {np.shape(given)}")
                kept[...] = given
        clip, epsilon = float(data["clip"]), float(data["epsilon"])
        if min(clip, epsilon) <= 0 or any(part.var.min() < 0 for part in parts.values()):
            raise ValueError("a negative number")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"{shown(file)} is no normalization of {shown(space, 100)}: {shown(error)}"
        ) from None
    known = parts.get(ARRAY, parts)
    scaler.__dict__ |= {"norm_obs": True, "obs_rms": known, "norm_obs_keys": list(parts)}
    scaler.__dict__ |= {"clip_obs": clip, "epsilon": epsilon}
    return scaler


def scaler_of(model: BaseAlgorithm, rules: Rules) -> vec_env.VecNormalize | None:
    """Return the normalization of a live model; ValueError for another transform."""
    seen = observations_of(model, rules)
    if isinstance(seen, Stack):
        raise seen.refused("a zip cannot hold it, so save no model")
    return seen.scaler


def refusal(name: str, why: str) -> ValueError:
    """Return the error for a model behind a transform."""
    return ValueError(f"the model learned behind {name}, which cannot be certified: {why}")


def wrappers_of(env: Any) -> list[str]:
    """Return the names of the wrappers that are not neutral, and of subclasses of our games."""
    names: list[str] = []
    while env is not None:
        usual = type(env) in (VecEnv, TicTacToe, vec_env.DummyVecEnv, vec_env.SubprocVecEnv)
        scales_no_observation = type(env) is vec_env.VecNormalize and not env.norm_obs
        if not (usual or is_neutral(env) or scales_no_observation):
            names.append(type(env).__name__)
        for one in env.envs if type(env) is vec_env.DummyVecEnv else ():
            names += [name for name in wrappers_of(one) if name not in names]
        env = inner(env)
    return names


def inner(env: Any) -> Any:
    """Return the environment that a wrapper holds, else None."""
    if isinstance(env, vec_env.VecEnvWrapper):
        return env.venv
    return env.env if isinstance(env, gymnasium.Wrapper) else None


def is_neutral(env: Any) -> bool:
    """Return whether a wrapper changes neither observations nor actions."""
    kind = type(env)
    return kind.__name__ in NEUTRAL.get(kind.__module__.partition(".")[0], "").split()


def same(one: Any, other: Any) -> bool:
    """Return whether two observations are equal."""
    if isinstance(one, dict) or isinstance(other, dict):
        return set(one) == set(other) and all(same(one[name], other[name]) for name in one)
    return np.array_equal(one, other)


def by_part(function: Callable[..., Any], *seen: Any) -> Any:
    """Return a function of observations, or of each part of dicts of them."""
    if isinstance(seen[0], dict):
        return {name: function(*[one[name] for one in seen]) for name in seen[0]}
    return function(*seen)
