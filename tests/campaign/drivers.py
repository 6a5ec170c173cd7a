"""Attack on runs of many small tasks, whose driver is killed at random moments and restarted.

A case is some tasks that take random times, on one to four processes. Their driver is killed by
SIGKILL, alone or with its workers, and started again until all are done. After every kill the
workers end by themselves, every result that was there is there still, byte by byte, and no task
runs again whose result was there before. At the end the values are those of the tasks done one
after the other.
"""

import contextlib
import os
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

from .children import Child, workers_of
from .running import Log

TASKS = 12  # in a case
KILLS = 12  # in a case, at the most
LONGEST = 0.3  # seconds of a task
STARTING = 1.5  # seconds within which a driver is killed
GONE = 20.0  # seconds in which workers have noticed that their driver is gone, on a busy machine
TIME_LIMIT = 250.0  # seconds of a run that is not killed


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

    def begun(self) -> dict[str, str]:
        """Return what each task has noted, by the file of its result."""
        found = {}
        for seed, task in enumerate(self.tasks):
            note = self._notes / str(seed)
            found[f"{key(task)}.json"] = note.read_text() if note.exists() else ""
        return found

    def contents(self) -> dict[str, bytes]:
        """Return the results by file; the names of interrupted writes begin with a dot."""
        files = self.results.glob("[0-9a-f]*.json")
        return {file.name: file.read_bytes() for file in files}


class Drivers:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log

    def case(self, number: int, rng: random.Random) -> None:
        """Run tasks once, killing the driver some times."""
        home = self.place / f"case{number}"
        run = Pieces(home, rng)
        outcome = self._until_done(run, home / "said", rng)
        expected = [{"drawn": random.Random(seed).random()} for seed in range(TASKS)]
        self.log.check(outcome.get("value") == expected, "a final table differs", outcome)
        results = ResultsFolder(run.results)
        for task in run.tasks:
            self.log.check(results.get(task) is not None, "a result is not whole", task.name)
        self.log.count("tasks", TASKS)
        shutil.rmtree(home, ignore_errors=True)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _until_done(self, run: Pieces, said: Path, rng: random.Random) -> dict[str, Any]:
        """Start a run, kill and restart it; return the outcome of the last, undisturbed time."""
        outcome: dict[str, Any] = {}
        left: set[int] = set()  # workers whose driver is gone
        for more in reversed(range(KILLS + 1)):
            contents, begun = run.contents(), run.begun()
            child = Child(run.drive, said)
            if more and child.runs_for(rng.uniform(0, STARTING)):
                alone, at_once = rng.random() < 0.5, rng.random() < 0.5
                left |= _kill(child, alone)
                self.log.count("SIGKILL of the driver alone" if alone else "SIGKILL of all")
            else:
                at_once = False
            outcome = child.outcome(TIME_LIMIT)
            if not at_once or outcome:
                self.log.check(_gone(left), "workers outlive their driver", left)
                left = set()
            now, later = run.contents(), run.begun()
            lost = [name for name, data in contents.items() if now.get(name) != data]
            self.log.check(not lost, "a finished task is lost", lost)
            self.log.count("results", len(now) - len(contents))
            again = [name for name in contents if later.get(name) != begun[name]]
            self.log.check(not again, "a finished task runs again", again)
            if outcome:
                self.log.count("ended before the last kill", int(more > 0))
                break
        return outcome


def _kill(child: Child, alone: bool) -> set[int]:
    """Kill a driver, alone or with its workers; return the workers."""
    child.kill(signal.SIGSTOP)  # it starts no more of them
    found = workers_of(child.pid)
    for number in [] if alone else found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    child.kill(signal.SIGKILL)
    return found


def _gone(processes: set[int]) -> bool:
    """Return whether these processes end soon."""
    until = time.monotonic() + GONE
    while any(Path(f"/proc/{number}").exists() for number in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
