"""Checkpoint files: data files, and a card with their digests that is written last.

A checkpoint is a folder with `card.json` (see `Card`; for trainings also with a curve, see
`tttenv.certificates.curve`) and up to four data files:

    weights    what the learner's player needs
    policy     the player's probabilities over `positions(rules)`, on games that can be enumerated
    snapshots  the player's moves at some points of its curve (tttenv.certificates.snapshots)
    state      the learner and the progress of a training run, to resume; only in runs

The folder of a run also contains `run.json`, its settings: see `learners.training.run`.

A data file's name is its role and the beginning of its digest. `commit` writes the new files
beside the old ones, then replaces the card, then removes the old files: a process that is killed in
between leaves a complete checkpoint, old or new.
"""

import contextlib
import hashlib
import importlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, cast

from tttenv.exact import Tabulated, enumerable, positions
from tttenv.game.rules import Rules, require_line_wins
from tttenv.players import bundled
from tttenv.players.search.pairing import PairingPlayer
from tttenv.players.symmetric_player import canonical_player
from tttenv.policy import Player
from tttenv.utils import optional_dependencies
from tttenv.utils.files import write
from tttenv.utils.schema import REPEATED, Meta, checked
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import read_bytes, read_json, shown

CARD = bundled.CARD
RUN = "run.json"  # the settings of a training run, beside its card; never shipped
WEIGHTS, POLICY, STATE, SNAPSHOTS = "weights", "policy", "state", "snapshots"  # of data files
LARGEST = {WEIGHTS: 2**28, POLICY: 2**30, STATE: 2**31, SNAPSHOTS: 2**20}  # bytes of a data file
TRIES = 100  # attempts to read while commits replace the card
DATA_FILE = re.compile(r"(weights|policy|state|snapshots)-([0-9a-f]{16})\.safetensors")
_TEMPORARY = re.compile(rf"\.({re.escape(CARD)}|{re.escape(RUN)}|{DATA_FILE.pattern})\.\w+")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NUMBERS = re.compile(r"\[\n[\s\d.,eE+-]*\]")  # lists in JSON, whose strings contain no newline


class Choice(TypedDict):
    """The rule by which a checkpoint's player chooses a move from its weights."""

    # Within which outputs are ties, see `tttenv.policy.first_best`; None if moves are looked up.
    tolerance: NotRequired[Annotated[float, Meta(ge=0, le=1)] | None]
    canonical: NotRequired[bool]  # see `tttenv.players.symmetric_player`


class Card(TypedDict):
    """Entries of a card that are validated when it is read; a card may have others."""

    learner: str
    preset: str
    config: dict[str, Any]
    rules: str
    steps: Annotated[int, Meta(ge=0)]
    versions: dict[str, Any]
    certificate: dict[str, Any] | None
    files: dict[str, str]
    seconds: NotRequired[Annotated[float, Meta(ge=0)]]
    choice: NotRequired[Choice]


def read_card(folder: Path) -> dict[str, Any]:
    """Return the card of the checkpoint in `folder`.

    Raises:
        ValueError: if there is none, or it is not valid.
    """
    file = folder / CARD
    try:
        found = read_json(file)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(
            f"no checkpoint in {shown(folder)}: a checkpoint is a folder with a {CARD}"
        ) from None
    refusal = f"{shown(file)} is not the card of a checkpoint"
    if wrong := _file_error(checked(Card, found, refusal)["files"]):
        raise ValueError(f"{refusal}: {wrong}")
    return cast("dict[str, Any]", found)  # with what the loop of training adds to it


