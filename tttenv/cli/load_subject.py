"""Loading the subject of `tttenv doctor`: a player, model, network or environment."""

import importlib
import inspect
import os
import re
import sys
from typing import Any

import gymnasium

from tttenv import Rules
from tttenv.players import FOREIGN, did_you_mean, is_path, player, rules_of
from tttenv.testing.checked_player import CheckedPlayer
from tttenv.testing.diagnosis import Environment, model_subject, subject_of
from tttenv.testing.findings import user_errors
from tttenv.utils.registry import parse


def load(name: str, rules: str | None, obs: str | None, kind: str) -> CheckedPlayer | Environment:
    """Load the player or environment with the given name.

    Args:
        name: a player's spec, a checkpoint's folder, an environment's id, module:id or
            module:attribute; modules are imported from the current folder.
        rules: the game, "m,n,k"; None: its own, or 3,3,3.
        obs: the input of a function or network from a module, "onehot", "board" or "dict"; None:
            "onehot" for a network, boards for a function.
        kind: the output of a function with `obs` or a network: "logits", "values" or "probs".

    Raises:
        ValueError: if nothing has that name, or it is neither a player nor an environment; for
            `obs` or `kind` without a module.
    """
    if (obs is not None or kind != "logits") and not is_module_attribute(name):
        raise ValueError(
            f"--obs and --kind need a function or network, as module:attribute, not {name}"
        )
    if name in gymnasium.registry or _is_environment_id(name):
        sys.path.insert(0, os.getcwd())
        with user_errors(name):
            made = gymnasium.make(name)
        return subject_of(name, made, Rules.of(rules) if rules else None)
    if is_module_attribute(name):
        found = imported(name)
        return subject_of(name, found, Rules.of(rules) if rules else None, obs, kind)
    with did_you_mean(name):
        game = Rules.of(rules) if rules else rules_of(name)
        found = player(name, game)
    if name.startswith("sb3:"):  # trusted: the player was loaded above
        options = parse(name)[1]
        adapter = importlib.import_module("tttenv.adapters.sb3")
        algorithm = options.get("algorithm", "detect")
        model = adapter.load(options["path"], None if algorithm == "detect" else algorithm)
        return model_subject(game, model, options.get("deterministic") == "true")
    return subject_of(name, found, game, obs, kind)


def _is_environment_id(name: str) -> bool:
    """Return whether a name has the form of an environment's id, alone or after a module."""
    module, _, env_id = name.rpartition(":")
    known = module in FOREIGN.rows if module else is_path(name)
    return not known and bool(re.fullmatch(r"([\w-]+/)?[\w.-]+-v\d+", env_id))


def is_module_attribute(name: str) -> bool:
    """Return whether a name has the form module:attribute."""
    module, colon, attribute = name.partition(":")
    named = all(part.isidentifier() for part in [*module.split("."), *attribute.split(".")])
    return bool(colon) and named and not os.path.isdir(name)


def imported(name: str) -> Any:
    """Import an attribute, and call it if it is a class or function without required arguments.

    Raises:
        ValueError: if it cannot be imported or created, or is a class that needs arguments.
    """
    module, _, path = name.partition(":")
    sys.path.insert(0, os.getcwd())
    with user_errors(name):
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
        found = found() if _makes(found) else found
    if inspect.isclass(found):
        raise ValueError(
            f"{name} is a class that needs arguments; name a function that returns an instance"
        )
    return found


def _makes(found: Any) -> bool:
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        return False
    wanted = inspect.signature(found).parameters.values()
    return all(one.default is not one.empty or one.kind in (2, 4) for one in wanted)
