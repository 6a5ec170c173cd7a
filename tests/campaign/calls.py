"""Attack by failing or killing every file-system call of a training, which must lose nothing.

A case is one call of one training and one manner of failing (`faults.MANNERS`). The cases go
through all calls of a short training of td0 and dqn that saves twice, from the first call
to the last, and through a part of those of the other learners. After each:

- the player of the last checkpoint plays, or that of the one being written;
- the training goes on where it stopped, or begins anew if it never saved, and ends in the bytes
  that it ends in undisturbed; one that had reached its end may also say so;
- nothing is left over, no temporary file and no data file without a card.
"""

import os
import random
import shutil
from pathlib import Path
from typing import Any

import tttenv
from tttenv.players.checkpoint import CARD, read_card

from .children import Child
from .faults import DIED, MANNERS, Faults
from .folders import fingerprint, holds_training, leftovers
from .running import Log
from .trainings import Training, learners

FULLY = ("td0", "dqn")
PART = 9  # of the other learners' calls, every ninth


class Calls:
    """Family of cases described above."""

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log
        self.known: dict[str, Undisturbed] = {}
        self.cases: list[tuple[str, int, str]] = []
        for name in FULLY:
            made = self._undisturbed(name)
            self.cases += [(name, at, how) for at in range(len(made.calls)) for how in MANNERS]
        self.cases = [case for case in self.cases if self._makes_sense(*case)]
        # Other learners make the same calls, so the numbers of td0's are theirs.
        others = [name for name in learners() if name not in FULLY]
        everything = [case for case in self.cases if case[0] == "td0"]
        for i, name in enumerate(others):
            self.cases += [(name, at, how) for _, at, how in everything[i::PART]]
        random.Random(0).shuffle(self.cases)  # so that a part of them is a fair sample
        self.total = len(self.cases)

    def case(self, number: int, rng: random.Random) -> None:
        """Make one call fail in one manner."""
        name, at, manner = self.cases[number]
        made = self._undisturbed(name)
        if at >= len(made.calls) or not self._makes_sense(name, at, manner):
            return
        out = self.place / f"case{number}" / "out"
        out.parent.mkdir()
        said = out.parent / "said"
        child = Child(lambda: _disturbed(made.training, out, at, manner), said)
        outcome = child.outcome()
        assert child.status is not None
        what = f"{name}, call {at} of {len(made.calls)}, {made.calls[at]}, {manner}"
        self.log.count("deadly" if manner in ("before", "half", "after") else "failing")
        died = os.waitstatus_to_exitcode(child.status) == DIED
        if manner in ("before", "half", "after"):
            self.log.check(died, "the call was not made again", what)
        elif "error" in outcome:
            kind = outcome["error"]
            right = kind in ("OSError", "ValueError", "KeyboardInterrupt")
            self.log.check(right, "a failing call ends in another error", f"{what}: {kind}")
            told = outcome["message"]
            self.log.check("\n" not in told, "an error is more than one line", f"{what}: {told}")
        else:
            self.log.count("swallowed")
        self._look(out, made, at, what)
        self._reply(out, made, what)
        shutil.rmtree(out.parent)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _makes_sense(self, name: str, at: int, manner: str) -> bool:
        return manner != "half" or self.known[name].calls[at].startswith("write")

    def _undisturbed(self, name: str) -> "Undisturbed":
        if name not in self.known:
            self.known[name] = Undisturbed(Training(name, steps=2), self.place / name)
        return self.known[name]

    def _look(self, out: Path, made: "Undisturbed", at: int, what: str) -> None:
        """Check that the checkpoint before or after the call plays and loads."""
        before = sum(commit < at for commit in made.commits)
        if not before and not (out / CARD).exists():
            return
        from learners.training.checkpoint import load_learner

        try:
            card = read_card(out)
            tttenv.player(f"{out}/")
            load_learner(out)
        except ValueError as error:
            self.log.fail("the checkpoint before does not play", f"{what}: {error}")
            return
        right = card["steps"] >= before
        self.log.check(right, "the checkpoint before is lost", f"{what}: {card['steps']}")

    def _reply(self, out: Path, made: "Undisturbed", what: str) -> None:
        """Check that a resumed or restarted training reaches the same end."""
        resume = holds_training(out)
        outcome = Child(lambda: made.training.run(out, resume)).outcome()
        told = outcome.get("message", "")
        if "error" in outcome and not (resume and "finished" in told):
            self.log.fail("a dead end", f"{what}: {outcome['error']}: {told}")
            return
        try:
            found = fingerprint(out)
            left = leftovers(out)
        except ValueError as error:
            self.log.fail("a dead end", f"{what}: {told}; {error}")
            return
        differ = [key for key in found if found[key] != made.fingerprint[key]]
        self.log.check(not differ, "it ends in something else", f"{what}: {differ}; {told}")
        self.log.check(not left, "files are left over", f"{what}: {left}")


class Undisturbed:
    """Undisturbed training: its calls, which of them commit a checkpoint, and its end."""

    def __init__(self, training: Training, folder: Path) -> None:
        self.training = training
        folder.mkdir()
        outcome = Child(lambda: _disturbed(training, folder / "out", None, "")).outcome()
        if "error" in outcome:
            raise RuntimeError(f"{training} fails: {outcome['message']}")
        self.calls: list[str] = outcome["value"]
        self.commits = [at for at, call in enumerate(self.calls) if call == "replace card"]
        self.fingerprint = fingerprint(folder / "out")
        shutil.rmtree(folder)


def _disturbed(training: Training, out: Path, at: int | None, manner: str) -> Any:
    faults = Faults(out, at, manner)
    faults.install()
    training.run(out)
    return faults.calls
