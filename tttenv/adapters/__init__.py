"""Adapters to other libraries, loaded only when imported by name."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tttenv.env.observation import Observer
from tttenv.exact import enumerable
from tttenv.exact.determinism import tabulate_pure
from tttenv.game.rules import Rules
from tttenv.policy import OBSERVATIONS, Player, Policy, display_name, evaluating, player_for
from tttenv.utils.untrusted import shown


@contextmanager
def wanted(*libraries: str, extra: str = "adapters") -> Iterator[None]:
    """Add a hint how to install a missing library to the ImportError of a block.

    Args:
        libraries: the names of the modules that the block imports.
        extra: of tttenv, which installs them.

    Raises:
        ImportError: if one of the libraries is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in libraries:
            raise  # installed but broken: its own message says more
        raise ImportError(
            f"{name} is not installed, get it with: pip install 'tttenv[{extra}]'", name=name
        ) from None


def frozen(rules: Rules, module: Any, play: Callable[[Any], Policy]) -> Player:
    """Return the policy of a torch module that may be trained further, as a frozen player.

    Args:
        rules: the game.
        module: the network, which is evaluated in evaluation mode.
        play: makes a policy of the network, or of a copy.

    Returns:
        A table of all positions if the game is enumerable, else a player of a copy of the module.
    """
    if not enumerable(rules):
        return player_for(rules, play(copy.deepcopy(module).eval()))
    with evaluating(module):
        return tabulate_pure(player_for(rules, play(module)), display_name(module))


def observation_kind(space: Any, rules: Rules) -> str:
    """Return the `obs` argument whose observations have this space: shape, type and bounds.

    Raises:
        ValueError: if no observations of the game have it.
    """
    for kind in OBSERVATIONS:
        if Observer(rules, kind).space == space:
            return kind
    raise ValueError(
        f"the model observes {shown(space, 100)}, which matches no observations of {rules}"
    )
