"""Observations of a Stable-Baselines3 model, by the transforms of its environment.

A certificate is of an agent whose moves follow from the board alone. So the wrappers of a live
model's environment are copied, played for some steps, and used only if they make the same
observation of a board whenever they see it, and pass actions and masks on unchanged. A saved model
has no wrappers: if its file shows that it learned behind a transform, it is refused, unless
`tttenv.adapters.sb3.save` has stored the statistics of its `VecNormalize`.
"""

import contextlib
import copy
import math
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import wrappers
from stable_baselines3.common import vec_env
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.running_mean_std import RunningMeanStd

from tttenv.adapters import observation_kind
from tttenv.adapters.sb3.vec_env import VecEnv
from tttenv.env.env import TicTacToe
from tttenv.env.exploring_starts import ExploringStarts
from tttenv.exact import enumerable, positions
from tttenv.game.outcomes_kernel import ILLEGAL
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import OBSERVATIONS, Uniform
from tttenv.utils.untrusted import first_line, shown

GAMES = (VecEnv, TicTacToe, vec_env.DummyVecEnv, vec_env.SubprocVecEnv)
NEUTRAL = (  # wrappers that change neither observations nor actions
    *(wrappers.Autoreset, wrappers.ClipReward, wrappers.HumanRendering, wrappers.NormalizeReward),
    *(wrappers.OrderEnforcing, wrappers.PassiveEnvChecker, wrappers.RecordEpisodeStatistics),
    *(wrappers.RecordVideo, wrappers.RenderCollection, wrappers.TimeLimit),
    *(wrappers.TransformReward, Monitor, ExploringStarts),
    *(vec_env.VecCheckNan, vec_env.VecMonitor, vec_env.VecVideoRecorder),
)
RANDOM = {"AddWhiteNoise", "StickyAction", "StickyActionEnv"}  # which some steps need not show
SHARED = ("class_attributes", "spec", "_cached_spec")  # by an environment's copies
APART = re.compile(r"<(\w+)(?=[< ])")  # classes, in the text of wrapped environments
ARRAY = ""  # the key of statistics of an observation that is no dict
STEPS, ROWS = 8, 120  # steps, and further ones for fewer games, that show what wrappers do
UNKNOWN = (
    "it learned behind a transform, which a zip does not hold; pass the live model with its"
    " environment, or save it with tttenv.adapters.sb3.save, which stores the statistics of a"
    " VecNormalize, and load it with tttenv.adapters.sb3.load or sb3:path="
)


class Seen(NamedTuple):
    """The observations of a model for boards (batch, cells).

    Attributes:
        show: returns the observations of boards; to be copied with a model, it is a function.
        scaler: the frozen VecNormalize, if that is the only transform.
        foreign: names the transforms that a zip cannot hold.
    """

    show: Callable[[Boards], Any]
    scaler: vec_env.VecNormalize | None = None
    foreign: str = ""


def observations_of(model: BaseAlgorithm, rules: Rules) -> Seen:
    """Return how a model's observations are made of boards.

    Args:
        model: a model, with its environment if it has one.
        rules: the game.

    Raises:
        ValueError: if a transform, which it names, is no function of the board or cannot be seen.
    """
    env: Any = model.env
    base: Any = None if env is None else env.unwrapped
    single = type(base) is vec_env.DummyVecEnv and isinstance(base.envs[0].unwrapped, TicTacToe)
    apart = isinstance(base, vec_env.SubprocVecEnv)
    scaler = model.get_vec_normalize_env()
    if scaler is not None:
        scaler = from_dict(to_dict(scaler), scaler.observation_space) if scaler.norm_obs else None
    if not (single or apart or isinstance(base, VecEnv)):
        return _without_environment(model, rules, scaler)
    names = [type(layer).__name__ for layer in reversed(_layers(env)) if not _is_neutral(layer)]
    for name in APART.findall("".join(base.env_method("__str__"))) if apart else ():
        if all(name != kind.__name__ for kind in (*GAMES, *NEUTRAL)):
            names.append(name)
    for name in RANDOM.intersection(names):
        raise refusal(name, "it is random")
    if names in ([], ["VecNormalize"]):
        return _usual(observation_kind(base.observation_space, rules), scaler)
    foreign = " of ".join(dict.fromkeys(names))
    if apart:
        raise refusal(foreign, "another process has the games: use set_env with a DummyVecEnv")
    show = _through(env, rules, foreign)
    if enumerable(rules):
        boards = positions(rules).boards[positions(rules).decisions]
        with contextlib.suppress(ValueError, KeyError):  # they may differ in their parts
            plain = _usual(observation_kind(model.observation_space, rules), scaler)
            if _same(plain.show(boards), show(boards)):  # some wrappers change nothing
                return plain
    return Seen(show, foreign=foreign)


