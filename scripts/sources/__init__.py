"""The published experiments as tables: a module a source, a row a number that it prints."""

from importlib import import_module
from typing import Any

from tttenv.registry import unknown

# A source is a module with a table ROWS of `rows.Row` and a table JOBS of `rows.Job` by name.
SOURCES = {
    "ground": ("sources.ground", "The solved game, by which all claims are judged"),
    "S0": ("sources.lms", "S0  LMS, seven features"),
    "S1": ("sources.tictac", "S1  minimax with a cache, Q-table, MCTS, network"),
    "S2": ("sources.notes", "S2  lecture notes: searches, MCTS, TD(0), genetic algorithm"),
    "S3": ("sources.cookbook", "S3  supervised classifier of best replies"),
    "S4": ("sources.masked_mlp", "S4  masked one-hot MLPs, self-play"),
    "others": ("sources.others", "What existing learners are worth"),
}


def home(source: str) -> str:
    """The name of a source's module.

    Raises:
        ValueError: for an unknown one, listing those there are.
    """
    if source not in SOURCES:
        raise ValueError(unknown("source", source, SOURCES))
    return SOURCES[source][0]


def load(source: str) -> Any:
    """The module of a source.

    Raises:
        ValueError: for an unknown one.
    """
    return import_module(home(source))