def read_data(folder: Path, *roles: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return a checkpoint's card and its data files by role, all from the same commit.

    Args:
        folder: of the checkpoint, into which a training may write meanwhile.
        roles: of the data files to read.

    Raises:
        ValueError: if the card is not valid, or a file is missing, damaged or too large.
    """
    for attempt in range(TRIES):  # a training run may replace the checkpoint while it is read
        card = read_card(folder)
        try:
            return card, {role: _read_file(folder, card, role) for role in roles}
        except ValueError:
            if attempt == TRIES - 1 or read_card(folder) == card:
                raise
    raise AssertionError("the last attempt returns or raises")


def file_of(card: Mapping[str, Any], role: str) -> str | None:
    """Return the name of a card's data file with the role `role`, or None."""
    return next((name for name in card["files"] if name.startswith(f"{role}-")), None)


def commit(folder: Path, about: Mapping[str, Any], data: Mapping[str, bytes]) -> None:
    """Write a checkpoint; see the module's docstring.

    Args:
        folder: of the checkpoint, which is made if it is missing.
        about: the entries of its card, without the names of the files.
        data: the contents of its data files by role.
    """
    files = {}
    for role, content in data.items():
        hashed = digest(content)
        name = f"{role}-{hashed[:16]}.safetensors"
        write(folder / name, content)
        files[name] = hashed
    write(folder / CARD, card_text({**about, "files": files}))
    tidy(folder, files)


def card_text(card: Mapping[str, Any]) -> str:
    """Return a card as JSON text, with each list of numbers on one line."""
    text = json.dumps(card, indent=2)
    in_lines = _NUMBERS.sub(lambda found: f"[{' '.join(found[0][1:-1].split())}]", text)
    return f"{in_lines}\n"


def tidy(folder: Path, keep: Iterable[str]) -> None:
    """Remove temporary files left by killed writers, and data files not named in `keep`."""
    kept = set(keep)
    for file in [*folder.glob("*.safetensors"), *folder.glob(".*")]:
        old = DATA_FILE.fullmatch(file.name) and file.name not in kept
        if old or _TEMPORARY.fullmatch(file.name):
            with contextlib.suppress(OSError):
                file.unlink()


def digest(data: bytes) -> str:
    """Return the SHA-256 of a file's contents, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _read_file(folder: Path, card: Mapping[str, Any], role: str) -> bytes:
    name = file_of(card, role)
    if name is None:
        raise ValueError(f"{shown(folder / CARD)} names no {role} file")
    file = shown(folder / name)
    try:
        data = read_bytes(folder / name, LARGEST[role])
    except FileNotFoundError:
        raise ValueError(f"{file} cannot be read: there is no such file") from None
    except MemoryError:
        raise ValueError(f"{file} is too large for this machine's memory") from None
    if digest(data) != card["files"][name]:
        raise ValueError(
            f"{file} is damaged or from another checkpoint: its SHA-256 is not the card's"
        )
    return data


def _file_error(files: Mapping[str, str]) -> str | None:
    """Return what is wrong with the names and digests of data files, or None."""
    roles = []
    for name, hashed in files.items():
        named = DATA_FILE.fullmatch(name)
        if not named or not _DIGEST.fullmatch(hashed):
            return f"it names the file {shown(repr(name), REPEATED)}"
        if not hashed.startswith(named.group(2)):
            return f"the name and the SHA-256 of {name} differ"
        roles.append(named.group(1))
    return None if len(set(roles)) == len(roles) else "it names two files of one role"


def plays_canonically(card: Mapping[str, Any]) -> bool:
    """Return whether a card's player is queried only on the canonical image of each board."""
    return bool(card.get("choice", {}).get("canonical", False))


TYPES = ("U8", "F32", "F64")  # of a policy's probabilities


def load(
    folder: Path,
    rules: Rules | None = None,
    canonical: bool = False,
    simulations: int = 0,
    threes: int = 0,
    pairing: bool = False,
) -> Player:
    """Return the player of the checkpoint in `folder`, without running any code from it.

    Args:
        folder: of the checkpoint.
        rules: the game to play; None is the one it was trained on, and others are only possible
            for learners whose weights work on any board, such as alphazero's.
        canonical: query it only on one image of a board, see `tttenv.players.symmetric_player`.
        simulations: per move, of a tree search guided by the network; 0 for the network alone.
        threes: positions searched for wins by threats and threes before the tree search, half of
            them for such wins of the other side; 0 for none.
        pairing: play a pairing strategy where one exists; see `tttenv.players.search.pairing`.

    Raises:
        ValueError: for a damaged checkpoint, a game that its learner does not play, and a network
            where PyTorch is not installed.
    """
    trained = rules_of(folder)
    wanted = rules or trained
    require_line_wins(wanted, "a checkpoint")
    # A game that is too large for a table is played by evaluating the network.
    if wanted == trained and enumerable(trained) and not simulations and not threes:
        made = _of_table(folder, trained)
    else:
        made = _of_weights(folder, wanted, simulations, threes)
    on_images = canonical or plays_canonically(read_card(folder))
    found = canonical_player(made) if on_images and not made.traits.equivariant else made
    return PairingPlayer(found) if pairing else found


def _of_table(folder: Path, trained: Rules) -> Player:
    """Return a checkpoint's player as a table of moves, for small games."""
    card, data = read_data(folder, POLICY)
    if Rules.of(card["rules"]) != trained:
        raise ValueError(f"the checkpoint in {shown(folder)} has just been replaced")
    file, shape = folder / str(file_of(card, POLICY)), positions(trained).boards.shape
    found = header(data[POLICY], file)
    kind = next((kind for kind in TYPES if (kind, shape) in found.tensors.values()), TYPES[-1])
    arrays = found.arrays({"policy": (kind, shape)}, f"{shown(file)} holds no policy on {trained}")
    try:
        return Tabulated(trained, arrays["policy"])
    except ValueError as error:
        raise ValueError(f"{shown(file)} has no valid policy: {shown(error)}") from None


def _of_weights(folder: Path, rules: Rules, simulations: int, threes: int) -> Player:
    """Return a checkpoint's player that plays from its weights, with or without a tree search."""
    try:
        rebuild = importlib.import_module("learners.training.checkpoint").load_policy
    except ImportError as error:
        if (sentence := optional_dependencies.to_install(error)) is None:
            raise
        raise ValueError(f"the player in {shown(folder)} is a network: {sentence}") from None
    return cast("Player", rebuild(folder, simulations, threes, rules))


def rules_of(folder: Path) -> Rules:
    """Return the game of the checkpoint in `folder`.

    Raises:
        ValueError: if its card is not valid.
    """
    text = read_card(folder)["rules"]
    try:
        return Rules.of(text)
    except ValueError as error:
        raise ValueError(f"{shown(folder)}: {shown(error)}") from None
