"""Published experiments to reproduce: one module per source, one row per published number."""

from importlib import import_module
from typing import Any

from tttenv.report.published_rows import TITLES
from tttenv.utils.registry import unknown

# A source is a module with a table ROWS of `rows.Row` and a table JOBS of `rows.Job` by name.
SOURCES = {
    "ground": ("scripts.reproduction.solved_game", TITLES["ground"]),
    "S0": ("scripts.reproduction.lms", TITLES["S0"]),
    "S1": ("scripts.reproduction.tictac", TITLES["S1"]),
    "S2": ("scripts.reproduction.notes", TITLES["S2"]),
    "S3": ("scripts.reproduction.cookbook", TITLES["S3"]),
    "S4": ("scripts.reproduction.masked_mlp", TITLES["S4"]),
    "others": ("scripts.reproduction.others", TITLES["others"]),
}


def home(source: str) -> str:
    """Return the name of the module of a source.

    Raises:
        ValueError: for an unknown source, with a list of all sources.
    """
    if source not in SOURCES:
        raise ValueError(unknown("source", source, SOURCES))
    return SOURCES[source][0]


def load(source: str) -> Any:
    """Import the module of a source.

    Raises:
        ValueError: for an unknown source.
    """
    return import_module(home(source))
