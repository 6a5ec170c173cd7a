"""The players that can be named: one file each, one row each, and checkpoints by their folder."""

from pathlib import Path
from typing import Any

from tttenv.policy import Policy
from tttenv.registry import Row, Table, call, parse
from tttenv.rules import Rules

# To add a player: a file in this folder with a function (rules, option=default, ...) -> Policy,
# and its row here. Scripts, tests, environments and the benchmark pick it up by its name.
OPPONENTS: Table[Any] = Table(
    "player",
    {
        "random": Row("tttenv.opponents.random:random", "every legal move alike"),
        "first": Row("tttenv.opponents.first:first", "the first empty cell, row by row"),
        "tactical": Row("tttenv.opponents.tactical:tactical", "win, else block, else random"),
        "minimax": Row(
            "tttenv.opponents.minimax:minimax", "perfect play, looked up in the solved game"
        ),
        "epsilon": Row(
            "tttenv.opponents.epsilon:epsilon", "another player that sometimes moves at random"
        ),
    },
)


def player(spec: str, rules: Rules | None = None) -> Policy:
    """The player a spec names, on `rules` (3,3,3 if left out).

    Args:
        spec: `name[:option=value[,option=value]]`, or the folder of a checkpoint (anything with
            a "/" in it, or a folder that holds a card.json).
        rules: the game it is to play.

    Raises:
        ValueError: for an unknown player or option, listing the known ones, or a checkpoint that
            is missing, damaged or of other rules.
    """
    rules = rules or Rules()
    if not isinstance(spec, str):
        raise ValueError(f"a player is named by a text, not {spec!r}")
    if is_path(spec):
        from tttenv.opponents.checkpoint import load

        return load(Path(spec), rules)
    name, options = parse(spec)
    made: Policy = call(OPPONENTS.load(name), name, options, rules)
    return made


def is_path(spec: str) -> bool:
    """Whether a spec means a checkpoint's folder rather than a name of the table."""
    outside = spec.partition(":")[0] if spec.partition(":")[0] in OPPONENTS.rows else spec
    return "/" in outside or (Path(spec) / "card.json").is_file()
