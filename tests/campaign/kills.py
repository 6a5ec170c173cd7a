"""Attack on trainings of all learners, which are killed at random moments, resumed and compared.

A case is one training that saves at every step. It is killed again and again, each time at a
random moment, and then goes on to its end. Then its weights, its policy, its state and its card,
times apart, are those of the same training left alone; its curves, too, step by step. After every
kill the player in the folder plays, its state loads, and neither has gone back.
"""

import random
import shutil
import time
from pathlib import Path

import tttenv
from learners.registry import LEARNERS
from learners.training.checkpoint import load_training
from tttenv.players.stored.checkpoint import CARD

from .running import Child, Log
from .trainings import Training, contents, curves, differences

KILLS = 12  # in a case, at the most


class Kills:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log, self.names = place, log, list(LEARNERS)

    def case(self, number: int, rng: random.Random) -> None:
        """Run one training, killed some times."""
        training = Training(self.names[number % len(self.names)], seed=rng.randrange(2**16))
        alone, out = self.place / f"alone{number}", self.place / f"case{number}"
        before = time.monotonic()
        training.run(alone)
        longest = (time.monotonic() - before) / 2
        self.step = 0
        for kills in range(KILLS + 1):
            delay = None if kills == KILLS else rng.uniform(0, longest)
            if self._sitting(training, out, delay):
                break
            self._look(training, out)
        self._compare(training, out, alone)
        shutil.rmtree(alone)
        shutil.rmtree(out)

    def _sitting(self, training: Training, out: Path, delay: float | None) -> bool:
        """Train until killed after `delay` seconds, or to the end; return whether that came."""
        resume = (out / CARD).exists()
        child = Child(lambda: training.run(out, resume))
        if delay is not None and child.killed_after(delay):
            self.log.count("kills")
        outcome = child.outcome()
        if "error" in outcome:
            over = resume and "finished" in outcome["message"]  # it had been killed at the end
            self.log.check(over, "a training does not go on", f"{training.learner}: {outcome}")
        return bool(outcome)

    def _look(self, training: Training, out: Path) -> None:
        """Check that a killed training can be played and resumed, and has not gone back."""
        if not (out / CARD).exists():
            return
        try:
            step = int(load_training(out)[1]["progress"]["step"])
            tttenv.player(f"{out}/")
        except ValueError as error:
            self.log.fail("a checkpoint is damaged by a kill", f"{training.learner}: {error}")
            return
        self.log.check(step >= self.step, "a state went back", f"{step} after {self.step}")
        self.step = step

    def _compare(self, training: Training, out: Path, alone: Path) -> None:
        try:
            differ = differences(out, contents(alone))
        except ValueError as error:
            self.log.fail("a finished training is damaged", f"{training.learner}: {error}")
            return
        self.log.check(not differ, "a result differs", f"{training.learner}: {differ}")
        found, wanted = curves(out), curves(alone)
        wrong = [tag for tag in found.keys() | wanted.keys() if found.get(tag) != wanted.get(tag)]
        self.log.check(not wrong, "curves differ", f"{training.learner}: {sorted(wrong)[:3]}")
