"""Attack on trainings of all learners, which are killed at random moments, resumed and compared.

A case is one training that saves at every step. It is killed again and again, each time at a
random moment, and then goes on to its end. Then its weights, its policy, its state and its card,
times apart, are those of the same training left alone; its curves, too, step by step. After every
kill the player in the folder plays, its state loads, and neither has gone back.

In every fourth case the training is `scripts/train.py`, which is sent SIGINT, SIGTERM and SIGHUP
besides and has to end at once; now and then it is started in a new Python.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import tttenv

from .children import ENDED, Child
from .folders import curves, fingerprint, holds_training, leftovers, stored_state
from .running import Log
from .trainings import Training, learners, run_script

KILLS = 12  # in a case, at the most
SEEDS = 2  # different trainings of each learner
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}  # with which a script ends
PROMPT = 20.0  # seconds in which a training ends that is asked to, also on a busy machine
ROOT = Path(__file__).resolve().parents[2]


class Kills:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log, self.names = place, log, learners()
        self.alone: dict[Training, Alone] = {}

    def case(self, number: int, rng: random.Random) -> None:
        """Run one training, killed some times."""
        training = Training(self.names[number % len(self.names)], seed=rng.randrange(SEEDS))
        by_script = number // len(self.names) % 4 == 3
        new_python = by_script and rng.random() < 0.1
        alone = self._alone(training)
        out = self.place / f"case{number}"
        self.log.count("trainings")
        self.step = 0
        for kills in range(KILLS + 1):
            last = kills == KILLS
            ended = self._sitting(training, out, alone.seconds, (by_script, new_python, last), rng)
            if ended:
                break
            self._look(training, out)
        self._compare(training, out, alone)
        shutil.rmtree(out, ignore_errors=True)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _alone(self, training: Training) -> "Alone":
        if training not in self.alone:
            self.alone[training] = Alone(
                training, self.place / f"{training.learner}{training.seed}"
            )
        return self.alone[training]

    def _sitting(
        self,
        training: Training,
        out: Path,
        seconds: float,
        manner: tuple[bool, bool, bool],
        rng: random.Random,
    ) -> bool:
        """Train until killed or finished; return whether it finished."""
        by_script, new_python, last = manner
        resume = holds_training(out)
        delay = None if last else rng.uniform(0, 0.5 * seconds)
        number = rng.choice(ENDED) if by_script and rng.random() < 0.5 else signal.SIGKILL
        if new_python:
            return self._new_python(training, out, resume, delay and 1.5 + 2 * delay, number)
        said = self.place / "said"
        said.unlink(missing_ok=True)
        if by_script:
            child = Child(lambda: run_script(training.arguments(out, resume)), said)
        else:
            child = Child(lambda: training.run(out, resume), said)
        if delay is not None and child.runs_for(delay):
            child.kill(number)
            self.log.count(signal.Signals(number).name)
            before = time.monotonic()
            outcome = child.outcome()
            taken = time.monotonic() - before
            self.log.check(taken < PROMPT, "a training ends late", f"after {taken:.1f} s")
            if "value" in outcome:  # it was over before the signal came
                return True
            if resume and "finished" in _text(said):
                return True
            if number != signal.SIGKILL and outcome:
                self._asked_to_end(training, number, outcome.get("code"), said)
            return False
        outcome = child.outcome()
        over = resume and "finished" in outcome.get("message", "") + _text(
            said
        )  # killed at the end
        if "error" in outcome and not over:
            told = f"{training.learner}: {outcome['error']}: {outcome['message']}"
            self.log.fail("a training does not go on", told + _text(said))
        return True

    def _asked_to_end(self, training: Training, number: int, code: int | None, said: Path) -> None:
        wanted = STATUS.get(signal.Signals(number), 128 + number)
        if code is None and number == signal.SIGINT:
            return  # it came before the script had begun
        told = f"{training.learner}: {code} after {signal.Signals(number).name}: {_text(said)}"
        self.log.check(code == wanted, "a script ends with another status", told)
        self.log.check("Traceback" not in _text(said), "a script ends with a traceback", told)

    def _new_python(
        self, training: Training, out: Path, resume: bool, delay: float | None, number: int
    ) -> bool:
        """Train by `scripts/train.py` in a Python of its own; return as `_sitting` does."""
        command = [sys.executable, str(ROOT / "scripts/train.py"), *training.arguments(out, resume)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
        )
        self.log.count("in a new Python")
        try:
            _, complaint = process.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            self.log.count(signal.Signals(number).name)
            process.communicate()
            return process.returncode == 0
        told = complaint.decode(errors="replace")
        over = resume and "finished" in told  # it was killed at the end
        self.log.check(process.returncode == 0 or over, "a training does not go on", told)
        return True

    def _look(self, training: Training, out: Path) -> None:
        """Check that a killed training can be played and resumed, and has not gone back."""
        if not holds_training(out):
            return
        step = 0
        try:
            step = int(stored_state(out)["clock"]["step"])
        except ValueError as error:
            self.log.fail("a state does not load after a kill", f"{training.learner}: {error}")
        self.log.check(step >= self.step, "a state went back", f"{step} after {self.step}")
        self.step = step
        if (out / "card.json").exists():
            try:
                tttenv.player(f"{out}/")
            except ValueError as error:
                self.log.fail("a player is refused after a kill", f"{training.learner}: {error}")

    def _compare(self, training: Training, out: Path, alone: "Alone") -> None:
        try:
            found = fingerprint(out)
            left = leftovers(out)
        except ValueError as error:
            self.log.fail("a finished training is damaged", f"{training.learner}: {error}")
            return
        differ = [key for key in found if found[key] != alone.fingerprint[key]]
        self.log.check(not differ, "a result differs", f"{training.learner}: {differ}")
        self.log.check(not left, "files are left over", f"{training.learner}: {left}")
        shown = curves(out)
        wrong = [tag for tag in shown if shown[tag] != alone.curves.get(tag)]
        wrong += alone.curves.keys() - shown.keys()
        self.log.check(not wrong, "curves differ", _curve(training, wrong, shown, alone))


class Alone:
    """Undisturbed training: its duration and its result."""

    def __init__(self, training: Training, out: Path) -> None:
        before = time.monotonic()
        outcome = Child(lambda: training.run(out)).outcome()
        if "error" in outcome:
            raise RuntimeError(f"{training} fails: {outcome['message']}")
        self.seconds = time.monotonic() - before
        self.fingerprint, self.curves = fingerprint(out), curves(out)
        shutil.rmtree(out)


def _text(said: Path) -> str:
    return said.read_text(errors="replace")[-300:] if said.exists() else ""


def _curve(training: Training, wrong: list[str], shown: Any, alone: Alone) -> str:
    tags = wrong[:1]
    steps = [[[step for step, _ in c.get(tag, [])] for tag in tags] for c in (shown, alone.curves)]
    return f"{training.learner}: {wrong[:3]}: steps {steps[0]}, not {steps[1]}"
