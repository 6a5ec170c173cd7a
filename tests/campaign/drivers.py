"""Attack on runs of many small tasks, whose driver is killed at random moments and restarted.

A case is some tasks that take random times, on one to four processes, killed as `restarts` does.
At the end the values are those of the tasks done one after the other.
"""

import random
import shutil
import time
from pathlib import Path
from typing import Any

from tttenv.cli import workers
from tttenv.cli.workers import Workers
from tttenv.parallel import Context, ResultsFolder, Task
from tttenv.parallel.tasks import key

from . import restarts
from .running import Log

TASKS = 12  # in a case
KILLS = 12  # in a case, at the most
LONGEST = 0.1  # seconds of a task
STARTING = 3.0  # seconds within which a driver is killed


def piece(given: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return random numbers of a seed, and note in a file that this process began."""
    with Path(given["notes"], str(given["seed"])).open("a") as notes:
        notes.write("begun\n")
    context.tell(0, 1, "begun")
    time.sleep(given["seconds"])
    return {"drawn": random.Random(given["seed"]).random()}


class Pieces:
    """Run of tasks that note when they begin."""

    def __init__(self, home: Path, rng: random.Random) -> None:
        self.results, self._notes = home / "results", home / "notes"
        self._notes.mkdir(parents=True)
        self._jobs = rng.randint(1, 4)
        self.tasks = []
        for seed in range(TASKS):
            seconds = rng.uniform(0, LONGEST)
            about = {"seed": seed, "notes": str(self._notes), "seconds": seconds}
            self.tasks.append(Task(f"task {seed}", piece, about))

    def drive(self) -> Any:
        """Return the values of all tasks."""
        given = Workers(jobs=self._jobs)
        return workers.values(workers.run_all(self.tasks, given, self.results, quiet=True))

    def traces(self) -> dict[str, Any]:
        """Return the number of times that each task has begun."""
        found = {}
        for seed, task in enumerate(self.tasks):
            note = self._notes / str(seed)
            found[f"{key(task)}.json"] = note.read_text() if note.exists() else ""
        return found


class Drivers:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log

    def case(self, number: int, rng: random.Random) -> None:
        """Run tasks once, killing the driver some times."""
        home = self.place / f"case{number}"
        run = Pieces(home, rng)
        outcome = restarts.until_done(run, KILLS, STARTING, home / "said", self.log, rng)
        expected = [{"drawn": random.Random(seed).random()} for seed in range(TASKS)]
        self.log.check(outcome.get("value") == expected, "a final table differs", outcome)
        results = ResultsFolder(run.results)
        for task in run.tasks:
            self.log.check(results.get(task) is not None, "a result is not whole", task.name)
        self.log.count("tasks", TASKS)
        shutil.rmtree(home, ignore_errors=True)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""
