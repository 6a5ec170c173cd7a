"""Players by name, one table row each, checkpoints by folder, and hints for misspelt names."""

import os
import re
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tttenv.players import bundled
from tttenv.utils.registry import LONGEST_NAME, Row, Spec, Table, call, near, parse, unknown
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:  # help texts need only the table, not the compiler
    from tttenv.game.rules import Rules
    from tttenv.policy import Player

# To add a player: a file in a folder here with a function (rules, option=default, ...) -> Player,
# and its row here. Scripts, tests, environments and the benchmark pick it up by its name. A row is
# safe, so that files may name it, if its function starts no program and loads nothing: its options
# are numbers, words of a list, or a `Spec`, which then has to be safe itself.
PLAYERS: Table[Any] = Table(
    "player",
    {
        "random": Row(
            "tttenv.players.baselines:random", "all legal moves equally likely", safe=True
        ),
        "first": Row(
            "tttenv.players.baselines:first", "the first empty cell, row by row", safe=True
        ),
        "tactical": Row(
            "tttenv.players.baselines:tactical", "win, else block, else random", safe=True
        ),
        "minimax": Row(
            "tttenv.players.search.minimax:minimax",
            "perfect play, looked up in the solved game",
            safe=True,
        ),
        "alphabeta": Row(
            "tttenv.players.search.alphabeta:alphabeta",
            "iterative deepening, open lines beyond it",
            safe=True,
        ),
        "mcts": Row(
            "tttenv.players.search.mcts:mcts",
            "Monte Carlo tree search: UCT with play-outs",
            safe=True,
        ),
        "gumbel": Row(
            "tttenv.players.search.gumbel:gumbel", "tree search: Gumbel, PUCT, proofs", safe=True
        ),
        "epsilon": Row(
            "tttenv.players.baselines:epsilon",
            "another player that sometimes moves at random",
            safe=True,
        ),
        "pairing": Row(
            "tttenv.players.baselines:pairing",
            "another player, with a pairing strategy where one exists",
            safe=True,
        ),
    },
)


# Players that need an option naming a file or a program. They are created by name like all others,
# but are left out where every player is measured.
FOREIGN: Table[Any] = Table(
    "player",
    {
        "sb3": Row(
            "tttenv.players.stored.sb3:sb3", "a model saved by Stable-Baselines3, if you trust it"
        ),
        "external": Row(
            "tttenv.players.programs.external:external",
            "your own program, over standard input and output",
        ),
        "gomocup": Row(
            "tttenv.players.programs.gomocup:gomocup", "a Gomocup engine, for five in a row"
        ),
        "onnx": Row(
            "tttenv.players.stored.onnx:onnx", "a network in an ONNX file, from any framework"
        ),
        "llm": Row(
            "tttenv.players.language.llm:llm", "a language model, over an OpenAI-compatible server"
        ),
        "hf": Row(
            "tttenv.players.language.hf:hf",
            "a language model in a Hugging Face transformers folder",
        ),
        "hub": Row(
            "tttenv.players.stored.hub:hub",
            "a trained player on the Hugging Face Hub: hub:OWNER/NAME",
        ),
    },
)


def player(spec: str, rules: "Rules | None" = None) -> "Player":
    """Return the player named by a spec, for the given rules.

    Args:
        spec: `name[:option=value[,option=value]]`, where the name is a row of the table, or of a
            trained player that comes with the package, or the folder of a checkpoint (anything
            with a "/" in it, or a folder that holds a card.json).
        rules: the game to play; None is 3,3,3, or the game that a checkpoint was trained on. Other
            games are played by networks of `alphazero`, and by those of `patterns` with the same k.

    Raises:
        ValueError: for an unknown player or option, listing the known ones, or a checkpoint that
            is missing, is damaged or plays other rules.
    """
    from tttenv.game.rules import Rules

    if not isinstance(spec, str):
        raise ValueError(f"a player's name must be a string, not {spec!r}")
    found = checkpoint_of(spec)
    if found is None:
        return _by_name(spec, rules or Rules())
    from tttenv.players.stored.checkpoint import load  # only if there is a checkpoint to read

    folder, options = found
    made: Player = call(load, f"the player in {shown(folder)}", options, folder, rules)
    made.name = spec
    return made


def untrusted_player(spec: object, rules: "Rules") -> "Player":
    """Return the player named by an untrusted spec, which `checked_spec` must accept.

    Raises:
        ValueError: for anything else, and as `player`.
    """
    return _by_name(checked_spec(spec), rules)


def checked_spec(spec: object) -> Spec:
    """Return an untrusted spec, which names only safe rows of the table and no folders.

    Raises:
        ValueError: for any other, naming the part that is not safe.
    """
    if not isinstance(spec, str):
        raise ValueError(f"a player's name must be a string, not {shown(repr(spec), LONGEST_NAME)}")
    name, rows = spec.partition(":")[0], _everyone().rows
    if name not in rows or not rows[name].safe:
        safe = ", ".join(known for known, row in rows.items() if row.safe)
        asked = shown(repr(name), LONGEST_NAME)
        raise ValueError(f"a file must not name the player {asked}, only {safe}")
    for option, value in inner_specs(name, parse(spec)[1]).items():
        if option == "evaluator" and value == "lines":
            continue
        checked_spec(value)
        if is_path(value):
            raise ValueError(f"a file must not name the folder {shown(repr(value), LONGEST_NAME)}")
    return Spec(spec)


