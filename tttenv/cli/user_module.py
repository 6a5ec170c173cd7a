"""What the user names by module:attribute, imported from the current folder."""

import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tttenv.testing.failing import FAILURES, said


def is_in_a_module(name: str) -> bool:
    """Whether a name is module:attribute."""
    module, colon, attribute = name.partition(":")
    named = all(part.isidentifier() for part in [*module.split("."), *attribute.split(".")])
    return bool(colon) and named and not os.path.isdir(name)


def imported(name: str) -> Any:
    """The attribute, or what it makes if it is a class or a function of nothing.

    Raises:
        ValueError: if it cannot be imported or made, or is a class that needs arguments.
    """
    module, _, path = name.partition(":")
    sys.path.insert(0, os.getcwd())
    with naming(name):
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
        found = found() if _makes(found) else found
    if inspect.isclass(found):
        raise ValueError(f"{name} is a class; hand in a function of nothing that makes one of it")
    return found


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What is raised within, by code of the user's, is bad input of that name."""
    try:
        yield
    except FAILURES as error:  # a script without a guard ends us, too
        raise ValueError(f"{name}: {said(error)}") from None


def _makes(found: Any) -> bool:
    """Whether it is a class or function that can be called with nothing."""
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        return False
    wanted = inspect.signature(found).parameters.values()
    return all(one.default is not one.empty or one.kind in (2, 4) for one in wanted)
