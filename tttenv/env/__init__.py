"""Gymnasium environments for m,n,k-games: `TicTacToe`, `VectorTicTacToe` and their wrappers."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tttenv.env.env import TicTacToe
    from tttenv.env.exploring_starts import ExploringStarts, VectorExploringStarts
    from tttenv.env.vector import VectorTicTacToe

__all__ = ["ExploringStarts", "TicTacToe", "VectorExploringStarts", "VectorTicTacToe"]
_HOMES = {
    "ExploringStarts": "tttenv.env.exploring_starts",
    "TicTacToe": "tttenv.env.env",
    "VectorExploringStarts": "tttenv.env.exploring_starts",
    "VectorTicTacToe": "tttenv.env.vector",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:  # lazy: games between players need no spaces
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
