"""Reader beside a training that saves at every step, which must always see a complete folder.

A case is one training in a process of its own. Beside it this process looks at the folder over and
over: the card, the player (`tttenv.player`), the learner and the training's state. No look may
fail once a first checkpoint is there; the steps never go back, and a player is always the one of
some card: what it plays was written whole.
"""

import contextlib
import random
import shutil
from pathlib import Path

import tttenv
from tttenv.players.checkpoint import CARD, read_card

from .children import Child
from .folders import digest, stored_state
from .running import Log
from .trainings import Training

LEARNERS = ("td0", "qtable", "genetic", "dqn")
STEPS = 40  # and so many checkpoints, in a case
LOOKS = 8  # at card and player for each at learner and state
TIME_LIMIT = 100.0  # seconds


class Reader:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log

    def case(self, number: int, rng: random.Random) -> None:
        """Run one training and read it all the time."""
        training = Training(rng.choice(LEARNERS), seed=rng.randrange(2**31), steps=STEPS)
        out = self.place / f"case{number}"
        child = Child(lambda: training.run(out), self.place / "said")
        self.players: dict[int, str] = {}  # what the player of a step does
        self.step = self.state_step = 0
        looks = 0
        while child.runs_for(0):
            if not (out / CARD).exists():
                child.runs_for(0.01)
                continue
            looks += 1
            self._look(out)
            if looks % LOOKS == 0:
                self._look_deeper(out)
        outcome = child.outcome(TIME_LIMIT)
        self.log.check(outcome.get("value") == STEPS, "the training fails", outcome)
        self._look(out)
        shutil.rmtree(out, ignore_errors=True)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _look(self, out: Path) -> None:
        self.log.count("looks", 2)
        with self._unfailing("card or player"):
            before = read_card(out)["steps"]
            found = tttenv.player(f"{out}/")
            after = read_card(out)["steps"]
            right = self.step <= before <= after
            self.log.check(right, "a checkpoint went back", f"{self.step}, {before}, {after}")
            self.step = after
            if before == after:
                plays = digest(getattr(found, "table", None))
                known = self.players.setdefault(after, plays)
                self.log.check(known == plays, "two players of one step", after)

    def _look_deeper(self, out: Path) -> None:
        from learners.training.checkpoint import load_learner

        self.log.count("looks", 2)
        with self._unfailing("learner"):
            load_learner(out)
        with self._unfailing("state"):
            step = stored_state(out)["clock"]["step"]
            self.log.check(step >= self.state_step, "a state went back", step)
            self.state_step = step

    @contextlib.contextmanager
    def _unfailing(self, what: str):  # type: ignore[no-untyped-def]
        try:
            yield
        except Exception as error:
            self.log.fail(f"a look at the {what} fails", f"{type(error).__name__}: {error}")
