"""Exact facts about weights and boards that the claims about the seven features use."""

import json
from fractions import Fraction
from typing import Any

import numpy as np

from scripts.seven_features.features import RULES, Question, features, player
from scripts.seven_features.losses import reach
from tttenv import certify
from tttenv.exact import positions, solve


def contrast(board: str, keeping: int, losing: int) -> dict[str, Any]:
    """Compare the features of a value-preserving move with those of a losing one.

    Raises:
        ValueError: if they do not, or if not all moves that keep it have the same features.
    """
    game, seen = positions(RULES), features()
    at = int(game.index(RULES.parse(board)))
    keeps = solve(RULES).optimal[at]
    require(bool(keeps[keeping] and not keeps[losing]), f"cells {keeping} and {losing} on {board}")
    kept, lost = seen[game.successors[at][keeps]], seen[game.successors[at][losing]]
    require(bool((kept == kept[0]).all()), f"the moves that keep {board} look different")
    return {
        "board": board,
        "keeps": np.flatnonzero(keeps).tolist(),
        "loses": losing,
        "difference": (kept[0] - lost).tolist(),
    }


def losses(weights: list[float]) -> Fraction:
    """Return the exact fraction of games that these weights lose as O against random moves."""
    cells = player(weights).table.argmax(axis=1)
    question = Question("O")
    return reach(question, dict(enumerate(cells.tolist())))[1]


def certificate(weights: list[float], added: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the certificate of weights, JSON-serializable."""
    found: dict[str, Any] = json.loads(json.dumps(certify(RULES, player(weights, added)).to_dict()))
    return found


def require(holds: bool, otherwise: str) -> None:
    """Raise ValueError with the message `otherwise` unless the condition holds."""
    if not holds:
        raise ValueError(otherwise)
