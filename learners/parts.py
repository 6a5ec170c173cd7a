"""Learners saved and restored as named parts, and their players created from weights.

A learner that inherits from `NetworkLearner` only names its networks and parts. In addition,
`learners.training` saves the step, the curves and the settings.
"""

import copy
from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from learners.base import ConfigT, Learner, LearnerTraits
from learners.nets import Nets, greedy_player, load_weights, nets_of, weights_of
from tttenv.game.rules import Rules
from tttenv.policy import TOLERANCE, Player
from tttenv.utils.untrusted import shown

Rng = np.random.Generator


class PartsLearner(Learner[ConfigT]):
    """Learner with one generator that saves and restores it with the parts returned by `parts`."""

    def __init__(self, config: Any, rules: Rules) -> None:
        super().__init__(config, rules)
        self.rng = np.random.default_rng(config.seed)

    def policy(self) -> Player:
        """Return the player with the current weights, as a checkpoint has it."""
        return self.player(self.config, self.rules, _saved(self.parts()["weights"]))

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """Return all that makes up the learner but `rng`, by key; its player needs only "weights".

        A part is restored in place: networks by name, an optimiser, a generator, an environment
        (its boards), a tensor, an array, a dict of parts, or any object with `state_dict` and
        `load_state_dict`. A number is assigned to the attribute with the name of its key.
        """

    def state_dict(self) -> dict[str, Any]:
        """Return copies of all parts, and of the generator's state as "rng"."""
        return {key: _saved(part) for key, part in (self.parts() | {"rng": self.rng}).items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state returned by `state_dict()`; "weights" alone is enough to play."""
        for key, part in (self.parts() | {"rng": self.rng}).items():
            if state.keys() != {"weights"} or key == "weights":
                if isinstance(part, int):
                    setattr(self, key, state[key])
                else:
                    _restore(part, state[key])


class NetworkLearner(PartsLearner[ConfigT]):
    """Learner whose part "weights" contains the networks that its player needs, by name."""

    traits = LearnerTraits(tolerance=TOLERANCE)

    @classmethod
    @abstractmethod
    def networks(cls, config: ConfigT, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return the networks that the player needs, by name.

        Args:
            config: the learner's settings.
            rules: the game.
            rng: samples the initial weights; None leaves them uninitialised, to be loaded.
        """

    @classmethod
    def player_of(cls, config: ConfigT, rules: Rules, nets: Nets) -> Player:
        """Return a player that picks the legal cell for which the networks' output is highest."""
        return greedy_player(rules, list(nets.values()))

    @classmethod
    def empty_weights(cls, config: ConfigT, rules: Rules) -> dict[str, Tensor]:
        """Return the networks' weights, on the meta device.

        Raises:
            ValueError: for a config that describes no network, or rules it cannot play.
        """
        with torch.device("meta"):
            try:
                return weights_of(cls.networks(config, rules))
            except (RuntimeError, OverflowError, TypeError) as error:
                first = str(error).partition("\n")[0]
                raise ValueError(f"not the layers of a network: {shown(first, 80)}") from None

    @classmethod
    def player(cls, config: ConfigT, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return a player whose networks have the given weights."""
        return cls.player_of(config, rules, nets_of(lambda: cls.networks(config, rules), weights))


def _saved(part: Any) -> Any:
    """Return a copy of the contents of a part."""
    if isinstance(part, dict):
        if all(isinstance(inner, nn.Module) for inner in part.values()):
            return weights_of(part)
        return {name: _saved(inner) for name, inner in part.items()}
    if isinstance(part, Rng):
        return part.bit_generator.state
    if isinstance(part, Tensor):
        return part.clone()
    if isinstance(part, np.ndarray):
        return part.copy()
    if hasattr(part, "reset"):  # an environment
        return part.boards
    if isinstance(part, torch.optim.Optimizer):  # it returns its own tensors
        return {"state": copy.deepcopy(part.state_dict()["state"])}
    return part if isinstance(part, int) else part.state_dict()


def _restore(part: Any, saved: Any) -> None:
    """Copy contents returned by `_saved` into a part."""
    if isinstance(part, dict):
        if all(isinstance(inner, nn.Module) for inner in part.values()):
            load_weights(part, saved)
        else:
            for name, inner in part.items():
                _restore(inner, saved[name])
    elif isinstance(part, Rng):
        part.bit_generator.state = saved
    elif isinstance(part, Tensor):
        part.copy_(saved)
    elif isinstance(part, np.ndarray):
        part[:] = saved
    elif isinstance(part, torch.optim.Optimizer):
        settings = part.state_dict()["param_groups"]  # of the config
        part.load_state_dict({"state": saved["state"], "param_groups": settings})
    elif hasattr(part, "reset"):  # an environment
        part.reset(options={"board": saved})
    else:
        part.load_state_dict(saved)
