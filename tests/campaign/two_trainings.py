"""Attack by trainings started at once in one folder, of which exactly one must run.

A case starts two or three trainings of different seeds, at once or some time apart, anew or
resumed. One of them ends well; each of the others is refused in one line, because somebody is
training there or because a checkpoint is there already. The folder then holds what the one that
ran ends in alone. Now and then the one that runs is killed, and the next can begin at once.
"""

import random
import shutil
from pathlib import Path
from typing import Any

from .children import Child
from .folders import fingerprint, holds_training, leftovers
from .running import Log
from .trainings import Training

LEARNERS = ("td0", "qtable", "dqn")
STEPS = 4
SEEDS = 3


class TwoTrainings:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log
        self.known: dict[Training, dict[str, str]] = {}

    def case(self, number: int, rng: random.Random) -> None:
        """Start some trainings in one folder."""
        name = rng.choice(LEARNERS)
        count = rng.choice((2, 2, 3))
        seeds = rng.sample(range(SEEDS), count)
        trainings = [Training(name, seed=seed, steps=STEPS) for seed in seeds]
        out = self.place / f"case{number}"
        apart = rng.choice((0.0, 0.0, 0.01, 0.1))
        children = []
        for training in trainings:
            children.append(Child(lambda training=training: training.run(out)))
            children[-1].runs_for(apart * rng.random())
        self.log.count("trainings", count)
        if rng.random() < 0.2:
            self._kill_one(children, trainings, out, rng)
        else:
            self._one_runs(trainings, [child.outcome() for child in children], out)
        if holds_training(out):
            self._two_resume(trainings, out)
        shutil.rmtree(out, ignore_errors=True)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _alone(self, training: Training) -> dict[str, str]:
        if training not in self.known:
            out = self.place / "alone"
            Child(lambda: training.run(out)).outcome()
            self.known[training] = fingerprint(out)
            shutil.rmtree(out)
        return self.known[training]

    def _one_runs(self, trainings: list[Training], outcomes: list[Any], out: Path) -> None:
        ran = [t for t, outcome in zip(trainings, outcomes, strict=True) if "value" in outcome]
        self.log.check(len(ran) == 1, "not exactly one training runs", f"{len(ran)}: {outcomes}")
        for outcome in outcomes:
            if "value" not in outcome:
                self._refusal(outcome)
        if len(ran) == 1:
            self._sound(ran[0], out)

    def _refusal(self, outcome: Any) -> None:
        self.log.count("refused")
        told = outcome.get("message", "")
        right = outcome.get("error") == "ValueError" and told and "\n" not in told
        self.log.check(right, "the second is not refused in one line", outcome)

    def _sound(self, training: Training, out: Path) -> None:
        try:
            found, left = fingerprint(out), leftovers(out)
        except ValueError as error:
            self.log.fail("the folder is damaged", error)
            return
        alone = self._alone(training)
        differ = [key for key in found if found[key] != alone[key]]
        self.log.check(not differ, "the result is not that of the one that ran", differ)
        self.log.check(not left, "files are left over", left)

    def _kill_one(
        self, children: list[Child], trainings: list[Training], out: Path, rng: random.Random
    ) -> None:
        """Kill all at a random moment, and check that the next training is not rejected."""
        children[0].runs_for(rng.random() * 0.3)
        for child in children:
            child.kill()
            child.outcome()
        self.log.count("killed")
        if holds_training(out):
            return
        outcome = Child(lambda: trainings[0].run(out)).outcome()
        self.log.check("value" in outcome, "a killed training keeps its folder", outcome)
        if "value" in outcome:
            self._sound(trainings[0], out)

    def _two_resume(self, trainings: list[Training], out: Path) -> None:
        """Resume the training in the folder twice at once: one runs, or it is finished."""
        from tttenv.players.checkpoint import read_card

        seed = read_card(out)["config"]["seed"]
        training = next(t for t in trainings if t.seed == seed)
        children = [Child(lambda: training.run(out, resume=True)) for _ in range(2)]
        outcomes = [child.outcome() for child in children]
        ran = sum("value" in outcome for outcome in outcomes)
        for outcome in outcomes:
            if "value" not in outcome:
                self._refusal(outcome)
        finished = sum("finished" in outcome.get("message", "") for outcome in outcomes)
        self.log.check(ran == 1 or finished, "two resume", outcomes)
        self._sound(training, out)
