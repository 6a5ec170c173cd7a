"""Loads what `tttenv doctor` checks: a player, model, network or environment."""

import importlib
from dataclasses import dataclass
from typing import Any

import gymnasium

from tttenv import Rules
from tttenv.cli.user_module import imported, is_in_a_module, naming
from tttenv.players import FOREIGN, PLAYERS, bundled, is_path, player, rules_of
from tttenv.players.as_policy import resolve_policy
from tttenv.policy import Observed, from_observations, is_network
from tttenv.testing.asked_player import Player
from tttenv.utils.registry import near


@dataclass(frozen=True)
class Environment:
    """A single-game environment and its game."""

    env: Any
    rules: Rules


def load(name: str, rules: str | None, obs: str | None, kind: str) -> Player | Environment:
    """Load the player or environment of a name.

    Args:
        name: a player's spec, a checkpoint's folder, an environment's id, or module:attribute,
            which is imported from the current folder.
        rules: the game, "m,n,k"; None: its own, or 3,3,3.
        obs: the input of a function or network from a module, "onehot", "board" or "dict"; None:
            "onehot" for a network, boards for a function.
        kind: the output of a function with `obs` or a network: "logits", "values" or "probs".

    Raises:
        ValueError: if nothing has that name, or it is neither a player nor an environment.
    """
    if name in gymnasium.registry:
        with naming(name):
            made = gymnasium.make(name)
        return _environment(name, made, rules)
    if is_in_a_module(name):
        found = imported(name)
        with naming(name):
            plays = hasattr(found, "step") and hasattr(found, "reset")
        if plays:
            return _environment(name, found, rules)
        return _player(name, Rules.of(rules or "3,3,3"), found, obs, kind)
    if (
        not is_path(name)
        and near(name.partition(":")[0], [*PLAYERS, *FOREIGN, *bundled.names()]) is None
    ):
        close = near(name, gymnasium.registry)
        if close is not None:
            raise ValueError(f"there is no environment {name}; did you mean {close}?")
    game = Rules.of(rules) if rules else rules_of(name)
    found = player(name, game)
    if name.startswith("sb3:"):  # trusted: the player was loaded above
        from tttenv.utils.registry import parse

        options = parse(name)[1]
        adapter = importlib.import_module("tttenv.adapters.sb3")
        algorithm = options.get("algorithm", "detect")
        model = adapter.load(options["path"], None if algorithm == "detect" else algorithm)
        return _model(name, game, model, options.get("deterministic") == "true")
    return _player(name, game, found, obs, kind)


def _environment(name: str, env: Any, rules: str | None) -> Environment:
    with naming(name):
        batch, space = hasattr(env, "num_envs"), getattr(env, "action_space", None)
        size, bare = getattr(space, "n", None), getattr(env, "unwrapped", env)
        known = getattr(bare, "rules", None)
    if batch:
        raise ValueError(f"{name} is a batch of games; hand in a single environment")
    game = Rules.of(rules) if rules else known if isinstance(known, Rules) else Rules()
    if size != game.cells:
        raise ValueError(f"{name} has actions {space}, not the {game.cells} cells of {game}")
    return Environment(env, game)


def _player(name: str, rules: Rules, found: Any, obs: str | None, kind: str) -> Player:
    with naming(name):
        model = hasattr(found, "policy") and hasattr(found, "predict")
        network_itself = is_network(found)
    if model:
        return _model(name, rules, found, deterministic=False)
    if obs or network_itself:
        found = from_observations(found, rules, obs or "onehot", kind)
    network = found if isinstance(found, Observed) else None
    return Player(name, rules, resolve_policy(rules, found), network)


def _model(name: str, rules: Rules, model: Any, deterministic: bool) -> Player:
    """Return a model of Stable-Baselines3, both as a player and as a network."""
    models = importlib.import_module("tttenv.adapters.sb3.models")
    asked = models.observed(model, rules, deterministic)
    return Player(name, rules, asked, asked, models.masked(model))
