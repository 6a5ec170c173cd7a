"""Exact results against named players, seat by seat."""

from tttenv.exact import Score, score
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import Policy

RIVALS = ("tactical", "first")  # the certificate covers random and perfect


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """Compute the expected result against each rival: `exact/value_vs_tactical_X` etc."""
    found = {}
    for name in RIVALS:
        for seat, result in versus(rules, policy, player(name, rules)).items():
            found[f"exact/value_vs_{name}_{seat}"] = result.value
    return found


def versus(rules: Rules, policy: Policy, other: Policy) -> dict[str, Score]:
    """Compute the exact results of `policy` against `other`, by the seat of `policy`.

    Raises:
        ValueError: if the game is too large to enumerate.
    """
    as_o = score(rules, other, policy)
    return {"X": score(rules, policy, other), "O": Score(as_o.loss, as_o.draw, as_o.win)}
