"""The environments `TicTacToe` and `VectorTicTacToe`, and the games in progress behind both."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tttenv.env.env import TicTacToe
    from tttenv.env.vector import VectorTicTacToe

__all__ = ["TicTacToe", "VectorTicTacToe"]
_HOMES = {"TicTacToe": "tttenv.env.env", "VectorTicTacToe": "tttenv.env.vector"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:  # lazy: games between players need no spaces
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
