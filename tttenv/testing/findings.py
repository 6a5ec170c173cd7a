"""What a check finds: one line a check, what to change, and which law is broken, if one is.

The doctor prints all findings; `check_policy` and `check_env` raise the first that breaks a law. A
player may obey all laws and yet show a mistake of its training, and an environment may break a law
of ours and be a good one to train in: reward every move, say.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tttenv.testing.failing import FAILURES, SubjectError, is_of_others, said

ANSWERS = "what is asked is answered"
REPAIR = "let its attributes be read, and its methods be called, without an error"


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    status: str  # "ok", "weak", "problem" or "skipped"
    told: str  # what was seen
    change: str = ""  # what to do about a problem
    check: str = ""  # which check, filled in by `examine`
    breaks: str = ""  # the law that is broken, if one is, whatever the status
    cause: BaseException | None = None  # what the examined code raised, if that is the problem


class Check(NamedTuple):
    """A row of a table of checks: `look` is asked about the subject."""

    name: str
    look: Callable[[Any], Finding]
    first: bool = False  # whether its problem ends the examination
    unplayed: bool = False  # whether it is looked at even where no games can be played


def ok(told: str, breaks: str = "") -> Finding:
    """Nothing wrong; `breaks` a law of ours all the same."""
    return Finding("ok", told, breaks=breaks)


def weak(told: str, change: str) -> Finding:
    """Not wrong, but nothing learned, and what to do about it."""
    return Finding("weak", told, change)


def problem(told: str, change: str, breaks: str = "") -> Finding:
    """Something wrong, what to change, and the law that it breaks, if it does."""
    return Finding("problem", told, change, breaks=breaks)


def skipped(why: str, breaks: str = "") -> Finding:
    """Not looked at."""
    return Finding("skipped", why, breaks=breaks)


def examine(subject: Any, checks: list[Check]) -> Iterator[Finding]:
    """The findings of all checks in order; after a problem in a `first` one, no others.

    A subject with a `failure` could not be played with: what needs games is skipped. One that
    fails only while it is looked at has a problem there.
    """
    unplayed = getattr(subject, "failure", None) is not None
    for check in checks:
        try:
            needless = unplayed and not check.unplayed
            found = skipped("no games can be played") if needless else check.look(subject)
        except SubjectError as failure:
            found = problem(failure.told, failure.change, ANSWERS)
            found = replace(found, cause=failure.__cause__)
        except FAILURES as error:
            if not is_of_others(error):
                raise
            found = replace(problem(f"fails with {said(error)}", REPAIR, ANSWERS), cause=error)
        yield replace(found, check=check.name)
        if check.first and found.status == "problem":
            return


class LawBrokenError(AssertionError):
    """What a player or environment did that it must not, in one line."""


def require(holds: Any, law: str) -> None:
    """Raise LawBrokenError, naming the law, unless it holds."""
    if not holds:
        raise LawBrokenError(law)


def raise_first(findings: Iterator[Finding]) -> None:
    """Raise LawBrokenError for the first finding that breaks a law, saying what was seen."""
    for found in findings:
        if found.breaks:
            raise LawBrokenError(f"{found.breaks}: {found.told}") from found.cause
