"""What a check-up finds: one line a check, and what to change where something is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple


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
    """The findings of all checks in order; after a problem in a `first` one, no others."""
    for check in checks:
        found = check.look(patient)
        yield Finding(found.status, found.told, found.change, check.name)
        if check.first and found.status == "problem":
            return