def _without_environment(
    model: BaseAlgorithm, rules: Rules, scaler: vec_env.VecNormalize | None
) -> Seen:
    """Return what a model observes whose environment is unknown."""
    try:
        obs = observation_kind(model.observation_space, rules)
    except ValueError as error:
        raise ValueError(f"{error}: {UNKNOWN}") from None
    last: Any = model._last_obs  # VecNormalize may leave another
    ours = model._last_original_obs is None if last is None else _is_ours(last, obs, rules.cells)
    if scaler is None and not ours:
        raise ValueError(f"the model's last observation is none of {rules}: {UNKNOWN}")
    return _usual(obs, scaler)


def _is_ours(last: Any, obs: str, cells: int) -> bool:
    """Return whether observations (batch, ...) that a file holds may be the environment's."""
    boards = last["observation"] if obs == "dict" else last
    if obs != "board":
        boards = boards[:, :cells] - boards[:, cells : 2 * cells]
    with np.errstate(invalid="ignore"):
        whole = boards.astype(np.int8)
    return _same(OBSERVATIONS[obs](whole), last) and bool(np.isin(whole.sum(axis=1), (0, -1)).all())


def _usual(obs: str, scaler: vec_env.VecNormalize | None) -> Seen:
    """Return the environment's observations in one format, perhaps normalized."""

    def show(boards: Boards) -> Any:
        seen = OBSERVATIONS[obs](boards)
        return seen if scaler is None else scaler.normalize_obs(seen)

    return Seen(show, scaler)


