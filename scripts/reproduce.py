"""Re-run published experiments: each number claimed, exact as published, and repaired."""

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from scripts.reproduction import SOURCES, home
from tttenv.cli import console, text_tables, workers
from tttenv.cli.options import FileOrNone, Flag
from tttenv.cli.workers import HERE, AllWorkers

if TYPE_CHECKING:
    from scripts.reproduction.rows import Task

PROG = "reproduce.py"
FINISHED = ".reproduce"  # folder of what finished jobs of an interrupted run have found


@dataclass(frozen=True)
class Arguments:
    """Re-run the published experiments and print for each number: claimed, exact, repaired.

    Here "as published" is our re-run of the published form, its flaws included, measured exactly,
    and "repaired" is our own default learner. Every row says what was run and how near it must
    come; the exit status is 1 if a row is not near enough. The table of a source is printed once
    its jobs are done. Writes results/reproduce.json. An interrupted run continues where it stopped.
    """

    only: tuple[str, ...] = tuple(SOURCES)  # sources to reproduce
    quick: Flag = False  # small budgets, a few minutes; rows that need more are not judged
    full: Flag = False  # all budgets as published, including millions of games
    seed: int = 0  # random seed of training and sampling
    workers: AllWorkers = HERE
    moves_csv: FileOrNone = None  # the cookbook's file of boards and best replies (S3)
    out: Path = Path("results")  # folder for reproduce.json
    wide: Flag = False  # show all columns side by side, even on a narrow terminal
    json: Flag = False  # print the results as JSON instead of tables


def main(args: list[str]) -> None:
    """Run all jobs, fill in the rows, and list the rows outside their tolerance."""
    given = console.parse(Arguments, PROG, args)
    check(given)
    mode = "quick" if given.quick else "full" if given.full else "default"
    from scripts.reproduction import tables
    from tttenv.utils.files import write

    missing: list[str] = []

    def show(source: str, rows: list[dict[str, Any]]) -> None:
        if not given.json:
            missing.extend(tables.show_source(source, rows, given.wide))
            sys.stdout.flush()

    result = reproduce(given, mode, show)

    text = json.dumps(result, indent=1) + "\n"
    write(given.out / "reproduce.json", text)
    if given.json:
        print(text, end="")
    else:
        tables.print_dropped_columns(missing)
        text_tables.say(f"{tables.verdict(result['rows'])}; results {given.out / 'reproduce.json'}")
    if result["missed"]:
        sys.stdout.flush()
        print(f"{PROG}: not within tolerance: {', '.join(result['missed'])}", file=sys.stderr)
        sys.exit(1)


def check(given: Arguments) -> None:
    """Raise ValueError for invalid arguments, before anything runs."""
    for name in given.only:
        home(name)
    console.check_seed(given.seed)
    workers.check(given.workers)
    if given.workers.cores_per_task != 1 or given.workers.gpus_per_task:
        raise ValueError("a published number takes one core: no --cores-per-task, --gpus-per-task")
    if given.quick and given.full:
        raise ValueError("choose --quick or --full, not both")
    if not given.only or len(set(given.only)) < len(given.only):
        raise ValueError("--only must name at least one source, each once")
    console.check_folder(given.out)
    if given.moves_csv:
        from learners.supervised import read_csv
        from tttenv import Rules

        read_csv(Rules(), given.moves_csv)


def reproduce(
    given: Arguments, mode: str, show: Callable[[str, list[dict[str, Any]]], None]
) -> dict[str, Any]:
    """Run the jobs of the sources, and return all their rows, filled in."""
    from scripts.reproduction import work
    from tttenv.parallel import ResultsFolder, Task, TaskResult

    path = str(given.moves_csv.resolve()) if given.moves_csv else None
    digest = hashlib.sha256(given.moves_csv.read_bytes()).hexdigest() if given.moves_csv else None
    names = tuple(name for name in SOURCES if name in given.only)
    tasks = work.tasks(names, mode, given.seed, path)
    todo = [
        Task(f"{task.source}: {task.job}", work.run_one, work.Piece(task, digest)) for task in tasks
    ]
    done: dict[int, dict[str, Any]] = {}  # by the number of the task
    waiting = {
        name: {n for n, task in enumerate(tasks) if work.needs(name, task)} for name in names
    }

    def ended(outcome: TaskResult) -> None:
        if outcome.error:
            return
        done[outcome.number] = outcome.value
        for name, numbers in waiting.items():
            if outcome.number in numbers:
                numbers.remove(outcome.number)
                if not numbers:
                    show(name, _rows((name,), tasks, done, mode))

    kept = given.out / FINISHED
    workers.values(workers.run_all(todo, given.workers, kept, given.json, ended))
    ResultsFolder(kept).remove()
    rows = _rows(names, tasks, done, mode)
    return {
        "rules": "3,3,3",
        "mode": mode,
        "seed": given.seed,
        "moves_csv": given.moves_csv.name if given.moves_csv else None,
        "missed": [row["id"] for row in rows if row["holds"] is False],
        "seconds": round(sum(told["seconds"] for told in done.values()), 1),
        "rows": rows,
    }


def _rows(
    names: tuple[str, ...], tasks: list["Task"], done: dict[int, dict[str, Any]], mode: str
) -> list[dict[str, Any]]:
    """Return the filled rows of sources whose tasks are all done."""
    from scripts.reproduction import work

    by_job: dict[tuple[str, str], list[Any]] = {}
    for number in sorted(done):
        task = tasks[number]
        by_job.setdefault((task.source, task.job), []).append(done[number]["found"])
    return work.filled(names, {job: work.merged(found) for job, found in by_job.items()}, mode)


if __name__ == "__main__":
    console.run(main, PROG)
