"""Tests for learners in other packages: call `check_learner(MyLearner, Rules())`."""

import json
import math
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import numpy as np
import torch

from learners.base import Learner
from learners.training.checkpoint import state_bytes, state_of
from tttenv.game.rules import Rules
from tttenv.testing import LawBrokenError, check_policy, require, some_boards
from tttenv.utils.arrays import integers_from


def check_learner(
    kind: type[Learner[Any]], rules: Rules, config: Any = None, steps: int = 3
) -> None:
    """Check that a learner satisfies the invariants of the base class `Learner`.

    Args:
        kind: the learner's class.
        rules: a game it can learn.
        config: an instance of the class's Config; None uses the default preset.
        steps: the number of steps to train for each invariant.

    Raises:
        LawBrokenError: at the first violated invariant.
    """
    integers_from(1, steps=steps)
    config = kind.presets["default"] if config is None else config
    check_config(kind, config, rules)

    def trained(count: int) -> Learner[Any]:
        learner = kind(config, rules)
        for _ in range(count):
            learner.step()
        return learner

    before, boards = _global_random_states(), some_boards(rules, 100)
    learner = trained(steps)
    require(_same(before, _global_random_states()), "a learner leaves the global generators alone")
    stopped = learner.state_dict()
    weights = stopped["weights"]
    require(
        all(isinstance(tensor, torch.Tensor) for tensor in weights.values()),
        'state_dict()["weights"] holds tensors by name',
    )
    same = _same(stopped, trained(steps).state_dict())
    require(same, "the same seed gives the same state, bit for bit")
    require(learner.moves > 0, "step adds to moves how many it learned from")
    policy = learner.policy()
    check_policy(policy, rules, count=100)
    played = np.array(policy(boards.copy()))
    copy, resumed = kind(config, rules), kind(config, rules)
    copy.load_state_dict({"weights": weights})
    same = np.array_equal(copy.policy()(boards.copy()), played)
    require(same, "the weights alone are enough to play")
    resumed.load_state_dict(state_of(state_bytes(stopped)))
    for number in learner.step().values():
        require(math.isfinite(number), "step returns finite numbers")
    require((policy(boards.copy()) == played).all(), "policy() is a frozen snapshot")
    for _ in range(steps):
        resumed.step()
    through = trained(2 * steps)
    same = _same(through.state_dict(), resumed.state_dict())
    require(same, "stopping and resuming makes no difference, bit for bit")
    same = through.moves == resumed.moves + trained(steps).moves
    require(same, "the number of moves is the same after stopping and resuming")


def check_config(kind: type[Learner[Any]], config: Any, rules: Rules) -> None:
    """Check that a config is a frozen dataclass with a seed and can be stored as JSON.

    Args:
        kind: the learner's class.
        config: an instance of its Config.
        rules: a game it can learn.

    Raises:
        LawBrokenError: at the first violated invariant.
    """
    require(is_dataclass(kind.Config), "Config is a dataclass")
    require(kind.Config.__dataclass_params__.frozen, "Config is frozen")  # type: ignore[attr-defined]  # dataclasses have it
    require("seed" in {field.name for field in fields(kind.Config)}, "Config has a seed")
    require("default" in kind.presets, 'presets has a "default"')
    for name, preset in kind.presets.items():
        require(isinstance(preset, kind.Config), f"preset {name} is a Config")
    require(isinstance(config, kind.Config), "config is an instance of the learner's Config")
    try:
        stored = json.loads(json.dumps(asdict(config)))
    except TypeError as error:
        raise LawBrokenError(f"the config can be stored as JSON: {error}") from None
    kind(kind.Config(**stored), rules)


def _global_random_states() -> list[Any]:
    return [torch.random.get_rng_state(), np.random.get_state(legacy=False)["state"]]  # noqa: NPY002  # only read


def _same(first: Any, second: Any) -> bool:
    """Return whether two states are bit-identical."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, torch.Tensor):
        return torch.equal(first, second)
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second)
    return bool(first == second)
