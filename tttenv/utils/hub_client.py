"""Downloads from and uploads to the Hugging Face Hub, bounded in size and time.

The library `huggingface_hub` provides the server's address (HF_ENDPOINT), the connection with its
proxies, and the token. Responses are untrusted, and the token is sent to no other server.
"""

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from tttenv.utils.untrusted import first_line, shown, within

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub import HfApi

_T = TypeVar("_T")
STALLED = 10.0  # seconds without a byte, after which a connection is given up
PATIENCE = 30.0  # seconds for an answer, besides the time for its bytes
SLOWEST = 100_000  # bytes a second
REDIRECTS = 5  # followed for one download
LARGEST_ANSWER = 2**22  # bytes of an answer to an upload
UPLOADS = threading.Lock()  # held during an upload, which changes the library's only session
LOG_IN = "log in by `hf auth login`, or set HF_TOKEN"
STATUS = {  # what an answer other than 200 means
    401: f"not found, or private: {LOG_IN}",
    403: f"access is refused: {LOG_IN}",
    404: "not found",
    429: "too many requests: try again later",
}


class HubError(ValueError):
    """A failed request to the Hub, described in one line."""


def settings() -> Any:
    """Return the module of huggingface_hub with its settings: the server's address and folders.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        HubError: if HF_ENDPOINT is half of an IPv6 address, which the package does not accept.
    """
    try:
        from huggingface_hub import constants
    except ValueError:
        raise _not_an_address(os.environ.get("HF_ENDPOINT", "")) from None
    return constants


def endpoint() -> str:
    """Return the address of the Hub, without a trailing slash.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        HubError: if HF_ENDPOINT is not an http or https address.
    """
    at: str = settings().ENDPOINT
    try:
        parts = urlsplit(at)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # such as a port out of range
        valid = False
    if not valid:
        raise _not_an_address(at)
    return at


def _not_an_address(at: str) -> HubError:
    told = shown(at.rpartition("@")[2], 100)  # without a password
    return HubError(f"HF_ENDPOINT is not an http or https address: {told}")


def host(url: str) -> str:
    """Return the host of a URL for messages, since paths and queries may contain signatures."""
    return shown(urlsplit(url).netloc.rpartition("@")[2], 100)


def public(url: str) -> str:
    """Return an address without its user and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def fetch(url: str, limit: int, file: bool = False) -> bytes:
    """Return the body of the response to a GET request.

    Args:
        url: on the Hub.
        limit: maximum bytes of the response.
        file: whether this is a file rather than an API response. A file is given time in proportion
            to its size, and may come from another server that the Hub redirects to. That server
            does not get the token, and a redirect from https to http is refused.

    Raises:
        HubError: for any other response, or none.
    """
    size = limit if file else 0
    return _within(url, size, lambda given_up: _answer(url, limit, file, given_up))


def upload(repo: str, files: Mapping[str, bytes], private: bool, replaced: re.Pattern[str]) -> str:
    """Commit files to a repository, creating it if necessary.

    Uploads of one process run one at a time; waiting for another one, which may be abandoned but
    still running, counts as time without an answer.

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
    at = endpoint()

    def work(given_up: threading.Event) -> str:
        # Two at once would restore each other's guards at their ends.
        with UPLOADS, _errors_of(at), _guarded(at, given_up) as api:
            return _commit(api, repo, files, private, replaced)

    return _within(at, sum(map(len, files.values())), work)


