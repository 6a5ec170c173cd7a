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
    """Return a problem or weakness, with the words of findings.toml.

    Args:
        name: of the check, or of the check and the mistake: "view", "endings.late".
        law: False if this problem violates no invariant, as for the others of its name.
        fields: what the text and the advice name.
    """
    about = TEXTS
    for part in name.split("."):
        about = about[part]
    text, change = (about[key].format(**fields) for key in ("text", "change"))
    if verdict := about.get("verdict", ""):
        return Finding("weak", text, change, verdict)
    return Finding("problem", text, change, law=law and about.get("law", True))


def examine(subject: Any, checks: Checks) -> Iterator[Finding]:
    """Run all checks in order; if the subject fails in the first one, the others are left out.

    Args:
        subject: what the checks are called with.
        checks: the checks by name.

    Returns:
        The findings, as they are made.
    """
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
    """Stop at the first finding that violates an invariant.

    Raises:
        LawBrokenError: if there is one, with its check's name and the subject's exception.
    """
    for found in findings:
        if found.law:
            raise LawBrokenError(f"{found.check}: {found.text}") from found.cause


def require(holds: Any, law: str) -> None:
    """Require an invariant.

    Args:
        holds: whether it holds.
        law: the invariant, in a sentence.

    Raises:
        LawBrokenError: with this sentence, unless it holds.
    """
    if not holds:
        raise LawBrokenError(law)


@contextmanager
def failing(when: str, part: str) -> Iterator[None]:
    """Turn an exception in the block into one that says when it was raised and what to change.

    Args:
        when: what was done: "reset" in "fails when reset with KeyError".
        part: the key of what to change in findings.toml.

    Raises:
        SubjectError: if the block fails.
    """
    try:
        yield
    except FAILURES as error:
        raise SubjectError(
            f"fails when {when} with {describe_error(error)}", TEXTS[part]["change"]
        ) from error


@contextmanager
def user_errors(name: str) -> Iterator[None]:
    """Turn exceptions of user code in this block into one line.

    Raises:
        ValueError: if it fails; with the name of the code, the exception and its line.
    """
    try:
        yield
    except FAILURES as error:  # a script without a main guard may call exit
        raise ValueError(f"{name}: {describe_error(error)}") from None


def describe_error(error: BaseException) -> str:
    """Describe an error in one line: type, message and the line of user code that raised it.

    Raises:
        SystemExit: if the error is an exit that a signal requested: no failure of the code.
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
