"""Whom the doctor sees: players, models, networks and environments, by name or out of a module."""

import importlib
import inspect
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from tttenv import Policy, Rules
from tttenv.exact import Tabulated, enumerable, positions
from tttenv.given import given
from tttenv.observed import Observed, from_observations, is_network
from tttenv.opponents import player, rules_of
from tttenv.spread import restricted
from tttenv.testing import some_boards
from tttenv.types import Boards, Numbers


@dataclass(frozen=True)
class Player:
    """A player, held to what it answers; `lawful` is what is left of it on legal cells."""

    name: str
    rules: Rules
    answers: Policy  # as it is, lawful or not
    network: Observed | None = None  # what it is made of, if that is known
    masks: bool = True  # whether its own library masks it when it plays

    @cached_property
    def boards(self) -> Boards:
        """The undecided boards it is asked about: all, or some of a large game."""
        return some_boards(self.rules, 10**6 if enumerable(self.rules) else 500)

    @cached_property
    def told(self) -> Numbers:
        """What it answered to all of them, the first time."""
        return self.asked(self.boards)

    @cached_property
    def table(self) -> Tabulated:
        """Its moves, those on taken cells left out."""
        order = np.zeros((len(positions(self.rules)), self.rules.cells))
        order[positions(self.rules).index(self.boards)] = restricted(self.told, self.boards == 0)
        return Tabulated(self.rules, order)

    def asked(self, boards: Boards) -> Numbers:
        """What it answers."""
        return np.asarray(self.answers(boards.copy()), np.float64)


@dataclass(frozen=True)
class Environment:
    """A single-game environment and the game it is taken to be."""

    env: Any
    rules: Rules


def load(name: str, rules: str | None, obs: str | None, kind: str) -> Player | Environment:
    """Whom a name means.

    Args:
        name: a player's spec, a checkpoint's folder, an environment's id, or module:attribute,
            which is imported from the current folder.
        rules: the game, "m,n,k"; None: its own, or 3,3,3.
        obs: what a function or network out of a module observes, "onehot", "board" or "dict";
            None: a network the first, a function boards.
        kind: what it answers then, "logits", "values" or "probs".

    Raises:
        ValueError: if there is nothing of that name, or it is nothing a doctor can look at.
    """
    if name in gymnasium.registry:
        return _environment(name, gymnasium.make(name), rules)
    if _is_in_a_module(name):
        found = _imported(name)
        if hasattr(found, "step") and hasattr(found, "reset"):
            return _environment(name, found, rules)
        return _player(name, Rules.of(rules or "3,3,3"), found, obs, kind)
    game = Rules.of(rules) if rules else rules_of(name)
    found = player(name, game)
    if name.startswith("sb3:"):  # by now it is trusted
        from tttenv.registry import parse

        options = parse(name)[1]
        adapter = importlib.import_module("tttenv.adapters.sb3")
        found = adapter.load(options["path"], options.get("algorithm"))
    return _player(name, game, found, obs, kind)


def _environment(name: str, env: Any, rules: str | None) -> Environment:
    if hasattr(env, "num_envs"):
        raise ValueError(f"{name} is a batch of games; hand in a single environment")
    size, known = getattr(env.action_space, "n", None), getattr(env.unwrapped, "rules", None)
    game = Rules.of(rules) if rules else known if isinstance(known, Rules) else Rules()
    if size != game.cells:
        raise ValueError(
            f"{name} has actions {env.action_space}, not the {game.cells} cells of {game}"
        )
    return Environment(env, game)


def _player(name: str, rules: Rules, found: Any, obs: str | None, kind: str) -> Player:
    if hasattr(found, "policy") and hasattr(found, "predict"):
        models = importlib.import_module("tttenv.adapters.sb3.models")
        return Player(
            name, rules, *2 * (models.observed(found, rules, False),), models.masked(found)
        )
    if obs or is_network(found):
        found = from_observations(found, rules, obs or "onehot", kind)
    network = found if isinstance(found, Observed) else None
    return Player(name, rules, given(rules, found), network)


def _is_in_a_module(name: str) -> bool:
    module, colon, attribute = name.partition(":")
    named = all(part.isidentifier() for part in [*module.split("."), *attribute.split(".")])
    return bool(colon) and named and not os.path.isdir(name)


def _imported(name: str) -> Any:
    """The attribute, or what it makes if it is a class or a function of nothing."""
    module, _, path = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name}: {error}") from None
    return found() if _makes(found) else found


def _makes(found: Any) -> bool:
    """Whether it is a class or function that can be called with nothing."""
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        return False
    wanted = inspect.signature(found).parameters.values()
    return all(one.default is not one.empty or one.kind in (2, 4) for one in wanted)
