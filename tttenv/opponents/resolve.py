"""What people hand in where a player is wanted: a name, a function, a model; made a policy."""

import importlib
from typing import Any, cast

from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards, Probs
from tttenv.opponents import player
from tttenv.policy import Policy, is_network, validated
from tttenv.untrusted import shown

LONGEST_REASON = 200  # characters that a message repeats of what a stranger's object says
WANTED = "a name, a function from boards (batch, cells) to move probabilities, or a model"


def given(rules: Rules, something: Any) -> Policy:
    """The policy of whatever was handed in as a player.

    Args:
        rules: the game it is to play.
        something: a player's spec; a function from boards to probabilities, also one that is a
            torch module; or a model of Stable-Baselines3.

    Raises:
        ValueError: for an unknown name, or something that is no player, saying what would be.
    """
    if isinstance(something, str):
        return player(something, rules)
    if hasattr(something, "policy") and hasattr(something, "predict"):  # Stable-Baselines3's
        adapter = importlib.import_module("tttenv.adapters.sb3")
        return cast("Policy", adapter.policy(something, rules))
    if isinstance(something, type) or not callable(something):
        raise ValueError(f"a player is handed in as {WANTED}, not {_described(something)}")
    return _asked_about_boards(something) if is_network(something) else cast("Policy", something)


def _described(something: Any) -> str:
    """One line on anything, whatever its own `repr` does."""
    try:
        said = repr(something)
    except Exception:  # of somebody else's class
        said = f"a {type(something).__name__}"
    return shown(" ".join(said.split()), LONGEST_REASON)


def _asked_about_boards(net: Any) -> Policy:
    def policy(boards: Boards) -> Probs:
        try:
            return validated(boards, net(boards.copy()))
        except Exception as error:  # whatever a network says of an array of boards
            said = shown((str(error).splitlines() or [""])[0], LONGEST_REASON)
            raise ValueError(f"{HINT} ({type(net).__name__}: {said})") from error

    return policy


HINT = (
    "a network that is asked about boards answers move probabilities; one over the environment's"
    " observations becomes a player by tttenv.policy.from_observations(net, rules)"
)
