"""Whom the doctor sees: players, models, networks and environments, by name or out of a module."""

import importlib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from tttenv import Policy, Rules, shipped
from tttenv.exact import Tabulated, enumerable, positions
from tttenv.kernels.types import Boards, Numbers
from tttenv.opponents import FOREIGN, OPPONENTS, is_path, player, rules_of
from tttenv.opponents.resolve import resolve_policy
from tttenv.policy import Observed, from_observations, is_network, masked_normalise
from tttenv.registry import near
from tttenv.testing import some_boards
from tttenv.testing.failing import PatientError, failing
from tttenv.testing.user_module import imported, is_in_a_module, naming

FUNCTION = (
    "answer move probabilities (batch, cells); for other answers, or observations instead of"
    " boards, hand in the function with --obs and --kind"
)
PROGRAM = (
    "let the program answer every line `move M N K BOARD SIDE` at once, by a line with an empty"
    " cell, numbered row by row from 0, or cells and probabilities as in 4:0.5 5:0.5, and flush"
    " it: see help(tttenv.opponents.external)"
)


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
        order[positions(self.rules).index(self.boards)] = masked_normalise(
            self.told, self.boards == 0
        )
        return Tabulated(self.rules, order)

    @property
    def wanted(self) -> str:
        """What it should answer."""
        return PROGRAM if "external:" in self.name else FUNCTION

    def asked(self, boards: Boards) -> Numbers:
        """What it answers.

        Raises:
            PatientError: if it raises, or answers anything but a number a cell.
        """
        with self._asked_about(boards):
            numbers = np.asarray(self.answers(boards.copy()), np.float64)
        if numbers.shape != boards.shape:
            told = f"answers {numbers.shape} numbers about {boards.shape} cells"
            raise PatientError(told, self.wanted)
        return numbers

    def unmasked(self, boards: Boards) -> Numbers:
        """What its network would do without a mask, (batch, cells)."""
        assert self.network is not None
        with self._asked_about(boards):
            return self.network.unmasked(boards)

    def numbers(self, boards: Boards) -> Numbers:
        """What its network answers, (batch, cells)."""
        assert self.network is not None
        with self._asked_about(boards):
            return self.network.numbers(boards)

    def _asked_about(self, boards: Boards) -> AbstractContextManager[None]:
        return failing(f"asked about {len(boards)} boards", self.wanted)


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
        with naming(name):
            made = gymnasium.make(name)
        return _environment(name, made, rules)
    if is_in_a_module(name):
        found = imported(name)
        if hasattr(found, "step") and hasattr(found, "reset"):
            return _environment(name, found, rules)
        return _player(name, Rules.of(rules or "3,3,3"), found, obs, kind)
    if (
        not is_path(name)
        and near(name.partition(":")[0], [*OPPONENTS, *FOREIGN, *shipped.names()]) is None
    ):
        close = near(name, gymnasium.registry)
        if close is not None:
            raise ValueError(f"there is no environment {name}; did you mean {close}?")
    game = Rules.of(rules) if rules else rules_of(name)
    found = player(name, game)
    if name.startswith("sb3:"):  # by now it is trusted
        from tttenv.registry import parse

        options = parse(name)[1]
        adapter = importlib.import_module("tttenv.adapters.sb3")
        algorithm = options.get("algorithm", "detect")
        found = adapter.load(options["path"], None if algorithm == "detect" else algorithm)
    return _player(name, game, found, obs, kind)


def _environment(name: str, env: Any, rules: str | None) -> Environment:
    if hasattr(env, "num_envs"):
        raise ValueError(f"{name} is a batch of games; hand in a single environment")
    space = getattr(env, "action_space", None)
    size, known = getattr(space, "n", None), getattr(getattr(env, "unwrapped", env), "rules", None)
    game = Rules.of(rules) if rules else known if isinstance(known, Rules) else Rules()
    if size != game.cells:
        raise ValueError(f"{name} has actions {space}, not the {game.cells} cells of {game}")
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
    return Player(name, rules, resolve_policy(rules, found), network)
