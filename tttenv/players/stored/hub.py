"""Trained players on the Hugging Face Hub: `hub:OWNER/NAME`, downloads and uploads.

A spec may have a revision and options: `hub:OWNER/NAME,revision=v1,simulations=64`. A player that
is missing on this machine is downloaded when it is first named, and then used without a network.
Only its card and the safetensors that the card names are fetched, each checked against its SHA-256.
A download ends as soon as the server sends more than the size that it stated, or is too slow.
`huggingface_hub` provides the address (HF_ENDPOINT), the client and the token.
"""

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING, Annotated, BinaryIO, NotRequired, TypedDict
from urllib.parse import quote, urlsplit

from tttenv.players.bundled import ON_THE_HUB
from tttenv.players.stored import checkpoint
from tttenv.utils.registry import parse
from tttenv.utils.schema import Count, Meta, checked
from tttenv.utils.tensor_file import header
from tttenv.utils.threads import in_threads
from tttenv.utils.untrusted import LONGEST_JSON, parse_json, shown

if TYPE_CHECKING:
    from huggingface_hub import HfApi

REVISION = "main"  # the default branch
ROLES = (checkpoint.WEIGHTS, checkpoint.POLICY, checkpoint.SNAPSHOTS)  # no training states
PATIENCE = 60.0  # seconds for an answer, and for each
SLOWEST = 2**15  # bytes of it one more
MOST_REDIRECTS = 5
LEFT = ".tttenv-pull-"  # the beginning of the names of folders in which files are collected
OLD = 86_400  # seconds after which such a folder was left by a killed process
_PART = r"(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,96}"
_REPO = re.compile(f"{_PART}/{_PART}")
_BRANCH = re.compile(f"{_PART}(/{_PART})*")
_LOG_IN = "log in by `hf auth login`, or set HF_TOKEN"


class _File(TypedDict):
    rfilename: str
    size: NotRequired[Count | None]


class _Listing(TypedDict):
    """Facts that the Hub states about a repository."""

    sha: Annotated[str, Meta(pattern=r"^[0-9a-f]{40,64}\Z")]
    siblings: list[_File]


def split(spec: str) -> tuple[str, str, dict[str, str]]:
    """Return the repository, the revision and the other options of a spec `hub:...`.

    Raises:
        ValueError: for options that cannot be parsed.
    """
    repo, _, rest = spec.removeprefix(ON_THE_HUB).partition(",")
    options = parse(f"{ON_THE_HUB}{rest}")[1]
    return repo, options.pop("revision", REVISION), options


def check_names(repo: str, revision: str = REVISION) -> None:
    """Check the names of a repository and a revision.

    Raises:
        ValueError: unless they are OWNER/NAME, and a branch, tag or commit.
    """
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
        pull(repo, revision)
    return folder


def pull(
    repo: str,
    revision: str = REVISION,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[Path, str]:
    """Download a player from the Hub.

    Args:
        repo: OWNER/NAME.
        revision: a branch, tag or commit.
        folder: an empty or missing folder; None for the player's usual one.
        tell: is called with the name and the size of each file before its download.

    Returns:
        The folder, and the commit.

    Raises:
        ValueError: for invalid names, a folder that is not empty, a checkpoint that is not valid,
            and if the Hub fails or breaks a limit; the folder is then as before.
    """
    check_names(repo, revision)
    if folder and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not empty: choose another folder with --out")
    folder = folder or usual_folder(repo, revision)
    listing = io.BytesIO()
    with _library(repo) as api:
        at = f"{api.endpoint}/api/models/{repo}/revision/{quote(revision, safe='')}?blobs=true"
        _fetch(at, LONGEST_JSON, listing)
    refusal = f"{address()} does not list the files of {repo}"
    stated = checked(_Listing, parse_json(listing.getvalue(), refusal), refusal)
    commit = stated["sha"]
    sizes = {file["rfilename"]: file.get("size") for file in stated["siblings"]}

    def fetch(name: str, limit: int) -> None:
        from huggingface_hub import hf_hub_url

        size = sizes.get(name)
        if size is None:
            raise ValueError(f"no checkpoint in {repo}: it has no {name}")
        if size > limit:
            raise ValueError(f"{name} of {repo} is too large: {size:,} bytes, not {limit:,}")
        tell(f"{name}, {size:,} bytes")
        with _library(repo), (held / name).open("wb") as file:
            _fetch(hf_hub_url(repo, name, revision=commit), size, file)

    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f"{LEFT}*"):
        if time() - left.lstat().st_mtime > OLD:
            shutil.rmtree(left, ignore_errors=True)
    held = Path(tempfile.mkdtemp(prefix=LEFT, dir=folder.parent))
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
    """Commit the files of a checkpoint to a repository, which is made if it is missing.

    Args:
        repo: OWNER/NAME.
        files: the contents by name.
        private: whether a new repository is private.

    Returns:
        The commit.

    Raises:
        ValueError: if the Hub fails.
    """
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


class _RefusedError(Exception):
    """A transfer that breaks a limit; its message has no word of the server."""


def _fetch(url: str, limit: int, file: BinaryIO) -> None:
    """Write at most `limit` bytes from a server to `file`, and give up on a slow one."""
    seconds = PATIENCE + limit / SLOWEST
    in_threads(_receive, [(url, limit, file, monotonic() + seconds)], 1, seconds)


def _receive(url: str, limit: int, file: BinaryIO, until: float) -> None:
    from huggingface_hub import constants, errors, get_session, utils

    session, size, wait = get_session(), 0, constants.HF_HUB_DOWNLOAD_TIMEOUT
    headers = utils.build_hf_headers(library_name="tttenv") | {"accept-encoding": "identity"}
    request = session.build_request("GET", url, headers=headers, timeout=wait)
    for _ in range(MOST_REDIRECTS + 1):
        response = session.send(request, stream=True, follow_redirects=False)
        with contextlib.closing(response):
            if response.next_request is not None:  # without the token, if to another server
                request = response.next_request
                continue
            if response.status_code != 200:
                raise errors.HfHubHTTPError("", response=response)
            for part in response.iter_raw():
                size += len(part)
                if size > limit:
                    raise _RefusedError(f"sends more than {limit:,} bytes")
                if monotonic() > until:
                    raise TimeoutError
                file.write(part)
            return
    raise _RefusedError("redirects too often")


@contextlib.contextmanager
def _library(repo: str) -> Iterator["HfApi"]:
    """Yield the library's client, and turn its errors into one line without the server's words."""
    from huggingface_hub import HfApi, errors, utils

    at, bars = address(), not utils.are_progress_bars_disabled()
    utils.disable_progress_bars()
    try:
        yield HfApi(library_name="tttenv")
    except _RefusedError as error:
        reason = f"{at} {error}"
    except TimeoutError:
        reason = f"{at} is too slow"
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