def _through(env: vec_env.VecEnv, rules: Rules, names: str) -> Callable[[Boards], Any]:
    """Return a function that shows boards in a copy of a wrapped environment.

    ValueError, which names the wrappers, unless they are a function of the board.
    """
    batch = _copied(env, rules, names)
    base, count, rng = batch.unwrapped, batch.num_envs, np.random.default_rng(0)

    def current() -> Boards:
        if isinstance(base, VecEnv):
            return base.games.boards
        return np.stack(base.get_attr("board"))

    def show(boards: Boards) -> Any:
        found = []
        for at in range(0, len(boards), count):
            rows = boards[np.minimum(np.arange(at, at + count), len(boards) - 1)]
            each = [{"board": row} for row in rows]
            base.set_options({"board": rows} if isinstance(base, VecEnv) else each)
            found.append(copy.deepcopy(batch.reset()))
            if not _same(current(), rows):
                raise refusal(names, "its reset does not pass on the option board")
        return _by_part(lambda *parts: np.concatenate(parts)[: len(boards)], *found)

    seen, before = batch.reset(), []
    for _ in range(STEPS + ROWS // count):
        boards = current().copy()
        before.append((boards, copy.deepcopy(seen)))
        if not _same(np.stack(batch.env_method("action_masks")), boards == 0):
            raise refusal(names, "its action masks are not the empty cells")
        cells = np.where(boards == 0, rng.random(boards.shape), -1).argmax(axis=1)
        seen, _, over, infos = batch.step(cells)
        played = boards == 1
        played[np.arange(count), cells] = True
        kept = ((current() == 1) == played).all(axis=1) | over
        if not kept.all() or any(info.get("outcome") == ILLEGAL for info in infos):
            raise refusal(names, "it changes or repeats actions")
    order = rng.permutation(len(before) * count)  # in other rows, too
    boards = np.concatenate([boards for boards, _ in before])[order]
    met = _by_part(lambda *parts: np.concatenate(parts)[order], *(seen for _, seen in before))
    if not _same(show(boards), met):
        raise refusal(names, "the observation depends on more than the board")
    return show


def _copied(env: vec_env.VecEnv, rules: Rules, names: str) -> Any:
    """Return a copy of a batch against a random opponent, without its neutral wrappers."""
    if (played := env.get_attr("rules")[0]) != rules:
        raise ValueError(f"the model's environment plays {played}, not {rules}")
    opponents = [match.opponent for match in env.get_attr("match")]  # may be impossible to copy
    memo: Any = {id(one): Uniform(rules) for one in opponents if one is not None}
    for layer in _layers(env):
        held = vars(layer)
        if _is_neutral(layer) and type(layer) not in GAMES:
            memo[id(layer)] = memo[id(held.get("venv") or held["env"])]
            continue
        made = memo[id(layer)] = object.__new__(type(layer))
        try:
            for name, value in held.items():
                made.__dict__[name] = value if name in SHARED else copy.deepcopy(value, memo)
        except Exception as error:  # of foreign code
            raise refusal(names, f"it cannot be copied ({first_line(error)})") from None
        if isinstance(made, vec_env.VecNormalize):
            made.training = False
    memo[id(env)].env_method("set_opponent", Uniform(rules))
    return memo[id(env)]


def _layers(env: Any) -> list[Any]:
    """Return an environment and all that it wraps, the innermost first."""
    held = vars(env)
    inside = held.get("envs") or [held[name] for name in ("venv", "env") if name in held]
    return [*(layer for one in inside for layer in _layers(one)), env]


def _is_neutral(env: Any) -> bool:
    """Return whether an environment changes neither observations nor actions of our games."""
    scales_no_observation = type(env) is vec_env.VecNormalize and not env.norm_obs
    return type(env) in (*GAMES, *NEUTRAL) or scales_no_observation


def refusal(name: str, why: str) -> ValueError:
    """Return the error for a model behind the transform `name`, which says `why`."""
    return ValueError(f"the model learned behind {name}, which cannot be certified: {why}")


def to_dict(scaler: vec_env.VecNormalize) -> dict[str, Any]:
    """Return the statistics of a VecNormalize for JSON."""
    found: Any = scaler.obs_rms
    parts = found if isinstance(found, dict) else {ARRAY: found}
    return {
        "clip": min(scaler.clip_obs, sys.float_info.max),
        "epsilon": scaler.epsilon,
        "mean": {name: part.mean.tolist() for name, part in parts.items()},
        "var": {name: part.var.tolist() for name, part in parts.items()},
    }


def from_dict(data: Any, space: Any) -> vec_env.VecNormalize:
    """Return the frozen VecNormalize of untrusted data of `to_dict`, for observations of a space.

    Raises:
        ValueError: for data of another form or shape, and for numbers out of range.
    """
    made = object.__new__(vec_env.VecNormalize)
    parts: dict[str, Any] = {}
    try:
        clip, epsilon = float(data["clip"]), float(data["epsilon"])
        for name, mean in data["mean"].items():
            part = parts[name] = RunningMeanStd()
            part.mean, part.var = np.array([mean, data["var"][name]], np.float64)
            if part.mean.shape != getattr(space, "spaces", {ARRAY: space})[name].shape:
                raise ValueError(f"a shape {part.mean.shape}")
            if not np.isfinite([part.mean, part.var]).all() or part.var.min() < 0:
                raise ValueError("a negative or infinite number")
        if not parts or not (0 < clip < math.inf and 0 < epsilon < math.inf):
            raise ValueError("no statistics, or no positive clip and epsilon")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"no normalization of {shown(space, 100)}: {shown(error)}") from None
    known = parts.get(ARRAY, parts)
    made.__dict__ |= {"norm_obs": True, "obs_rms": known, "norm_obs_keys": list(parts)}
    made.__dict__ |= {"clip_obs": clip, "epsilon": epsilon, "observation_space": space}
    return made


def _same(one: Any, other: Any) -> bool:
    """Return whether two observations are equal."""
    if isinstance(one, dict) or isinstance(other, dict):
        return set(one) == set(other) and all(_same(one[name], other[name]) for name in one)
    return np.array_equal(one, other)


def _by_part(function: Callable[..., Any], *seen: Any) -> Any:
    """Return a function of observations, or of each part of dicts of them."""
    if isinstance(seen[0], dict):
        return {name: function(*[one[name] for one in seen]) for name in seen[0]}
    return function(*seen)