def inner_specs(name: str, options: dict[str, str]) -> dict[str, str]:
    """Return the options, as text, that themselves name players."""
    table = _everyone()
    hints = typing.get_type_hints(table.load(name)) if options and name in table.rows else {}
    return {option: value for option, value in options.items() if hints.get(option) is Spec}


def _by_name(spec: str, rules: "Rules") -> "Player":
    name, options = parse(spec)
    table = _everyone()
    if name not in table.rows:
        known = [*table, *bundled.names()]
        raise ValueError(unknown("player", name, known, [*known, table.otherwise]))
    from tttenv.policy import player_for

    made = player_for(rules, call(table.load(name), name, options, rules))
    made.name = spec
    return made


def rules_of(spec: str) -> "Rules":
    """Return the game that a player is for: a checkpoint's game, or 3,3,3 for a named player.

    Raises:
        ValueError: if there is no checkpoint in the folder.
    """
    from tttenv.game.rules import Rules
    from tttenv.players.stored import checkpoint

    found = checkpoint_of(spec)
    return Rules() if found is None else checkpoint.rules_of(found[0])


def is_path(spec: str) -> bool:
    """Return whether a spec refers to a checkpoint rather than to a named player.

    Nothing is downloaded.
    """
    return spec.startswith(bundled.ON_THE_HUB) or checkpoint_of(spec) is not None


def checkpoint_of(spec: str) -> tuple[Path, dict[str, str]] | None:
    """Return the folder and the options of a checkpoint's spec; None for other specs.

    A folder with a card is a checkpoint even if it has the name of a player. Names in the table
    take precedence over those of trained players. A player on the Hub is downloaded if necessary.
    """
    if spec and os.path.isfile(os.path.join(spec, bundled.CARD)):
        return Path(spec), {}
    if spec.startswith(bundled.ON_THE_HUB):
        from tttenv.players.stored import hub

        repo, revision, options = hub.split(spec)
        return hub.present(repo, revision), options
    name = spec.partition(":")[0]
    if name in _everyone().rows:
        return None  # the path may be inside the options of a named player
    folder = Path(name) if "/" in name else bundled.folder(name)
    if folder is not None:
        return folder, parse(spec)[1]
    return (Path(spec), {}) if "/" in spec else None


def _everyone() -> Table[Any]:
    """Return the table of all named players."""
    return Table("player", PLAYERS.rows | FOREIGN.rows, "or the folder of a checkpoint")


WEIGHTS = (".pt", ".pth", ".ckpt", ".h5", ".keras", ".npz", ".safetensors")  # network files


@contextmanager
def did_you_mean(spec: str) -> Iterator[None]:
    """Add suggestions to errors about unknown players that are raised in this block.

    For a misspelt checkpoint folder this is the closest one; for a network of another library, the
    player that loads it.
    """
    try:
        yield
    except ValueError as error:
        if words := _from_elsewhere(spec):
            raise ValueError(words) from None
        if (found := _near_folder(spec)) is None:
            raise
        raise ValueError(f"{error}; did you mean {found}?") from None


FILES = {  # the specs of players by the endings of their files
    ".onnx": "a network's file is named with its player: onnx:path={}",
    ".zip": "a model of Stable-Baselines3 is named with its player: sb3:path={},trust=true",
}


def _from_elsewhere(spec: str) -> str | None:
    """Return a hint if a spec names a network file or a module's object, else None."""
    ending, name = os.path.splitext(spec)[1].lower(), shown(spec)
    if "=" in spec or spec.partition(":")[0] in {*_everyone(), *bundled.names()}:
        return None
    if ending in FILES:
        return FILES[ending].format(name)
    if ending in WEIGHTS:
        if not os.path.isfile(spec):
            return f"there is no file {name}"
        return (
            f"{name} holds weights without their network: load both in a module, my_module.py, and"
            " examine it with tttenv doctor my_module:net, or certify it in Python with"
            " tttenv.certify(rules, policy)"
        )
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", spec, re.ASCII):
        return (
            f"{name} is an object of a module: examine it with tttenv doctor {name}, certify it in"
            " Python with tttenv.certify(rules, policy)"
        )
    return None


def _near_folder(spec: str) -> Path | None:
    """Return the checkpoint folder with the name closest to this missing one, or None."""
    name = spec.partition(":")[0]
    if "/" not in name or os.path.isfile(Path(name) / bundled.CARD):  # its contents were refused
        return None
    home = Path(name).parent
    found = near(Path(name).name, [card.parent.name for card in home.glob(f"*/{bundled.CARD}")])
    return home / found if found else None
