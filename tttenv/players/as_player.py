"""Conversion of specs, functions, networks and models to players, and their exact results."""

import importlib
from typing import Any, cast

from tttenv.exact.determinism import tabulate_pure
from tttenv.exact.evaluation import Score, score_of, worst_case_of
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.players import player
from tttenv.policy import (
    FunctionPlayer,
    Player,
    Policy,
    display_name,
    is_network,
    player_for,
    validated,
)
from tttenv.utils.arrays import described
from tttenv.utils.untrusted import first_line, shown

LONGEST_REASON = 200  # maximum characters of a foreign text in a message


def as_player(rules: Rules, something: Any) -> Player:
    """Convert something to a player.

    Args:
        rules: the game.
        something: a spec, a function of boards, a network or a Stable-Baselines3 model.

    Raises:
        ValueError: for anything else, and for a player of another game.
    """
    if isinstance(something, str):
        return player(something, rules)
    if isinstance(something, Player):
        return player_for(rules, something)
    if hasattr(something, "policy") and hasattr(something, "predict"):  # Stable-Baselines3's
        adapter = importlib.import_module("tttenv.adapters.sb3")
        return cast("Player", adapter.policy(something, rules))
    if isinstance(something, type) or not callable(something):
        raise ValueError(
            "a player must be a name, a function from boards (batch, cells) to move probabilities,"
            f" or a model, not {described(something)}"
        )
    if is_network(something):
        return _called_with_boards(rules, something)
    return player_for(rules, something)


def score(rules: Rules, first: Policy | str | Any, second: Policy | str | Any) -> Score:
    """Return the exact win, draw and loss probabilities of `first` (X) against `second` (O).

    Args:
        rules: a game of up to 16 cells.
        first: the player of X: a function of boards, a name or a model, as in `tttenv.certify`.
        second: the player of O.

    Raises:
        ValueError: for a larger game, and for a player that is not a function of the board.
    """
    return score_of(as_player(rules, first), as_player(rules, second))


def worst_case(rules: Rules, policy: Policy | str | Any) -> dict[str, float]:
    """Return a player's value against a best response, by seat.

    Args:
        rules: a game of up to 16 cells.
        policy: the player: a function of boards, a name or a model, as in `tttenv.certify`.

    Raises:
        ValueError: for a larger game, and for a player that is not a function of the board.
    """
    return worst_case_of(tabulate_pure(as_player(rules, policy)))


def _called_with_boards(rules: Rules, net: Any) -> Player:
    """Turn a torch module that takes boards into a player with helpful error messages."""

    def policy(boards: Boards) -> Probs:
        try:
            return validated(boards, net(boards.copy()))
        except Exception as error:  # a network may raise anything for an array of boards
            reason = shown(first_line(error), LONGEST_REASON)
            raise ValueError(
                "this network returns no move probabilities for boards; if it reads observations,"
                " wrap it: tttenv.policy.from_observations(net, rules, obs=..., kind=...)"
                f" ({type(net).__name__}: {reason})"
            ) from error

    return FunctionPlayer(rules, policy, name=display_name(net))
