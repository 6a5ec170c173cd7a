"""Published experiments, run again with their flaws: a module for each source, and its table."""

from importlib import import_module
from typing import Any

from tttenv.utils.registry import unknown

# Modules of this folder by source; each has a function `numbers(run)` that returns `rows.Row`s.
SOURCES = {
    "S0": "lms",
    "S1": "tictac",
    "S2": "notes",
    "S3": "cookbook",
    "S4": "masked_mlp",
}


def home(source: str) -> str:
    """Return the name of the module of a source.

    Raises:
        ValueError: for an unknown source, with a list of all sources.
    """
    if source not in SOURCES:
        raise ValueError(unknown("source", source, SOURCES))
    return f"{__name__}.{SOURCES[source]}"


def load(source: str) -> Any:
    """Import the module of a source.

    Raises:
        ValueError: for an unknown source.
    """
    return import_module(home(source))
