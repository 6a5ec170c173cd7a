"""Campaign of attacks on the whole package: kills and failing disks.

It runs for as long as it is given and is no part of the test suite:

    make campaign SECONDS=600
    make campaign-short                            the same cases everywhere, if the seed is given
    python -m tests.campaign kills --seconds 600
    python -m tests.campaign calls --seed 7 --case 12      one case again

A family of cases is one file with one class, and one row here. Every case follows from the seed,
which is printed, and its number alone.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Row of a family: its module, what it attacks, and its cases in the short form."""

    target: str  # "module:Class", the module within this package
    about: str  # what is done to the package, in a line
    short: int  # cases of the short form, which takes a minute or two in all


# To add a family: a file in this folder with a class that satisfies `running.Family`, and its row.
FAMILIES = {
    "kills": Row("kills:Kills", "trainings killed at random moments and resumed", 9),
    "calls": Row("calls:Calls", "a training's n-th file-system call fails or kills", 16),
}
