"""Downloads from and uploads to the Hugging Face Hub, with errors of one line.

The library `huggingface_hub` provides the server's address (HF_ENDPOINT), the connection with its
proxies, and the token, which is sent to no server that the Hub redirects to.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tttenv.utils.untrusted import first_line, shown

STALLED = 10.0  # seconds without a byte, after which a download is given up
LOG_IN = "log in by `hf auth login`, or set HF_TOKEN"
STATUS = {  # what an answer other than 200 means
    401: f"not found, or private: {LOG_IN}",
    403: f"access is refused: {LOG_IN}",
    404: "not found",
    429: "too many requests: try again later",
}


class HubError(ValueError):
    """A failed request to the Hub, described in one line."""


def endpoint() -> str:
    """Return the address of the Hub, without a trailing slash.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
    """
    from huggingface_hub import constants

    return constants.ENDPOINT


def host(url: str) -> str:
    """Return the host of a URL for messages, since paths and queries may contain signatures."""
    return shown(urlsplit(url).netloc.rpartition("@")[2], 100)


def fetch(url: str, limit: int) -> bytes:
    """Return the body of the response to a GET request, following redirects.

    Args:
        url: on the Hub.
        limit: bytes of the answer, at most.

    Raises:
        HubError: for any other answer, and if there is none.
    """
    from huggingface_hub.utils import build_hf_headers, get_session

    body = bytearray()
    with _errors_of(url):
        headers = build_hf_headers(library_name="tttenv")
        with get_session().stream(
            "GET", url, headers=headers, follow_redirects=True, timeout=STALLED
        ) as answer:
            if answer.status_code != 200:
                raise HubError(f"{host(url)} answers {_status(answer.status_code)}")
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > limit:
                    raise HubError(f"{host(url)} sends more than {limit:,} bytes")
    return bytes(body)


def upload(repo: str, files: Mapping[str, bytes], private: bool, replaced: re.Pattern[str]) -> str:
    """Commit files to a repository, creating it if necessary.

    Args:
        repo: OWNER/NAME.
        files: contents by name.
        private: whether a newly created repository is private.
        replaced: older files whose names match are removed in the same commit.

    Returns:
        The commit.

    Raises:
        HubError: if the Hub refuses, cannot be reached or answers anything unexpected.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    with _errors_of(endpoint()), _quiet_library():
        api = HfApi(library_name="tttenv")
        api.create_repo(repo, private=private or None, exist_ok=True)
        older = [name for name in api.list_repo_files(repo) if replaced.fullmatch(name)]
        changes: list[Any] = [CommitOperationAdd(name, content) for name, content in files.items()]
        changes += [CommitOperationDelete(name) for name in older if name not in files]
        made = api.create_commit(repo, changes, commit_message="A player certified by tttenv")
        return shown(made.oid, 64)


@contextmanager
def _quiet_library() -> Iterator[None]:
    """Suppress progress bars, and warnings, which would repeat what the server says."""
    from huggingface_hub.utils import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
        logging,
    )

    level, quiet = logging.get_verbosity(), are_progress_bars_disabled()
    logging.set_verbosity(logging.CRITICAL)
    disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if not quiet:
            enable_progress_bars()


def _status(code: int) -> str:
    """Return an HTTP status code with its meaning."""
    meaning = STATUS.get(
        code, "an error of the server" if code >= 500 else "the request is refused"
    )
    return f"{code}, {meaning}"


@contextmanager
def _errors_of(url: str) -> Iterator[None]:
    """Convert errors to a single line without a token or text from the server.

    Raises:
        HubError: for every error.
    """
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError, OfflineModeIsEnabled

    at = host(url)
    try:
        yield
    except HubError:
        raise
    except OfflineModeIsEnabled:
        raise HubError(f"{at} is not asked, because HF_HUB_OFFLINE is set") from None
    except LocalTokenNotFoundError:
        raise HubError(f"{at} needs a token: {LOG_IN}") from None
    except HfHubHTTPError as error:
        raise HubError(f"{at} answers {_status(error.response.status_code)}") from None
    except httpx2.TimeoutException:
        raise HubError(f"{at} is too slow: nothing came for {STALLED:.0f} s") from None
    except httpx2.ConnectError as error:
        raise HubError(f"{at} cannot be reached: {shown(first_line(error), 100)}") from None
    except (httpx2.LocalProtocolError, UnicodeError):  # these would repeat the header
        raise HubError(f"the token for {at} holds characters that cannot be sent") from None
    except httpx2.HTTPError as error:
        raise HubError(f"{at} breaks off: {type(error).__name__}") from None
    except Exception as error:  # whatever the library makes of an answer that it does not know
        raise HubError(f"{at} does not answer as the Hub does: {type(error).__name__}") from None
