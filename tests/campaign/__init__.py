"""Campaign of attacks on the whole package: kills, failing disks, hostile files.

It runs for as long as it is given and is no part of the test suite:

    make campaign SECONDS=600
    make campaign-short                            the same cases everywhere, if the seed is given
    python -m tests.campaign kills files --seconds 600 --workers 2
    python -m tests.campaign calls --seed 7 --case 12      one case again

A family of cases is one file with one class, and one row here. Every case follows from the seed,
which is printed, and its number alone.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Row of a family: its module, what it attacks, and its share of the time."""

    target: str  # "module:Class", the module within this package
    about: str  # what is done to the package, in a line
    share: float  # of the seconds, in proportion to the others
    short: int  # cases of the short form, which takes a minute or two in all
    trains: bool = False  # its cases train: the learners are loaded and warmed up beforehand
    time_limit: float = 120.0  # seconds after which a case counts as hanging


# To add a family: a file in this folder with a class that satisfies `running.Family`, and its row.
FAMILIES = {
    "kills": Row("kills:Kills", "trainings killed at random moments and resumed", 3, 9, True, 300),
    "drivers": Row(
        "drivers:Drivers", "drivers of tasks killed at random moments", 2, 2, False, 300
    ),
    "calls": Row("calls:Calls", "a training's n-th file-system call fails or kills", 3, 16, True),
    "files": Row("files:Files", "mutated checkpoints, loaded in every way", 3, 400, True, 150),
    "growth": Row("growth:Growth", "long runs: memory, descriptors and threads", 1, 7, False, 300),
}
