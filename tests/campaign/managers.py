"""Attack on `tttenv gomocup PLAYER` by managers of the Gomocup protocol that send rubbish.

A case is one engine of ours and 20,000 lines, half of which make some sense: commands out of turn,
boards that cannot be, sizes that cannot be played, limits, long lines, bytes that are no text. Each
answer must be one short line of the protocol, the engine must still answer the last line, end with
END and without a word on standard error, and take no more memory than at its start.
"""

import random
from pathlib import Path

from hostile_lines import drive, hostile_line

from .running import Log

LINES = 20_000
SPECS = ("first", "tactical", "epsilon:player=first,epsilon=0.5")
MEMORY = 400.0  # megabytes of the engine, most of them for what it imports


class Managers:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.log = log

    def case(self, number: int, rng: random.Random) -> None:
        """Run one engine."""
        spec = SPECS[number % len(SPECS)]
        found = drive((hostile_line(rng) for _ in range(LINES)), spec)
        self.log.count("lines", LINES)
        self.log.count("answers", sum(found.answers.values()))
        self.log.count("moves", found.answers["move"])
        self.log.most("MB", found.megabytes)
        self.log.check(not found.wrong, "an answer is none of the protocol", found.wrong)
        self.log.check(found.status == 0, "an engine does not end with END", found.status)
        self.log.check(not found.errors, "an engine complains", found.errors)
        self.log.check(found.megabytes < MEMORY, "an engine takes memory", found.megabytes)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""
