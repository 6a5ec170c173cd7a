"""What a match refuses: settings it does not know and actions off the board."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.arrays import described, real_numbers
from tttenv.game.rules import Rules
from tttenv.kernels.types import Cells


def one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    """Let a known setting pass.

    Raises:
        ValueError: for others, listing the known ones.
    """
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, not {described(value)}")


def at_least_one(what: str, number: int) -> None:
    """Let a whole number from 1 on pass.

    Raises:
        ValueError: for anything else.
    """
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 1:
        raise ValueError(f"a match has at least one {what}, not {described(number)}")


def one_action(action: Any) -> NDArray[Any]:
    """The action of a single game as a batch of one (1,), of any type.

    Raises:
        ValueError: for anything but one number.
    """
    given = real_numbers("actions", action)
    if given.size != 1:
        raise ValueError(f"an action is one cell, not {described(action)}")
    return given.reshape(1)


def on_board(actions: ArrayLike, games: int, rules: Rules) -> Cells:
    """The actions (games,) as cells of the board, empty or not.

    Raises:
        ValueError: for a wrong shape or type, or a cell off the board, naming its game.
    """
    plain = type(actions) is np.ndarray  # as in nearly every step, where looking costs time
    given = np.asarray(actions) if plain else real_numbers("actions", actions)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise ValueError(f"actions are {games} whole numbers, not {given.dtype} of {given.shape}")
    cells = np.ascontiguousarray(given, np.int64)
    if cells.view(np.uint64).max() >= rules.cells:  # negative ones look huge
        game = int(np.flatnonzero((cells < 0) | (cells >= rules.cells))[0])
        raise ValueError(
            f"action {cells[game]} of game {game} is off the board: 0 to {rules.cells - 1}"
        )
    return cells
