"""Exact results of players that are named, functions or models: `tttenv.score` and its kin."""

from typing import Any

from tttenv import exact
from tttenv.exact import Score
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import Policy


def score(rules: Rules, first: Policy | str | Any, second: Policy | str | Any) -> Score:
    """Return the exact win, draw and loss probabilities of `first` (X) against `second` (O).

    Args:
        rules: a game of up to 16 cells.
        first: the player of X: a function of boards, a name or a model, as in `tttenv.certify`.
        second: the player of O.

    Raises:
        ValueError: for a larger game, and for a player that is not a function of the board.
    """
    return exact.score(rules, as_player(rules, first), as_player(rules, second))


def worst_case(rules: Rules, policy: Policy | str | Any) -> dict[str, float]:
    """Return a player's value against a best response, by seat.

    Args:
        rules: a game of up to 16 cells.
        policy: the player: a function of boards, a name or a model, as in `tttenv.certify`.

    Raises:
        ValueError: for a larger game, and for a player that is not a function of the board.
    """
    return exact.worst_case(rules, as_player(rules, policy))
