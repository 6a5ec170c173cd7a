"""Exact results of two players against each other, in both seats."""

from typing import Any

from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column

Result = dict[str, Any]


def require_small(rules: Any) -> None:
    """Raise ValueError for games too large to enumerate, and suggest commands that sample."""
    from tttenv.exact import solvable

    if not solvable(rules):
        raise ValueError(
            f"{rules} is too large for exact results, which end at 16 cells: tttenv play PLAYER"
            " --versus OTHER --games N or tttenv.certificates.metrics.arena.arena play"
            " sampled games"
        )


def measure(rules: Any, player: Any, other: Any) -> Result:
    """Compute the exact results of `player` against `other` as X and as O.

    Returns:
        "score": win, draw and loss of `player` by seat; "value": wins minus losses.
    """
    from tttenv import score

    as_x, as_o = score(rules, player, other), score(rules, other, player)
    odds = {"X": [as_x.win, as_x.draw, as_x.loss], "O": [as_o.loss, as_o.draw, as_o.win]}
    return {"score": odds, "value": {seat: win - loss for seat, (win, _, loss) in odds.items()}}


def show(player: str, other: str, rules: Any, found: Result) -> None:
    """Print the results."""
    text_tables.say(f"{player} against {other} on {rules}, over all their games:", "  ")
    columns = [
        Column("seat", left=True),
        *(Column(head) for head in ("win %", "draw %", "loss %", "value")),
    ]
    rows = [
        [seat, *map(phrases.share, found["score"][seat]), phrases.value(found["value"][seat])]
        for seat in ("X", "O")
    ]
    text_tables.show(columns, rows)
    text_tables.say(f"seat: that of {player}; value: wins minus losses", "  ")
