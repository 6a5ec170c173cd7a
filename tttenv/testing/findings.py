"""Findings of checks: what was observed, and what to change.

The doctor prints all findings; `check_policy` and `check_env` raise the first problem that violates
an invariant. A player may satisfy all invariants and still show a training mistake.
"""

import sysconfig
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import tttenv

FAILURES = Exception, SystemExit  # what foreign code may raise; not Ctrl-C
BY_SIGNAL = 129, 143  # exit statuses that SIGHUP and SIGTERM request, see `tttenv.cli.console.run`
TEXTS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
HOME = Path(tttenv.__file__).parents[1]
NOT_THEIRS = [HOME / name for name in ("tttenv", "learners", "scripts")] + [
    Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")
]


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    status: str  # "ok", "weak", "problem" or "skipped"
    text: str  # what was seen
    change: str = ""  # what to do about a problem or a weakness
    verdict: str = ""  # a weakness in a few words
    check: str = ""  # the check's name, set by `examine`
    law: bool = False  # whether a problem violates an invariant
    cause: BaseException | None = None  # the exception of the code under test, if any


Checks: TypeAlias = Mapping[str, Callable[[Any], Finding]]  # by name, called with the subject


class SubjectError(Exception):
    """A failure of the subject, with its reason and what to change."""

    def __init__(self, text: str, change: str) -> None:
        super().__init__(text)
        self.text, self.change = text, change


class LawBrokenError(AssertionError):
    """A player or environment violates an invariant; the message is one line."""


def mistake(name: str, /, law: bool = True, **fields: Any) -> Finding:
    """Return the problem or weakness of this name in findings.toml, with the fields of its text."""
    about = TEXTS
    for part in name.split("."):
        about = about[part]
    text, change = (about[key].format(**fields) for key in ("text", "change"))
    if verdict := about.get("verdict", ""):
        return Finding("weak", text, change, verdict)
    return Finding("problem", text, change, law=law and about.get("law", True))


def examine(subject: Any, checks: Checks) -> Iterator[Finding]:
    """Run all checks in order; if the subject fails in the first one, the others are left out."""
    for name, check in checks.items():
        try:
            found = check(subject)
        except SubjectError as failure:
            cause = failure.__cause__
            found = Finding("problem", failure.text, failure.change, law=True, cause=cause)
            if name == next(iter(checks)):
                checks = {}
        yield replace(found, check=name)
        if not checks:
            return


def raise_first(findings: Iterator[Finding]) -> None:
    """Raise LawBrokenError for the first finding that violates an invariant."""
    for found in findings:
        if found.law:
            raise LawBrokenError(f"{found.check}: {found.text}") from found.cause


def require(holds: Any, law: str) -> None:
    """Raise LawBrokenError with the invariant's name unless it holds."""
    if not holds:
        raise LawBrokenError(law)


@contextmanager
def failing(when: str, part: str) -> Iterator[None]:
    """Turn an exception in the block into a `SubjectError` that says when it was raised.

    What to change is that of a part in findings.toml.
    """
    try:
        yield
    except FAILURES as error:
        raise SubjectError(
            f"fails when {when} with {describe_error(error)}", TEXTS[part]["change"]
        ) from error


@contextmanager
def user_errors(name: str) -> Iterator[None]:
    """Turn exceptions from user code in this block into a ValueError that names the code."""
    try:
        yield
    except FAILURES as error:  # a script without a main guard may call exit
        raise ValueError(f"{name}: {describe_error(error)}") from None


def describe_error(error: BaseException) -> str:
    """Describe an error in one line: type, message and the line of user code that raised it.

    An exit that a signal requested is raised again: it is no failure of the code under test.
    """
    if isinstance(error, SystemExit) and error.code in BY_SIGNAL:
        raise error
    message = " ".join(str(error).split())
    line = type(error).__name__ + (f": {message}" if message else "")
    if isinstance(error, SyntaxError):
        return line  # it names the place itself
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.exists() and not any(file.is_relative_to(folder) for folder in NOT_THEIRS):
            return f"{line}, in {file.name} line {frame.lineno}"
    return line
