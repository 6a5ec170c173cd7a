"""Checks that an environment is open and, before a step, that a game is in progress."""

import gymnasium


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
