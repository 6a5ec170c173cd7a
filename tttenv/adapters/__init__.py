"""Foreign libraries: one file each, loaded only by name."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tttenv.exact import enumerable
from tttenv.exact.purity import display_name, tabulate_pure
from tttenv.game.rules import Rules
from tttenv.policy import Policy, evaluating


@contextmanager
def wanted(*libraries: str, extra: str = "adapters") -> Iterator[None]:
    """Import foreign libraries in this block: without them, one line says how to install them.

    Raises:
        ImportError: if one of the named libraries (as they are imported) is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in libraries:
            raise  # installed, but broken inside: its own message says more
        raise ImportError(
            f"{name} is not installed, get it with: pip install 'tttenv[{extra}]'", name=name
        ) from None


def frozen(rules: Rules, module: Any, play: Callable[[Any], Policy]) -> Policy:
    """How a torch module plays now, without dropout: later training does not change it.

    Args:
        rules: where they can be enumerated, it is asked once about all positions, else copied.
        module: what is being trained.
        play: the player that a module makes.
    """
    if not enumerable(rules):
        return play(copy.deepcopy(module).eval())
    with evaluating(module):
        return tabulate_pure(rules, play(module), display_name(module))
