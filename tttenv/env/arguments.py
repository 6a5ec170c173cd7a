"""Validation of calls and arguments: closed environments, opponents, actions and boards."""

from typing import Any, Literal, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Policy
from tttenv.utils.arrays import described, one_of, real_numbers

Seat: TypeAlias = Literal["X", "O", "random"]
Illegal: TypeAlias = Literal["lose", "raise"]


def at_least_one_game(number: int) -> None:
    """Raise ValueError unless `number` is a positive integer."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 1:
        raise ValueError(f"a match must have at least one game, not {described(number)}")


def one_action(action: Any) -> NDArray[Any]:
    """Return the action of a single game as an array (1,) of integers.

    Raises:
        ValueError: unless it is a single integer.
    """
    given = real_numbers("actions", action)
    if given.size != 1 or given.dtype.kind not in "iu":
        raise ValueError(f"an action must be the number of a cell, not {described(action)}")
    return given.reshape(1)


def resolve_opponent(opponent: str | Policy | None, rules: Rules) -> Policy | None:
    """Return the player named by a spec; return a policy or None unchanged.

    Raises:
        ValueError: for an unknown player, or an object that cannot play.
    """
    if opponent is not None and not isinstance(opponent, str) and not callable(opponent):
        raise ValueError(
            f"an opponent must be a player's spec, a policy or None, not {described(opponent)}"
        )
    if not isinstance(opponent, str):
        return opponent
    from tttenv.players import player  # which a match alone does not need

    return player(opponent, rules)


def checked_boards(rules: Rules, games: int, boards: ArrayLike, seat: str | None) -> Boards:
    """Validate boards to continue from, and return them as an array (games, cells).

    Args:
        rules: the game.
        games: the number of games.
        boards: one board (cells,) for all games, or one for each (games, cells).
        seat: the side to move, if it is to be checked: X or O.

    Raises:
        ValueError: if a board is unreachable or finished, or `seat` is not the side to move.
    """
    given = real_numbers("boards", boards)
    if given.size == rules.cells:
        given = given.reshape(1, -1)
    elif given.shape[:1] != (games,) or not given.size:
        raise ValueError(f"{games} boards are expected, not shape {given.shape}")
    checked = rules.check_all(given.reshape(len(given), -1))
    if seat is not None:
        one_of("seat", seat, ("X", "O"))
        others = checked[rules.seat(checked) != ("X", "O").index(seat)]
        if len(others):
            raise ValueError(f"it is not the turn of seat {seat} on {rules.format(others[0])}")
    return np.broadcast_to(checked, (games, rules.cells))


def require_open(closed: bool) -> None:
    """Raise gymnasium.error.ClosedEnvironmentError if an environment is closed."""
    if closed:
        raise gymnasium.error.ClosedEnvironmentError("the environment is closed: make a new one")


def require_game(closed: bool, going: bool, told: str = "call reset() first") -> None:
    """Raise unless an environment is open and has a game in progress.

    Args:
        closed: whether the environment is closed.
        going: whether a game is in progress.
        told: what the error says.

    Raises:
        gymnasium.error.ClosedEnvironmentError: if it is closed.
        gymnasium.error.ResetNeeded: if there is no game.
    """
    require_open(closed)
    if not going:
        raise gymnasium.error.ResetNeeded(told)
