"""Attack by failing or killing every file-system call of a training, which must lose nothing.

A case is one call of one training and one manner of failing (`faults.MANNERS`). The cases go
through all calls of a short training of td0 and dqn that saves twice, from the first call
to the last, and through every ninth of those of the other learners. After each:

- the player of the last checkpoint plays, or that of the one being written;
- the training goes on where it stopped, or begins anew if it never saved, and ends in the bytes
  that it ends in undisturbed; one that had reached its end may also say so;
- nothing is left over, no temporary file and no data file without a card.
"""

import random
import shutil
from pathlib import Path
from typing import Any

import tttenv
from learners.registry import LEARNERS
from learners.training.checkpoint import load_learner
from tttenv.players.stored.checkpoint import CARD, read_card

from .faults import DEADLY, DIED, MANNERS, Faults
from .running import Child, Log
from .trainings import Training, contents, differences

FULLY = ("td0", "dqn")
PART = 9  # of the other learners' calls, every ninth


class Calls:
    """Family of cases described above."""

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log
        self.known = {name: Undisturbed(name, place / name) for name in LEARNERS}
        self.cases: list[tuple[str, int, str]] = []
        for first, (name, made) in enumerate(self.known.items()):
            cases = [(name, at, manner) for at in range(len(made.calls)) for manner in MANNERS]
            self.cases += cases if name in FULLY else cases[first % PART :: PART]
        random.Random(0).shuffle(self.cases)  # so that a part of them is a fair sample
        self.total = len(self.cases)

    def case(self, number: int, rng: random.Random) -> None:
        """Make one call fail in one manner."""
        name, at, manner = self.cases[number]
        made = self.known[name]
        out = self.place / f"case{number}"
        child = Child(lambda: _disturbed(made.training, out, at, manner))
        outcome = child.outcome()
        what = f"{name}, call {at} of {len(made.calls)}, {made.calls[at]}, {manner}"
        if manner in DEADLY:
            died = child.process.exitcode == DIED
            self.log.check(died, "the call was not made again", what)
        elif "error" in outcome:
            kind, told = outcome["error"], outcome["message"]
            right = kind in ("OSError", "ValueError", "KeyboardInterrupt")
            self.log.check(right, "a failing call ends in another error", f"{what}: {kind}")
            self.log.check("\n" not in told, "an error is more than one line", f"{what}: {told}")
        self.log.count(manner)
        before = sum(commit < at for commit in made.commits)
        try:
            if before or (out / CARD).exists():
                tttenv.player(f"{out}/")
                load_learner(out)
                steps = read_card(out)["steps"]
                self.log.check(steps >= before, "a checkpoint is lost", f"{what}: {steps}")
            resume = (out / CARD).exists()
            outcome = Child(lambda: made.training.run(out, resume)).outcome()
            told = outcome.get("message", "")
            if "error" in outcome and not (resume and "finished" in told):
                self.log.fail("a dead end", f"{what}: {outcome['error']}: {told}")
            else:
                differ = differences(out, made.contents)
                self.log.check(not differ, "it ends in something else", f"{what}: {differ}; {told}")
        except ValueError as error:
            self.log.fail("a checkpoint is damaged", f"{what}: {error}")
        shutil.rmtree(out, ignore_errors=True)


class Undisturbed:
    """Undisturbed training: its calls, which of them commit a checkpoint, and its end."""

    def __init__(self, name: str, out: Path) -> None:
        self.training = Training(name, steps=2)
        outcome = Child(lambda: _disturbed(self.training, out, None, "")).outcome()
        if "error" in outcome:
            raise RuntimeError(f"{self.training} fails: {outcome['message']}")
        self.calls: list[str] = outcome["value"]
        self.commits = [at for at, call in enumerate(self.calls) if call == "os.rename card"]
        self.contents = contents(out)
        shutil.rmtree(out)


def _disturbed(training: Training, out: Path, at: int | None, manner: str) -> Any:
    faults = Faults(out, at, manner)
    faults.install()
    training.run(out)
    return faults.calls
