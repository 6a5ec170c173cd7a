"""Trained players from the Hugging Face Hub: `hub:OWNER/NAME`.

Examples::

    hub:OWNER/NAME
    hub:OWNER/NAME,revision=v1,simulations=64

`tttenv pull` downloads a player; one that is missing on this machine is also downloaded when it is
first named. Afterwards it is used without a network. Only the files of a checkpoint are fetched:
its card and the safetensors that the card names, each checked against its size and SHA-256. They
are untrusted like any other checkpoint: data, never code.
"""

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from tttenv.game.rules import Rules
from tttenv.players.bundled import ON_THE_HUB
from tttenv.players.stored.checkpoint import (
    CARD,
    LARGEST,
    POLICY,
    SNAPSHOTS,
    WEIGHTS,
    checked_card,
    digest,
    file_of,
    load,
    tidy,
)
from tttenv.policy import Player
from tttenv.utils import hub_client, schema
from tttenv.utils.files import write
from tttenv.utils.registry import parse
from tttenv.utils.tensor_file import PREFIX, header
from tttenv.utils.untrusted import LONGEST_JSON, parse_json, shown

REVISION = "main"  # the default branch
PULLED = "pulled.json"  # records the origin of a pulled folder
ROLES = (WEIGHTS, POLICY, SNAPSHOTS)  # of the files that are fetched, without training states
LONGEST_LISTING = 2**22  # maximum bytes of the list of a repository's files
PICKLES = (b"\x80", b"PK\x03\x04")  # first bytes of files of pickle and torch.save
HOW = f"a player on the Hub is named {ON_THE_HUB}OWNER/NAME"
_PART = r"(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,96}"
_REPO = re.compile(f"{_PART}/{_PART}")
_BRANCH = re.compile(f"{_PART}(/{_PART})*")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True)
class Pulled:
    """Origin of a pulled player."""

    endpoint: str  # the address of the Hub, without a password
    repo: str  # OWNER/NAME
    revision: str  # a branch, tag or commit
    commit: str  # the commit that was pulled


def hub(
    rules: Rules,
    repo: str = "",
    revision: str = REVISION,
    canonical: bool = False,
    simulations: int = 0,
    threes: int = 0,
    pairing: bool = False,
) -> Player:
    """Return a trained player from the Hugging Face Hub, downloading it if necessary.

    Args:
        rules: the game.
        repo: the repository, OWNER/NAME; `hub:OWNER/NAME` is short for `hub:repo=OWNER/NAME`.
        revision: a branch, tag or commit.
        canonical: see `tttenv.players.stored.checkpoint.load`, as for the options below.
        simulations: per move, of a tree search guided by the network.
        threes: positions searched for wins by threats before that.
        pairing: play a pairing strategy where one exists.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        ValueError: if there is no such player, or it does not play the rules.
    """
    return load(present(repo, revision), rules, canonical, simulations, threes, pairing)


def split(spec: str) -> tuple[str, str, dict[str, str]]:
    """Return the repository, the revision and the other options of a spec that begins with `hub:`.

    Raises:
        ValueError: for options that cannot be read.
    """
    repo, _, rest = spec.removeprefix(ON_THE_HUB).partition(",")
    if "=" in repo:
        repo, rest = "", spec.removeprefix(ON_THE_HUB)
    options = parse(f"{ON_THE_HUB}{rest}")[1]
    repo = options.pop("repo", repo)
    return repo, options.pop("revision", REVISION), options


def check_names(repo: str, revision: str) -> None:
    """Raise ValueError for an invalid name of a repository or revision."""
    if not _REPO.fullmatch(repo):
        raise ValueError(f"{HOW}, not {shown(repr(repo), 120)}")
    if not _BRANCH.fullmatch(revision):
        raise ValueError(f"{shown(repr(revision), 120)} is not a branch, tag or commit")


def usual_folder(repo: str, revision: str = REVISION) -> Path:
    """Return the default folder of a player pulled from this Hub, in huggingface_hub's asset cache.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        ValueError: for invalid names of a repository or a revision, or an invalid HF_ENDPOINT.
    """
    check_names(repo, revision)
    owner, name = repo.split("/")
    server = quote(hub_client.public(hub_client.endpoint()), safe="")
    at = "" if revision == REVISION else f"@{revision.replace('/', '@')}"  # which no name contains
    return Path(hub_client.settings().HF_ASSETS_CACHE) / "tttenv" / server / owner / f"{name}{at}"


def present(repo: str, revision: str = REVISION) -> Path:
    """Return the folder of a player from the Hub, downloading it if necessary.

    A download is announced by a line on standard error.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        ValueError: if it does not exist, cannot be reached or is not a checkpoint.
    """
    folder = usual_folder(repo, revision)
    if not (folder / CARD).is_file():
        at = hub_client.host(hub_client.endpoint())
        print(f"{repo} is not on this machine yet: downloading it from {at}", file=sys.stderr)
        pull(repo, revision, folder)
    return folder


def came_from(folder: Path) -> Pulled | None:
    """Return the origin of a pulled folder, or None if it has no valid record of one."""
    try:
        return schema.read(folder / PULLED, Pulled, "origin of a player")
    except ValueError:
        return None


