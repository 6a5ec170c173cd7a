"""Failures of the code under test, which are reported as findings."""

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tttenv

HOME = Path(tttenv.__file__).parents[1]
OURS = [HOME / "tttenv", HOME / "learners", HOME / "scripts"]
FAILURES = Exception, SystemExit  # what foreign code may raise; not Ctrl-C
BY_SIGNAL = 129, 143  # exit statuses that SIGHUP and SIGTERM request, see `tttenv.cli.console.run`
FOREIGN = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]


class SubjectError(Exception):
    """A failure of the subject, with its reason and what to change."""

    def __init__(self, told: str, change: str) -> None:
        super().__init__(told)
        self.told, self.change = told, change


@contextmanager
def failing(when: str, change: str) -> Iterator[None]:
    """Turn an exception in the block into a `SubjectError` that says when it was raised."""
    try:
        yield
    except FAILURES as error:
        raise_if_terminated(error)
        raise SubjectError(f"fails when {when} with {describe_error(error)}", change) from error


@contextmanager
def user_errors(name: str) -> Iterator[None]:
    """Turn exceptions from user code in this block into a ValueError that names the code."""
    try:
        yield
    except FAILURES as error:  # a script without a main guard may call exit
        raise_if_terminated(error)
        raise ValueError(f"{name}: {describe_error(error)}") from None


def raise_if_terminated(error: BaseException) -> None:
    """Raise an exit that a signal requested again: it is no failure of the code under test."""
    if isinstance(error, SystemExit) and error.code in BY_SIGNAL:
        raise error


def describe_error(error: BaseException) -> str:
    """Describe an error in one line: type, message and the line of user code that raised it."""
    message = " ".join(str(error).split())
    return type(error).__name__ + (f": {message}" if message else "") + _place(error)


def raised_by_user_code(error: BaseException) -> bool:
    """Return whether the user's code raised the error, directly or through a library.

    This keeps our own bugs from being reported as the subject's.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.exists() and not _is_in(file, FOREIGN):
            return not _is_in(file, OURS)
    return False


def _place(error: BaseException) -> str:
    """Return the innermost line of user code, or an empty string for a syntax error."""
    if isinstance(error, SyntaxError):
        return ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.exists() and not _is_in(file, [*OURS, *FOREIGN]):
            return f", in {file.name} line {frame.lineno}"
    return ""


def _is_in(file: Path, folders: list[Path]) -> bool:
    return any(file.is_relative_to(folder) for folder in folders)
