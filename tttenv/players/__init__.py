"""Players by name, one table row each, checkpoints by folder, and hints for misspelt names."""

import os
import typing
from collections.abc import Iterable, Iterator
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
# and its row here. Scripts, tests, environments and the benchmark pick it up by its name. Files may
# name these, so a function that starts a program or loads a file belongs to the FOREIGN ones.
# Options are numbers, words of a list, or a `Spec`, which then has to be safe itself.
PLAYERS: Table[Any] = Table(
    "player",
    {
        "random": Row("tttenv.players.baselines:random", "all legal moves equally likely"),
        "first": Row("tttenv.players.baselines:first", "the first empty cell, row by row"),
        "tactical": Row("tttenv.players.baselines:tactical", "win, else block, else random"),
        "minimax": Row("tttenv.players.search.minimax:minimax", "perfect play, by the solved game"),
        "alphabeta": Row("tttenv.players.search.alphabeta:alphabeta", "iterative deepening"),
        "mcts": Row("tttenv.players.search.mcts:mcts", "Monte Carlo tree search with play-outs"),
        "gumbel": Row("tttenv.players.search.gumbel:gumbel", "tree search: Gumbel, PUCT, proofs"),
        "epsilon": Row("tttenv.players.baselines:epsilon", "another player with some random moves"),
        "pairing": Row("tttenv.players.baselines:pairing", "another player that pairs some cells"),
    },
)

SAFE = tuple(PLAYERS)  # that files may name
PYTHON, PROVED = ".py", "proved:"

# Players that need an option naming a file or a program; left out where all players are measured.
FOREIGN: Table[Any] = Table(
    "player",
    {
        "sb3": Row("tttenv.players.stored.sb3:sb3", "a Stable-Baselines3 model, if you trust it"),
        "external": Row("tttenv.players.programs.external:external", "your own program"),
        "python": Row("tttenv.players.programs.python_bot:python", "your own Python file"),
        "gomocup": Row("tttenv.players.programs.gomocup:gomocup", "a Gomocup engine"),
        "onnx": Row("tttenv.players.stored.onnx:onnx", "a network in an ONNX file"),
        "linear": Row("tttenv.players.stored.linear:linear", "a weight for each pattern of a line"),
        "proved": Row("tttenv.players.stored.proved:proved", "the winner's moves in a proof"),
        "llm": Row("tttenv.players.language.llm:llm", "a language model on a chat server"),
        "hf": Row("tttenv.players.language.llm:hf", "a language model in a transformers folder"),
        "hub": Row("tttenv.players.stored.checkpoint:load", "a player of the Hub: hub:OWNER/NAME"),
    },
)


def player(spec: str, rules: "Rules | None" = None) -> "Player":
    """Return the player named by a spec, for the given rules.

    Args:
        spec: `name[:option=value[,option=value]]`, where the name is a row of the table, or of a
            trained player that comes with the package, or the folder of a checkpoint (anything
            with a "/" in it, or a folder that holds a card.json).
        rules: the game to play; None is 3,3,3, or the game of a checkpoint or a proof. Other
            games are played by networks of `alphazero`, and by those of `patterns` with the same k.

    Raises:
        ValueError: for an unknown name or option, a value out of range, a game that the player does
            not play, and for files that are missing, damaged or unsafe.
    """
    if not isinstance(spec, str):
        raise ValueError(f"a player's name must be a string, not {spec!r}")
    found = checkpoint_of(spec)
    if found is None:
        made = _by_name(full(spec), rules or rules_of(spec))
    else:
        from tttenv.players.stored.checkpoint import load  # only if there is a checkpoint to read

        folder, options = found
        made = call(load, f"the player in {shown(folder)}", options, folder, rules)
    made.name = spec
    return made


def full(spec: str) -> str:
    """Return the spec of a Python file that is named by its path alone, or the spec itself."""
    return f"python:path=({spec})" if spec.endswith(PYTHON) and "=" not in spec else spec


def untrusted_player(spec: object, rules: "Rules") -> "Player":
    """Return the player named by an untrusted spec, which `checked_spec` must accept."""
    return _by_name(checked_spec(spec), rules)