def pull(
    repo: str,
    revision: str = REVISION,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Path:
    """Download a trained player from the Hub.

    `folder` changes only after all files have arrived and match the card; until then a player that
    was pulled there before stays complete.

    Args:
        repo: OWNER/NAME.
        revision: a branch, tag or commit.
        folder: missing, empty, or pulled from the same repository before; by default the folder
            that `hub:OWNER/NAME` uses.
        tell: called with the name and size of each file before it is fetched.

    Returns:
        The folder.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        ValueError: in one line, if that is not a checkpoint, it cannot be reached, or the folder
            holds something else.
        OSError: naming a file that cannot be written.
    """
    check_names(repo, revision)
    folder = folder or usual_folder(repo, revision)
    _require_free(folder, repo)
    at = hub_client.endpoint()
    commit, sizes = _listing(at, repo, revision)
    if CARD not in sizes:
        raise ValueError(f"no checkpoint in {repo}: {_instead(sizes)}")

    def fetch(name: str, largest: int) -> bytes:
        return _fetch(
            f"{at}/{repo}/resolve/{commit}/{quote(name)}", repo, name, sizes, largest, tell
        )

    text = fetch(CARD, LONGEST_JSON)
    card = checked_card(parse_json(text, f"{CARD} of {repo}"), f"{CARD} of {repo}")
    roles = [role for role in ROLES if file_of(card, role)]
    if WEIGHTS not in roles:
        raise ValueError(f"no checkpoint in {repo}: its card names no weights")
    folder.parent.mkdir(parents=True, exist_ok=True)
    held = Path(tempfile.mkdtemp(prefix=".pull-", dir=folder.parent))
    try:
        names = []
        for role in roles:
            name = str(file_of(card, role))
            data = fetch(name, LARGEST[role])
            _check(data, f"{name} of {repo}", card["files"][name])
            write(held / name, data)
            names.append(name)
        about = Pulled(hub_client.public(at), repo, revision, commit)
        write(held / PULLED, f"{json.dumps(asdict(about), indent=2)}\n")
        write(held / CARD, text)
        _move(held, folder, [*names, PULLED, CARD])
    finally:
        shutil.rmtree(held, ignore_errors=True)
    return folder


def _require_free(folder: Path, repo: str) -> None:
    """Raise ValueError if a folder holds anything but a player from this repository."""
    taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    origin = came_from(folder) if taken else None
    if taken and (origin is None or origin.repo != repo):
        raise ValueError(
            f"{shown(folder)} does not hold a player from {shown(repo)}: choose another folder with"
            " --out"
        )


def _listing(at: str, repo: str, revision: str) -> tuple[str, dict[str, int]]:
    """Return the commit of a revision, and the sizes of the repository's files by name.

    Raises:
        ValueError: if there is no such repository or the answer is something else.
    """
    url = f"{at}/api/models/{repo}/revision/{quote(revision, safe='')}?blobs=true"
    try:
        answer = hub_client.fetch(url, LONGEST_LISTING)
    except ValueError as error:
        raise ValueError(f"{repo}: {error}") from None
    told = parse_json(answer, f"the answer of {hub_client.host(url)}")
    commit = told.get("sha") if isinstance(told, dict) else None
    files = told.get("siblings") if isinstance(told, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit) or not isinstance(files, list):
        raise ValueError(f"{repo}: {hub_client.host(url)} does not respond like the Hub")
    found = [file for file in files if isinstance(file, dict)]
    return commit, {
        file["rfilename"]: file["size"]
        for file in found
        if isinstance(file.get("rfilename"), str) and type(file.get("size")) is int
    }


def _instead(sizes: Mapping[str, int]) -> str:
    """Describe the contents of a repository without a card."""
    pickles = [name for name in sizes if name.endswith((".bin", ".pt", ".pth", ".pkl", ".zip"))]
    if pickles:
        return f"it has no {CARD}; {shown(pickles[0], 80)} may run code and is not loaded"
    return f"it has no {CARD}"


def _fetch(
    url: str,
    repo: str,
    name: str,
    sizes: Mapping[str, int],
    largest: int,
    tell: Callable[[str], None],
) -> bytes:
    """Download one file of a repository, checking its size against the listing.

    Raises:
        ValueError: if it is missing, too large or of another size.
    """
    size = sizes.get(name)
    if size is None:
        raise ValueError(f"{repo} has no file {name}, which its card names")
    if not 0 <= size <= largest:
        raise ValueError(f"{name} of {repo} is too large: {size:,} bytes, the limit is {largest:,}")
    tell(f"{name}, {size:,} bytes")
    try:
        data = hub_client.fetch(url, size, file=True)
    except ValueError as error:
        raise ValueError(f"{name} of {repo}: {error}") from None
    if len(data) != size:
        raise ValueError(
            f"{name} of {repo} is cut off: only {len(data):,} of {size:,} bytes arrived"
        )
    return data


def _check(data: bytes, name: str, hashed: str) -> None:
    """Raise ValueError unless the data is valid safetensors with the digest that the card gives."""
    if data.startswith(PICKLES) and any(data[3:PREFIX]):  # the length of a header is below 2**24
        raise ValueError(f"{name} is a pickle, which may run code, instead of safetensors")
    if digest(data) != hashed:
        raise ValueError(f"{name} is damaged: its SHA-256 is not the card's")
    header(data, name)


def _move(held: Path, folder: Path, names: list[str]) -> None:
    """Move files into a folder, the card last, so that the checkpoint is complete at all times."""
    folder.mkdir(exist_ok=True)
    try:
        for name in names:
            os.replace(held / name, folder / name)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error
    with contextlib.suppress(OSError):
        tidy(folder, names)
