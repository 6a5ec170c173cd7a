"""Selecting the jobs that rows need, running them in workers, and filling in the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

from scripts import reproduction
from scripts.reproduction.rows import Found, Job, Numbers, Row, Task, holds, scores, tolerance
from tttenv.parallel import Context

MODES = ("quick", "default", "full")


def tasks(names: tuple[str, ...], mode: str, seed: int, moves_csv: str | None) -> list[Task]:
    """Return the tasks for all rows of the given sources, long ones first."""
    found = []
    players = dict.fromkeys(
        row.repaired.split("/")[0] for name in names for row in reproduction.load(name).ROWS
    )
    for name in names:
        module = reproduction.load(name)
        needed = dict.fromkeys(row.job for row in module.ROWS if row.job)
        for job in needed:
            amount = module.JOBS[job].amounts[MODES.index(mode)]
            found += [
                Task(name, job, amount, seed + further, moves_csv)
                for further in range(seeds_of(module.JOBS[job], mode))
            ]
    found += [Task("repaired", player, 1, seed, None) for player in players if player]
    return sorted(found, key=lambda task: not job_of(task).long)


def seeds_of(job: Job, mode: str) -> int:
    """Return the number of training runs of a job in a mode."""
    return 1 if mode == "quick" else job.seeds


def needs(source: str, task: Task) -> bool:
    """Return whether the rows of a source need the result of a task."""
    if task.source != "repaired":
        return task.source == source
    return any(row.repaired.split("/")[0] == task.job for row in reproduction.load(source).ROWS)


def merged(done: Sequence[Found]) -> Found:
    """Merge the results of a job's training runs: the median of each number, and the first note."""
    if len(done) == 1:
        return done[0]
    return {
        key: told if isinstance(told, str) else _medians([found[key] for found in done])
        for key, told in done[0].items()
    }


def _medians(numbers: Sequence[Numbers]) -> list[float]:
    return [float(median(column)) for column in zip(*numbers, strict=True)]


def job_of(task: Task) -> Job:
    """Return the job that a task belongs to."""
    if task.source == "repaired":
        from scripts.reproduction.training import repaired

        return Job(repaired)
    job: Job = reproduction.load(task.source).JOBS[task.job]
    return job


@dataclass(frozen=True)
class Piece:
    """A task, and the SHA-256 of the file that it names, if any."""

    task: Task
    moves_csv_sha256: str | None


def run_one(piece: Piece, context: Context) -> dict[str, Any]:
    """Run a task in this process, reporting its progress."""
    import torch

    torch.set_num_threads(1)
    start, task = process_time(), piece.task

    def tell(done: int, of: int) -> None:
        context.tell(done, of, "")

    found = job_of(task).run(task, tell)
    plain = {key: told if isinstance(told, str) else _plain(told) for key, told in found.items()}
    return {"found": plain, "seconds": process_time() - start}


def filled(names: tuple[str, ...], done: dict[tuple[str, str], Found], mode: str) -> list[Any]:
    """Return the rows of the given sources with their results, JSON-serializable."""
    return [
        _filled(name, row, done, mode) for name in names for row in reproduction.load(name).ROWS
    ]


def _filled(source: str, row: Row, done: dict[tuple[str, str], Found], mode: str) -> dict[str, Any]:
    """Return a row with its results."""
    found = done.get((source, row.job), {})
    job: Job | None = reproduction.load(source).JOBS.get(row.job)
    amount = job.amounts[MODES.index(mode)] if job else 0
    published, (player, _, key) = found.get(row.key), row.repaired.partition("/")
    return {
        "id": row.id,
        "source": source,
        "what": row.what,
        "unit": row.unit,
        "claimed": list(row.claimed),
        "published": published,
        "repaired": done["repaired", player][key] if player else found.get(f"repaired {row.key}"),
        "expected": list(row.known),
        "tolerance": tolerance(row),
        "holds": holds(row, published, amount),
        "budget": job.budget(amount, seeds_of(job, mode))
        if job and published is not None
        else None,
        "budget_claimed": (job.claimed or job.budget(amount)) if job else None,
        "z": scores(row, published),
        "main": row.main,
        "note": "; ".join(_notes(row, found, job, amount)),
    }


def _notes(row: Row, found: Found, job: Job | None, amount: int) -> list[str]:
    """Return the notes on a row."""
    notes = [note for note in (row.note, found.get(f"note {row.key}", "")) if note]
    z = scores(row, found.get(row.key))
    if z:
        within = "not within" if max(map(abs, z)) > 3 else "within"
        errors = ", ".join(f"{score:g}" for score in z)
        notes.append(f"claimed of {row.games:,} games, {within} their noise: z = {errors}")
    if job and amount < row.least:
        notes.append(f"judged from {job.budget(row.least)} on")
    return notes


def _plain(numbers: Any) -> list[float]:
    """Convert numbers to JSON's types; whole numbers become integers."""
    return [int(n) if float(n).is_integer() else float(n) for n in numbers]
