"""What a check finds: one line a check, and what to change where something is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tttenv.testing.failing import PatientError


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    status: str  # "ok", "problem" or "skipped"
    told: str  # what was seen
    change: str = ""  # what to do about a problem
    check: str = ""  # which check, filled in by `examine`


class Check(NamedTuple):
    """A row of a table of checks: `look` is asked about the patient."""

    name: str
    look: Callable[[Any], Finding]
    first: bool = False  # whether its problem ends the check-up
    unplayed: bool = False  # whether it is looked at even where no games can be played


def ok(told: str) -> Finding:
    """Nothing wrong."""
    return Finding("ok", told)


def problem(told: str, change: str) -> Finding:
    """Something wrong, and what to change."""
    return Finding("problem", told, change)


def skipped(why: str) -> Finding:
    """Not looked at."""
    return Finding("skipped", why)


def examine(patient: Any, checks: list[Check]) -> Iterator[Finding]:
    """The findings of all checks in order; after a problem in a `first` one, no others.

    A patient with a `failure` could not be played with: what needs games is skipped. One that
    fails only while it is looked at has a problem there.
    """
    unplayed = getattr(patient, "failure", None) is not None
    for check in checks:
        try:
            needless = unplayed and not check.unplayed
            found = skipped("no games can be played") if needless else check.look(patient)
        except PatientError as failure:
            found = problem(failure.told, failure.change)
        yield Finding(found.status, found.told, found.change, check.name)
        if check.first and found.status == "problem":
            return


class LawBrokenError(AssertionError):
    """What a player or environment did that it must not, in one line."""


def require(holds: Any, law: str) -> None:
    """Let it pass if `holds`.

    Raises:
        LawBrokenError: if not, naming the law.
    """
    if not holds:
        raise LawBrokenError(law)
