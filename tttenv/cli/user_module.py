"""Import of user code, named as module:attribute, from the current folder."""

import importlib
import inspect
import os
import sys
from typing import Any

from tttenv.testing.failures import user_errors


def is_in_a_module(name: str) -> bool:
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
    """Return whether an object is a class or function callable without arguments."""
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        return False
    wanted = inspect.signature(found).parameters.values()
    return all(one.default is not one.empty or one.kind in (2, 4) for one in wanted)
