"""Re-run every published number: what is claimed, what it is exactly, and what repairing brings."""

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from learners.cli import readme_blocks
from scripts.reproduction import SOURCES, home
from tttenv.cli import console, text_tables, workers
from tttenv.cli.console import AllWorkers
from tttenv.cli.workers import HERE

PROG = "reproduce.py"
FINISHED = ".reproduce"  # folder of what finished jobs of an interrupted run have found


@dataclass(frozen=True)
class Arguments:
    """Re-run the published experiments and print for each number: claimed, exact, repaired.

    Here "as published" is our re-run of the published form, its flaws included, measured exactly,
    and "repaired" is our own default learner. Every row says what was run and how near it must
    come; the exit status is 1 if a row is not near enough. Writes results/reproduce.json. A run
    that was interrupted goes on where it stopped.
    """

    only: tuple[str, ...] = tuple(SOURCES)  # which sources
    quick: bool = False  # small budgets, a few minutes; rows that need more are not judged
    full: bool = False  # all budgets as published, the millions of games included
    seed: int = 0  # of all that is trained or sampled
    workers: AllWorkers = HERE
    moves_csv: Path | None = None  # the cookbook's file of boards and best replies (S3)
    out: Path = Path("results")  # where reproduce.json goes
    summary: Path | None = None  # write the rows to this file too
    readme: Path | None = None  # put the main rows between the marks of this file too
    wide: bool = False  # all columns, however narrow the terminal
    json: bool = False  # print the results as JSON instead of tables


def main(args: list[str]) -> None:
    """Run all jobs, fill in the rows, and say which miss their tolerance."""
    given = console.parse(Arguments, PROG, args)
    check(given)
    mode = "quick" if given.quick else "full" if given.full else "default"
    result = reproduce(given, mode)
    from scripts.reproduction import tables
    from tttenv.files import write

    text = json.dumps(result, indent=1) + "\n"
    write(given.out / "reproduce.json", text)
    if given.summary:
        write(given.summary, text)
    if given.readme:
        readme_blocks.put(given.readme, "published", tables.markdown(result["rows"]))
    if given.json:
        print(text, end="")
    else:
        tables.show(result["rows"], given.wide)
        text_tables.say(f"{tables.verdict(result['rows'])}; results {given.out / 'reproduce.json'}")
    if result["missed"]:
        sys.stdout.flush()
        print(f"{PROG}: not within tolerance: {', '.join(result['missed'])}", file=sys.stderr)
        sys.exit(1)


def check(given: Arguments) -> None:
    """Raise ValueError for arguments that cannot be, before anything is run."""
    for name in given.only:
        home(name)
    console.check_seed(given.seed)
    workers.check(given.workers)
    if given.workers.cores_per_task != 1 or given.workers.gpus_per_task:
        raise ValueError("a published number takes one core: no --cores-per-task, --gpus-per-task")
    if given.quick and given.full:
        raise ValueError("--quick or --full, not both")
    if not given.only or len(set(given.only)) < len(given.only):
        raise ValueError("--only names each source once, and at least one")
    if set(given.only) != set(SOURCES) and (given.summary or given.readme):
        raise ValueError("--summary and --readme hold all sources: leave --only out")
    if given.readme:
        readme_blocks.around(given.readme, "published")
    console.check_folder(given.out)
    if given.moves_csv:
        from learners.supervised import read_csv
        from tttenv import Rules

        read_csv(Rules(), given.moves_csv)


def reproduce(given: Arguments, mode: str) -> dict[str, Any]:
    """All rows of the sources, filled in."""
    from scripts.reproduction import work
    from tttenv.parallel import ResultsFolder, Task

    path = str(given.moves_csv.resolve()) if given.moves_csv else None
    digest = hashlib.sha256(given.moves_csv.read_bytes()).hexdigest() if given.moves_csv else None
    names = tuple(name for name in SOURCES if name in given.only)
    tasks = work.tasks(names, mode, given.seed, path)
    todo = [
        Task(f"{task.source}: {task.job}", work.run_one, work.Piece(task, digest)) for task in tasks
    ]
    kept = given.out / FINISHED
    done = workers.values(workers.run_all(todo, given.workers, kept, quiet=given.json))
    ResultsFolder(kept).remove()
    found = {(task.source, task.job): told["found"] for task, told in zip(tasks, done, strict=True)}
    rows = work.filled(names, found, mode)
    return {
        "rules": "3,3,3",
        "mode": mode,
        "seed": given.seed,
        "moves_csv": given.moves_csv.name if given.moves_csv else None,
        "missed": [row["id"] for row in rows if row["holds"] is False],
        "seconds": round(sum(told["seconds"] for told in done), 1),
        "rows": rows,
    }


if __name__ == "__main__":
    console.run(main, PROG)
