"""Findings of checks: what was observed, and what to change.

The doctor prints all findings; `check_policy` and `check_env` raise the first problem that violates
an invariant. A player may satisfy all invariants and still show a training mistake.
"""

import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import tttenv

HOME = Path(tttenv.__file__).parents[1]
OURS = [HOME / "tttenv", HOME / "learners", HOME / "scripts"]
FAILURES = Exception, SystemExit  # what foreign code may raise; not Ctrl-C
BY_SIGNAL = 129, 143  # exit statuses that SIGHUP and SIGTERM request, see `tttenv.cli.console.run`
FOREIGN = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    status: str  # "ok", "weak", "problem" or "skipped"
    told: str  # what was seen
    change: str = ""  # what to do about a problem
    verdict: str = ""  # a weakness in a few words
    check: str = ""  # the check's name, set by `examine`
    law: bool = False  # whether a problem violates an invariant
    cause: BaseException | None = None  # the exception of the code under test, if any


class Check(NamedTuple):
    """A row in a table of checks; `look` is called with the subject."""

    name: str
    look: Callable[[Any], Finding]
    first: bool = False  # whether a problem skips all other checks
    unplayed: bool = False  # whether it runs even if no games can be played


def ok(told: str) -> Finding:
    """Return an "ok" finding."""
    return Finding("ok", told)


def weak(told: str, change: str, verdict: str) -> Finding:
    """Return a "weak" finding: a weakness but no mistake, what to change and a short verdict."""
    return Finding("weak", told, change, verdict=verdict)


def problem(told: str, change: str, law: bool = True) -> Finding:
    """Return a problem, what to change, and whether it violates an invariant."""
    return Finding("problem", told, change, law=law)


def skipped(why: str) -> Finding:
    """Return the finding of a check that was skipped."""
    return Finding("skipped", why)


def examine(subject: Any, checks: list[Check]) -> Iterator[Finding]:
    """Run all checks in order, stopping after a problem in a check marked `first`.

    If the subject has a `failure`, no games could be played, and checks that need games are
    skipped. If it fails during a check, the finding of this check is a problem.
    """
    unplayed = getattr(subject, "failure", None) is not None
    for check in checks:
        try:
            needless = unplayed and not check.unplayed
            found = skipped("no games can be played") if needless else check.look(subject)
        except SubjectError as failure:
            found = problem(failure.told, failure.change)
            found = replace(found, cause=failure.__cause__)
        yield replace(found, check=check.name)
        if check.first and found.status == "problem":
            return


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


def _place(error: BaseException) -> str:
    """Return the innermost line of user code, or an empty string for a syntax error."""
    if isinstance(error, SyntaxError):
        return ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.exists() and not any(file.is_relative_to(folder) for folder in [*OURS, *FOREIGN]):
            return f", in {file.name} line {frame.lineno}"
    return ""


class LawBrokenError(AssertionError):
    """A player or environment violates an invariant; the message is one line."""


def require(holds: Any, law: str) -> None:
    """Raise LawBrokenError with the invariant's name unless it holds."""
    if not holds:
        raise LawBrokenError(law)


def raise_first(findings: Iterator[Finding]) -> None:
    """Raise LawBrokenError for the first finding that violates an invariant."""
    for found in findings:
        if found.law:
            raise LawBrokenError(f"{found.check}: {found.told}") from found.cause