def checked_spec(spec: object) -> Spec:
    """Return an untrusted spec, checked.

    Raises:
        ValueError: if it is no text, or names a folder or an unsafe player, also in its options.
    """
    if not isinstance(spec, str):
        raise ValueError(f"a player's name must be a string, not {shown(repr(spec), LONGEST_NAME)}")
    name = spec.partition(":")[0]
    if name not in SAFE:
        named = shown(repr(name), LONGEST_NAME)
        raise ValueError(f"a file must not name the player {named}, only {', '.join(SAFE)}")
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
    """Return the game that a player is for: a checkpoint's or a proof's, 3,3,3 for other names."""
    from tttenv.game.rules import Rules
    from tttenv.players.stored import checkpoint

    if spec.startswith(PROVED):
        from tttenv.proofs import proof_file

        return call(proof_file.rules_of, "proved", parse(spec)[1])
    found = checkpoint_of(spec)
    return Rules() if found is None else checkpoint.rules_of(found[0])


def is_path(spec: str) -> bool:
    """Return whether a spec refers to a proof or a checkpoint, which is not downloaded."""
    return spec.startswith((PROVED, bundled.ON_THE_HUB)) or checkpoint_of(spec) is not None


def of_folders(specs: Iterable[str]) -> list[str]:
    """Return specs, with the checkpoints in place of a folder that only holds their folders."""
    found = []
    for spec in specs:
        cards = sorted(Path(spec).glob(f"*/{bundled.CARD}")) if os.path.isdir(spec) else []
        within = [] if os.path.isfile(os.path.join(spec, bundled.CARD)) else cards
        found += [str(card.parent) for card in within] or [spec]
    return found


def checkpoint_of(spec: str) -> tuple[Path, dict[str, str]] | None:
    """Return the folder and the options of a checkpoint's spec; None for other specs.

    A folder with a card comes before a player of that name, and that before a trained player. A
    player on the Hub is downloaded if necessary.

    Raises:
        ValueError: for invalid options or names, and if the download fails.
    """
    if spec and os.path.isfile(os.path.join(spec, bundled.CARD)):
        return Path(spec), {}
    if f"{spec}:".startswith(bundled.ON_THE_HUB):
        from tttenv.players.stored import hub

        repo, revision, options = hub.split(spec)
        return hub.present(repo, revision), options
    name = full(spec).partition(":")[0]
    if name in _everyone().rows:
        return None  # the path may be inside the options of a named player
    folder = Path(name) if "/" in name else bundled.folder(name)
    if folder is not None:
        return folder, parse(spec)[1]
    return (Path(spec), {}) if "/" in spec else None


def _everyone() -> Table[Any]:
    """Return the table of all named players."""
    return Table("player", PLAYERS.rows | FOREIGN.rows, "or the folder of a checkpoint")


TORCH = (
    "{} is a PyTorch file: weights need their network's code, and loading it may run code in it."
    " Load it in a function of yours that returns the network, and name that: tttenv doctor"
    " my_module:my_network; or certify it in Python: tttenv.certify(rules,"
    " tttenv.policy.from_observations(network, rules)); or export it: onnx:path=model.onnx"
)


@contextmanager
def did_you_mean(spec: str) -> Iterator[None]:
    """Add suggestions to errors about unknown players that are raised in this block.

    Raises:
        ValueError: as in the block, with a suggestion if there is one.
    """
    try:
        yield
    except ValueError as error:
        known = {".onnx": "onnx", ".zip": "sb3", ".safetensors": "proved"}
        ending = os.path.splitext(spec)[1]
        if ending in known and "=" not in spec:
            way = f"{known[ending]}:path={shown(spec)}"
            raise ValueError(f"a file is named with its player: {way}") from None
        if ending in (".pt", ".pth", ".ckpt"):
            raise ValueError(TORCH.format(shown(spec))) from None
        if (found := _near_folder(spec)) is None:
            raise
        raise ValueError(f"{error}; did you mean {found}?") from None


def _near_folder(spec: str) -> Path | None:
    """Return the checkpoint folder with the name closest to this missing one, or None."""
    name = spec.partition(":")[0]
    if "/" not in name or os.path.isfile(Path(name) / bundled.CARD):  # its contents were refused
        return None
    home = Path(name).parent
    found = near(Path(name).name, [card.parent.name for card in home.glob(f"*/{bundled.CARD}")])
    return home / found if found else None