def _commit(
    api: "HfApi", repo: str, files: Mapping[str, bytes], private: bool, replaced: re.Pattern[str]
) -> str:
    """Create the repository if necessary, and commit the files; see `upload`."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    api.create_repo(repo, private=private or None, exist_ok=True)
    older = [name for name in api.list_repo_files(repo) if replaced.fullmatch(name)]
    changes: list[Any] = [CommitOperationAdd(name, content) for name, content in files.items()]
    changes += [CommitOperationDelete(name) for name in older if name not in files]
    made = api.create_commit(repo, changes, commit_message="A player certified by tttenv")
    return shown(made.oid, 64)


def _within(url: str, size: int, work: Callable[[threading.Event], _T]) -> _T:
    """Call `work` and return its result, with a time limit that depends on `size` in bytes.

    Raises:
        HubError: if it takes longer.
    """
    try:
        return within(PATIENCE + size / SLOWEST, f"request to {host(url)}", work)
    except TimeoutError as error:
        raise HubError(f"{host(url)} is too slow: {error}") from None


def _answer(url: str, limit: int, elsewhere: bool, given_up: threading.Event) -> bytes:
    """Return the body of the response to a GET request, following redirects; see `fetch`."""
    with _errors_of(url):
        at = url
        for _ in range(REDIRECTS):
            answer = _one_answer(at, _origin(at) == _origin(url), limit, given_up)
            if isinstance(answer, bytes):
                return answer
            at = urljoin(at, answer)
            _check_redirect(url, at, elsewhere)
        raise HubError(f"{host(url)} redirects more than {REDIRECTS} times")


def _one_answer(url: str, authorized: bool, limit: int, given_up: threading.Event) -> bytes | str:
    """Return the body of a single response, or the address to which it redirects."""
    from huggingface_hub.utils import build_hf_headers, get_session

    headers = build_hf_headers(token=None if authorized else False, library_name="tttenv")
    headers["accept-encoding"] = "identity"  # so that sizes are those of files
    with get_session().stream(
        "GET", url, headers=headers, follow_redirects=False, timeout=STALLED
    ) as answer:
        if answer.has_redirect_location:
            return str(answer.headers["location"])
        if answer.status_code != 200:
            raise HubError(f"{host(url)} answers {_status(answer.status_code)}")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise HubError(f"{host(url)} uses an encoding that was not requested")
        length = answer.headers.get("content-length", "")
        if length.isdecimal() and int(length) > limit:
            raise HubError(f"{host(url)} sends {int(length):,} bytes; the limit is {limit:,}")
        return b"".join(_bounded(answer.iter_raw(), url, limit, given_up))


def _bounded(
    chunks: Iterator[bytes], url: str, limit: int, given_up: threading.Event
) -> Iterator[bytes]:
    """Yield the chunks of a response, up to `limit` bytes, until it is abandoned.

    Raises:
        HubError: if it is longer.
    """
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise HubError(f"{host(url)} sends more than {limit:,} bytes")
        if given_up.is_set():
            return
        yield chunk


@contextmanager
def _guarded(at: str, given_up: threading.Event) -> Iterator["HfApi"]:
    """Yield the library's client, guarded so that every response is treated as untrusted.

    Redirects to other servers are refused, the token is sent to none, and responses are bounded. A
    connection that fails ends it: the library would try again with another client, without a guard.
    """
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.utils import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
        get_session,
        logging,
    )

    def asked(request: "httpx2.Request") -> None:
        if given_up.is_set():  # the library may try again without end
            raise HubError(f"{host(at)} was abandoned")
        if "authorization" in request.headers and _origin(str(request.url)) != _origin(at):
            raise HubError(f"{host(at)} asks for the token on {host(str(request.url))}: refused")

    def answered(response: "httpx2.Response") -> None:
        if response.has_redirect_location:
            target = urljoin(str(response.request.url), response.headers["location"])
            _check_redirect(at, target, elsewhere=False)
        response.stream = _stream(response.stream, at, given_up)

    def send(request: "httpx2.Request", **options: Any) -> "httpx2.Response":
        try:
            return unguarded(request, **options)
        except httpx2.ConnectError as error:
            raise _unreachable(host(at), error) from None

    session, level = get_session(), logging.get_verbosity()
    unguarded = session.send
    hooks, quiet = session.event_hooks, are_progress_bars_disabled()
    session.event_hooks = {
        "request": [*hooks["request"], asked],
        "response": [*hooks["response"], answered],
    }
    session.send = send  # type: ignore[method-assign]
    logging.set_verbosity(logging.CRITICAL)  # warnings repeat what the server says
    disable_progress_bars()
    try:
        yield HfApi(library_name="tttenv")
    finally:
        session.event_hooks = hooks
        session.send = unguarded  # type: ignore[method-assign]
        logging.set_verbosity(level)
        if not quiet:
            enable_progress_bars()


def _stream(stream: Any, at: str, given_up: threading.Event) -> "httpx2.SyncByteStream":
    """Wrap the stream of a response so that its size is bounded."""
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return _bounded(iter(stream), at, LARGEST_ANSWER, given_up)

        def close(self) -> None:
            stream.close()

    return Bounded()


def _check_redirect(url: str, target: str, elsewhere: bool) -> None:
    """Raise HubError for a redirect from https to http, or to a server that is not allowed."""
    scheme, before = urlsplit(target).scheme, urlsplit(url).scheme
    left = scheme not in ("http", "https") or (before, scheme) == ("https", "http")
    if left or (_origin(target) != _origin(url) and not elsewhere):
        raise HubError(f"{host(url)} redirects to {shown(scheme, 20)}://{host(target)}: refused")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    """Return the scheme, host and port of an address."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def _unreachable(at: str, error: Exception) -> HubError:
    return HubError(f"{at} cannot be reached: {shown(first_line(error), 100)}")


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
        raise HubError(f"{at} is not contacted, because HF_HUB_OFFLINE is set") from None
    except LocalTokenNotFoundError:
        raise HubError(f"{at} needs a token: {LOG_IN}") from None
    except HfHubHTTPError as error:
        raise HubError(f"{at} answers {_status(error.response.status_code)}") from None
    except httpx2.TimeoutException:
        raise HubError(f"{at} is too slow: no data for {STALLED:.0f} s") from None
    except httpx2.ConnectError as error:
        raise _unreachable(at, error) from None
    except (httpx2.LocalProtocolError, UnicodeError):  # these would repeat the header
        raise HubError(f"the token for {at} holds characters that cannot be sent") from None
    except (httpx2.RemoteProtocolError, httpx2.NetworkError):
        raise HubError(f"{at} closed the connection too early or does not speak HTTP") from None
    except httpx2.HTTPError as error:
        raise HubError(f"{at} failed: {type(error).__name__}") from None
    except Exception as error:  # whatever the library makes of an answer that it does not know
        if isinstance(error.__cause__, HubError):
            raise error.__cause__ from None
        raise HubError(f"{at} does not respond like the Hub: {type(error).__name__}") from None
