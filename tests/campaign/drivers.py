"""Runs of many tasks whose driver is killed at random moments and started again, again and again.

A case is some tasks that take random times, on one to four processes. The driver is killed by
SIGKILL at a random moment, until it comes to its end. After every kill no worker is left, every
result that was there is there still, byte by byte, and whole. At the end the values are those of
the tasks done one after the other, and no task has run again whose result was there before.
"""

import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

from tttenv.cli import workers
from tttenv.cli.workers import Workers
from tttenv.parallel import Context, ResultsFolder, Task
from tttenv.parallel.tasks import key

from .children import Child
from .running import Log

TASKS = 12  # in a case
KILLS = 12  # in a case, at the most
LONGEST = 0.1  # seconds of a task
STARTING = 3.0  # seconds within which a driver is killed
GONE = 10.0  # seconds in which workers have noticed that their driver is gone


def piece(given: dict[str, Any], context: Context) -> dict[str, Any]:
    """Some random numbers of a seed; a line in a file says that this process began."""
    with Path(given["notes"], str(given["seed"])).open("a") as notes:
        notes.write("begun\n")
    context.tell(0, 1, "begun")
    time.sleep(given["seconds"])
    return {"drawn": random.Random(given["seed"]).random()}


class Drivers:
    """See above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log

    def case(self, number: int, rng: random.Random) -> None:
        """One run of tasks, killed some times."""
        home = self.place / f"case{number}"
        (notes := home / "notes").mkdir(parents=True)
        tasks = []
        for seed in range(TASKS):
            about = {"seed": seed, "notes": str(notes), "seconds": rng.uniform(0, LONGEST)}
            tasks.append(Task(f"task {seed}", piece, about))
        jobs, outcome = rng.randint(1, 4), {}
        for _ in range(KILLS):
            outcome = self._sitting(tasks, jobs, home, rng.uniform(0.2, STARTING))
            if outcome:
                break
        if outcome:
            self.log.count("ended before the last kill")
        outcome = outcome or self._sitting(tasks, jobs, home, None)
        expected = [{"drawn": random.Random(seed).random()} for seed in range(TASKS)]
        self.log.check(outcome.get("value") == expected, "a final table differs", outcome)
        self.log.count("tasks", TASKS)
        shutil.rmtree(home, ignore_errors=True)

    def close(self) -> None:
        """Nothing runs on."""

    def _sitting(
        self, tasks: list[Task], jobs: int, home: Path, delay: float | None
    ) -> dict[str, Any]:
        """Run until killed or the end; what came out, nothing if it was killed."""
        results = home / "results"
        before, begun = _contents(results), _begun(home / "notes")

        def run() -> Any:
            return workers.values(workers.run_all(tasks, Workers(jobs=jobs), results, quiet=True))

        child = Child(run, home / "said")
        if delay is not None and child.runs_for(delay):
            child.kill(signal.SIGKILL)
            self.log.count("SIGKILL")
        outcome = child.outcome()
        self._look(tasks, results, before)
        self._counts(tasks, home, before, begun)
        return outcome

    def _look(self, tasks: list[Task], results: Path, before: dict[str, bytes]) -> None:
        """What was done is there, whole and unchanged."""
        now = _contents(results)
        lost = [name for name, data in before.items() if now.get(name) != data]
        self.log.check(not lost, "a finished task is lost", lost)
        self.log.count("results", len(now) - len(before))
        for task in tasks:
            if f"{key(task)}.json" in now:
                stored = ResultsFolder(results).get(task)
                self.log.check(stored is not None, "a result is not whole", task.name)

    def _counts(
        self, tasks: list[Task], home: Path, before: dict[str, bytes], begun: list[int]
    ) -> None:
        """No worker goes on, and no task has begun again whose result was there."""
        settled, until = _begun(home / "notes"), time.monotonic() + GONE
        while time.monotonic() < until:
            time.sleep(2 * LONGEST)
            latest = _begun(home / "notes")
            if latest == settled:
                break
            settled = latest
        else:
            self.log.fail("workers outlive their driver", settled)
        for task, was, now in zip(tasks, begun, settled, strict=True):
            if f"{key(task)}.json" in before:
                self.log.check(now == was, "a finished task runs again", task.name)


def _contents(folder: Path) -> dict[str, bytes]:
    """The results by file; writings that were cut off have names that begin with a dot."""
    files = folder.glob("[0-9a-f]*.json")
    return {file.name: file.read_bytes() for file in files}


def _begun(notes: Path) -> list[int]:
    """How many times each task has begun."""
    files = [notes / str(seed) for seed in range(TASKS)]
    return [len(file.read_text().splitlines()) if file.exists() else 0 for file in files]
