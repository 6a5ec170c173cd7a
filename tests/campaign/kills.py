"""Attack on trainings of all learners, which are killed at random moments, resumed and compared.

A case is one training that saves at every step. It is killed again and again, each time at a
random moment, and then goes on to its end. Then its weights, its policy, its state and its card,
times apart, are those of the same training left alone; its curves, too, step by step. After every
kill the player in the folder plays, its state loads, and neither has gone back.

In every fourth case the training is `scripts/train.py`, which is sent SIGINT, SIGTERM and SIGHUP
besides and has to end at once, with the signal's status and without a traceback.
"""

import random
import shutil
import signal
import time
from pathlib import Path

import tttenv
from learners.training.checkpoint import load_training
from tttenv.players.checkpoint import CARD

from .children import ENDED, Child
from .folders import contents, curves, differences
from .running import Log
from .trainings import Training, learners, run_script

KILLS = 12  # in a case, at the most
PROMPT = 20.0  # seconds in which a training ends that is asked to, also on a busy machine


class Kills:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log, self.names = place, log, learners()

    def case(self, number: int, rng: random.Random) -> None:
        """Run one training, killed some times."""
        training = Training(self.names[number % len(self.names)], seed=rng.randrange(2**16))
        by_script = number // len(self.names) % 4 == 3
        alone, out = self.place / f"alone{number}", self.place / f"case{number}"
        before = time.monotonic()
        training.run(alone)
        longest = (time.monotonic() - before) / 2
        self.step = 0
        for kills in range(KILLS + 1):
            delay = None if kills == KILLS else rng.uniform(0, longest)
            signals = ENDED if by_script and rng.random() < 0.5 else (signal.SIGKILL,)
            if self._sitting(training, out, by_script, delay, rng.choice(signals)):
                break
            self._look(training, out)
        self._compare(training, out, alone)
        shutil.rmtree(alone)
        shutil.rmtree(out)

    def _sitting(
        self, training: Training, out: Path, by_script: bool, delay: float | None, number: int
    ) -> bool:
        """Train until killed after `delay` seconds, or to the end; return whether that came."""
        resume = (out / CARD).exists()
        said = self.place / "said"
        said.unlink(missing_ok=True)
        if by_script:
            child = Child(lambda: run_script(training.arguments(out, resume)), said)
        else:
            child = Child(lambda: training.run(out, resume), said)
        killed = delay is not None and child.runs_for(delay)
        if killed:
            child.kill(number)
            self.log.count(signal.Signals(number).name)
        before = time.monotonic()
        outcome = child.outcome()
        text = said.read_text(errors="replace")[-300:]
        over = resume and "finished" in outcome.get("message", "") + text  # killed at the end
        if "value" in outcome or over:
            return True
        told = f"{training.learner}: {outcome} {text}"
        if not killed:
            self.log.fail("a training does not go on", told)
            return True
        self.log.check(time.monotonic() - before < PROMPT, "a training ends late", told)
        began = outcome.get("code") is not None or number != signal.SIGINT  # the script had
        if outcome and began:
            code = outcome["code"]
            self.log.check(code == 128 + number, "a script ends with another status", told)
            self.log.check("Traceback" not in text, "a script ends with a traceback", told)
        return False

    def _look(self, training: Training, out: Path) -> None:
        """Check that a killed training can be played and resumed, and has not gone back."""
        if not (out / CARD).exists():
            return
        try:
            step = int(load_training(out)["clock"]["step"])
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
