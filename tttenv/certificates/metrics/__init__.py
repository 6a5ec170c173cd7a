"""Metrics of a player, shown in TensorBoard and cards: numbers by tag, of any board."""

from typing import Any

from tttenv.certificates.certificate import certify
from tttenv.certificates.metric_table import METRICS, description, flat
from tttenv.exact import enumerable
from tttenv.exact.tabular import table_of
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import Policy

__all__ = ["METRICS", "description", "flat", "measure"]


def measure(rules: Rules, policy: Policy | str | Any) -> dict[str, float]:
    """Compute all exact metrics if the game is enumerable, else all sampled and attack metrics.

    Args:
        rules: the game.
        policy: a function of boards, a name or a model, as in `tttenv.certify`.

    Returns:
        The numbers by tag, such as `exact/worst_case_O` or `sampled/value_vs_random_X`.

    Raises:
        ValueError: if the player plays another game, or cannot be certified on an enumerable one.
    """
    small, player = enumerable(rules), as_player(rules, policy)
    if small:
        player = table_of(player)
    found = flat(certify(rules, player)) if small else {}
    for metric in (metric for metric in METRICS if not metric.title):
        if metric.larger != small:
            found |= metric.measured(rules, player)
    return found
