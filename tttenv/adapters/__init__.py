"""Adapters to other libraries: one file or folder each, imported only by name."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tttenv.exact import enumerable
from tttenv.exact.determinism import display_name, tabulate_pure
from tttenv.game.rules import Rules
from tttenv.policy import Policy, evaluating


@contextmanager
def wanted(*libraries: str, extra: str = "adapters") -> Iterator[None]:
    """In this block, turn a failed import of a library into one line about its installation.

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
    """The policy of a torch module as it is now, in evaluation mode; a frozen snapshot.

    Args:
        rules: the game; if it can be enumerated, the module is evaluated once on all positions,
            else it is copied.
        module: the module, which may be trained further.
        play: makes a policy of the module.
    """
    if not enumerable(rules):
        return play(copy.deepcopy(module).eval())
    with evaluating(module):
        return tabulate_pure(rules, play(module), display_name(module))
