"""Subjects of a diagnosis: environments, players, models and networks."""

import importlib
from dataclasses import dataclass
from typing import Any

from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import Observed, from_observations, is_network
from tttenv.testing.checked_player import CheckedPlayer
from tttenv.testing.findings import user_errors


@dataclass(frozen=True)
class Environment:
    """A single-game environment and its game."""

    env: Any
    rules: Rules


def subject_of(
    name: str, found: Any, rules: Rules | None, obs: str | None = None, kind: str = "logits"
) -> CheckedPlayer | Environment:
    """Convert an object to a subject of the checks.

    Args:
        name: its name in messages.
        found: an environment, policy, function, network or model.
        rules: the game; None: the environment's own, or 3,3,3.
        obs: the input of a function or network, "onehot", "board" or "dict"; None: "onehot" for a
            network, boards for a function.
        kind: the output of a function with `obs` or a network: "logits", "values" or "probs".

    Raises:
        ValueError: if it is neither a player nor an environment of the game.
    """
    with user_errors(name):
        plays = hasattr(found, "step") and hasattr(found, "reset")
    if plays:
        return environment_subject(name, found, rules)
    return player_subject(name, rules or Rules(), found, obs, kind)


def environment_subject(name: str, env: Any, rules: Rules | None = None) -> Environment:
    """Convert an environment to a subject, with its own game or else 3,3,3."""
    with user_errors(name):
        batch, space = hasattr(env, "num_envs"), getattr(env, "action_space", None)
        size, bare = getattr(space, "n", None), getattr(env, "unwrapped", env)
        known = getattr(bare, "rules", None)
    if batch:
        raise ValueError(f"{name} is a batch of games; pass a single environment")
    game = rules or (known if isinstance(known, Rules) else Rules())
    if size != game.cells:
        raise ValueError(f"{name} has actions {space}, not the {game.cells} cells of {game}")
    return Environment(env, game)


def player_subject(
    name: str, rules: Rules, found: Any, obs: str | None = None, kind: str = "logits"
) -> CheckedPlayer:
    """Convert a policy, function, network or model to a subject."""
    with user_errors(name):
        model = hasattr(found, "policy") and hasattr(found, "predict")
        network_itself = is_network(found)
    if model:
        return model_subject(name, rules, found, deterministic=False)
    if obs or network_itself:
        found = from_observations(found, rules, obs or "onehot", kind)
    network = found if isinstance(found, Observed) else None
    with user_errors(name):
        player = as_player(rules, found)
    return CheckedPlayer(name, rules, player, network)


def model_subject(name: str, rules: Rules, model: Any, deterministic: bool) -> CheckedPlayer:
    """Convert a Stable-Baselines3 model to a subject, both as a player and as a network."""
    models = importlib.import_module("tttenv.adapters.sb3.models")
    asked = models.observed(model, rules, deterministic)
    return CheckedPlayer(name, rules, asked, asked, models.masked(model))
