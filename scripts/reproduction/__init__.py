"""Published experiments to reproduce: one module per source, one row per published number."""

from importlib import import_module
from typing import Any

from tttenv.utils.registry import unknown

# Modules of this folder by source; each has tables ROWS of `rows.Row` and JOBS of `rows.Job`.
SOURCES = {
    "ground": "solved_game",
    "S0": "lms",
    "S1": "tictac",
    "S2": "notes",
    "S3": "cookbook",
    "S4": "masked_mlp",
    "others": "others",
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
