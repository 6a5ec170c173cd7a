"""Trained players on the Hugging Face Hub: `hub:OWNER/NAME`, downloads and uploads.

A spec may have a revision and options: `hub:OWNER/NAME,revision=v1,simulations=64`. A player that
is missing on this machine is downloaded when it is first named, and then used without a network.
Only its card and the safetensors that the card names are fetched, each of bounded size and checked
against its SHA-256. `huggingface_hub` provides the address (HF_ENDPOINT) and the token.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from tttenv.players.bundled import ON_THE_HUB
from tttenv.players.stored import checkpoint
from tttenv.utils.registry import parse
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import LONGEST_JSON, shown

if TYPE_CHECKING:
    from huggingface_hub import HfApi

REVISION = "main"  # the default branch
ROLES = (checkpoint.WEIGHTS, checkpoint.POLICY, checkpoint.SNAPSHOTS)  # no training states
_PART = r"(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,96}"
_REPO = re.compile(f"{_PART}/{_PART}")
_BRANCH = re.compile(f"{_PART}(/{_PART})*")
_LOG_IN = "log in by `hf auth login`, or set HF_TOKEN"


def split(spec: str) -> tuple[str, str, dict[str, str]]:
    """Return the repository, the revision and the other options of a spec `hub:...`."""
    repo, _, rest = spec.removeprefix(ON_THE_HUB).partition(",")
    options = parse(f"{ON_THE_HUB}{rest}")[1]
    return repo, options.pop("revision", REVISION), options


def check_names(repo: str, revision: str = REVISION) -> None:
    """Raise ValueError for an invalid name of a repository or revision."""
    if not _REPO.fullmatch(repo):
        raise ValueError(f"a player on the Hub is named {ON_THE_HUB}OWNER/NAME, not {repo!r}")
    if not _BRANCH.fullmatch(revision):
        raise ValueError(f"{revision!r} is not a branch, tag or commit")


def address() -> str:
    """Return the address of the Hub, without a user and password."""
    from huggingface_hub import constants

    parts = urlsplit(str(constants.ENDPOINT))
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def usual_folder(repo: str, revision: str = REVISION) -> Path:
    """Return the default folder of a player pulled from this Hub."""
    from huggingface_hub import constants

    check_names(repo, revision)
    at = "" if revision == REVISION else f"@{revision.replace('/', '@')}"  # which no name contains
    server = quote(address(), safe="")
    return Path(constants.HF_ASSETS_CACHE) / "tttenv" / server / f"{repo}{at}"


def present(repo: str, revision: str = REVISION) -> Path:
    """Return the folder of a player from the Hub, downloading it if necessary, and saying so."""
    folder = usual_folder(repo, revision)
    if not (folder / checkpoint.CARD).is_file():
        print(f"{repo} is not on this machine: downloading it from {address()}", file=sys.stderr)
        pull(repo, revision, folder)
    return folder


def pull(
    repo: str,
    revision: str = REVISION,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[Path, str]:
    """Download a player from the Hub to an empty or its usual folder; return it and the commit."""
    check_names(repo, revision)
    if folder and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not empty: choose another folder with --out")
    folder = folder or usual_folder(repo, revision)
    with _library(repo) as api:
        info = api.model_info(repo, revision=revision, files_metadata=True)
        commit, sizes = str(info.sha), {file.rfilename: file.size for file in info.siblings or ()}

    def fetch(name: str, limit: int) -> None:
        size = sizes.get(name)
        if size is None:
            raise ValueError(f"no checkpoint in {repo}: it has no {name}")
        if size > limit:
            raise ValueError(f"{name} of {repo} is too large: {size:,} bytes, not {limit:,}")
        tell(f"{name}, {size:,} bytes")
        with _library(repo) as api:
            api.hf_hub_download(repo, name, revision=commit, local_dir=held)

    folder.parent.mkdir(parents=True, exist_ok=True)
    held = Path(tempfile.mkdtemp(prefix=".pull-", dir=folder.parent))
    try:
        fetch(checkpoint.CARD, LONGEST_JSON)
        card = checkpoint.read_card(held)
        files = {role: name for role in ROLES if (name := checkpoint.file_of(card, role))}
        for role, name in files.items():
            fetch(name, checkpoint.LARGEST[role])
        for role, data in checkpoint.read_data(held, *files)[1].items():
            header(data, files[role])
        folder.mkdir(exist_ok=True)
        for name in (*files.values(), checkpoint.CARD):  # the card last: always a whole checkpoint
            os.replace(held / name, folder / name)
        checkpoint.tidy(folder, files.values())
    finally:
        shutil.rmtree(held, ignore_errors=True)
    return folder, commit


def upload(repo: str, files: Mapping[str, bytes], private: bool) -> str:
    """Commit the files of a checkpoint, contents by name, to a repository; return the commit."""
    with tempfile.TemporaryDirectory() as folder, _library(repo) as api:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        api.create_repo(repo, private=private or None, exist_ok=True)
        made = api.upload_folder(
            repo_id=repo,
            folder_path=folder,
            commit_message="A player certified by tttenv",
            delete_patterns=[f"{role}*.safetensors" for role in checkpoint.LARGEST],
        )
        return str(made.oid)


@contextlib.contextmanager
def _library(repo: str) -> Iterator["HfApi"]:
    """Yield the library's client, and turn its errors into one line without the server's words."""
    from huggingface_hub import HfApi, errors, utils

    at, bars = address(), not utils.are_progress_bars_disabled()
    utils.disable_progress_bars()
    try:
        yield HfApi(library_name="tttenv")
    except errors.OfflineModeIsEnabled:
        reason = f"{at} is not contacted, because HF_HUB_OFFLINE is set"
    except errors.LocalTokenNotFoundError:
        reason = f"{at} needs a token: {_LOG_IN}"
    except errors.HfHubHTTPError as error:
        status = getattr(error.response, "status_code", 0)
        hint = f", not found or not allowed: {_LOG_IN}" if status in (401, 403, 404) else ""
        reason = f"{at} answers {status}{hint}"
    except Exception as error:  # a message could repeat the token
        if isinstance(error, OSError) and error.errno:
            raise
        reason = f"{at} cannot be reached or is not a Hub: {type(error).__name__}"
    else:
        return
    finally:
        if bars:
            utils.enable_progress_bars()
    raise ValueError(f"{repo}: {shown(reason)}")
