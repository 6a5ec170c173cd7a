"""The players that can be named: one file each, one row each, and checkpoints by their folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tttenv.registry import Row, Table, call, parse

if TYPE_CHECKING:  # help texts need the table alone, and not the compiler
    from tttenv.policy import Policy
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
        "alphabeta": Row(
            "tttenv.opponents.alphabeta:alphabeta", "iterative deepening, open lines beyond it"
        ),
        "mcts": Row("tttenv.opponents.mcts:mcts", "Monte Carlo tree search: UCT with play-outs"),
        "epsilon": Row(
            "tttenv.opponents.epsilon:epsilon", "another player that sometimes moves at random"
        ),
    },
)

# Players that need something from outside, so that their name alone makes none: they are played
# by name as all others, but left out where every player is measured.
FOREIGN: Table[Any] = Table(
    "player",
    {
        "sb3": Row(
            "tttenv.opponents.sb3:sb3", "a model saved by Stable-Baselines3, if you trust it"
        ),
        "external": Row(
            "tttenv.opponents.external:external",
            "a program of yours, over standard input and output",
        ),
    },
)


def player(spec: str, rules: "Rules | None" = None) -> "Policy":
    """The player a spec names, on `rules`.

    Args:
        spec: `name[:option=value[,option=value]]`, or the folder of a checkpoint (anything with
            a "/" in it, or a folder that holds a card.json).
        rules: the game it is to play; None is 3,3,3, or what a checkpoint was trained for.

    Raises:
        ValueError: for an unknown player or option, listing the known ones, or a checkpoint that
            is missing, damaged or of other rules.
    """
    from tttenv.rules import Rules

    if not isinstance(spec, str):
        raise ValueError(f"a player is named by a text, not {spec!r}")
    if is_path(spec):
        from tttenv.opponents.checkpoint import load  # reads files: only where there is one

        return load(Path(spec), rules)
    name, options = parse(spec)
    made: Policy = call(_everyone().load(name), name, options, rules or Rules())
    return made


def rules_of(spec: str) -> "Rules":
    """The game a player is for: a checkpoint's own, 3,3,3 for players by name.

    Raises:
        ValueError: if there is no checkpoint in the folder.
    """
    from tttenv.card import read_card
    from tttenv.rules import Rules

    if not is_path(spec):
        return Rules()
    return Rules.of(str(read_card(Path(spec))["rules"]))


def is_path(spec: str) -> bool:
    """Whether a spec means a checkpoint's folder rather than a name of the table."""
    if spec.partition(":")[0] in _everyone().rows:
        return False  # a path may stand inside the options of a named player
    return "/" in spec or (Path(spec) / "card.json").is_file()


def _everyone() -> Table[Any]:
    """All players that can be named."""
    return Table("player", OPPONENTS.rows | FOREIGN.rows)
