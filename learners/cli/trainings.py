"""Training runs as tasks for workers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from learners.registry import presets
from tttenv.certificates import phrases
from tttenv.cli import console, workers
from tttenv.cli.workers import Workers
from tttenv.parallel.tasks import Context, Task, TaskResult, code_version, digest
from tttenv.players.stored.config_io import from_stored
from tttenv.utils.files import write
from tttenv.utils.untrusted import read_bytes, shown

if TYPE_CHECKING:  # loaded once a command trains
    from learners.training.run import Run, Schedule

MARK = ".benchmark"  # in folders that were made for a task, which may replace what is there
RESULTS = ".finished"  # folder of what finished trainings came to, beside the folders of these
LONGEST_NAME = 100  # characters of a folder's name
# What `train_one` returns: the steps, processor seconds, compile seconds and pace of the whole run,
# the step and seconds of the first unbeatable and the first perfect certificate if there was one,
# how many in a row were at the end, and the certificate of the player kept.
MEASURED = (
    *("steps", "seconds", "compile_seconds", "moves_per_second"),
    *("unbeatable_at", "perfect_at", "in_a_row", "certificate"),
)


@dataclass(frozen=True)
class Setting:
    """Settings of a learner, trained with every seed."""

    learner: str
    preset: str
    rules: str
    changes: dict[str, Any]  # fields of the preset's config that have other values

    @property
    def name(self) -> str:
        """The learner's name, and everything that differs from the defaults."""
        parts = [self.learner]
        parts += [self.rules] if self.rules != "3,3,3" else []
        parts += [self.preset] if self.preset != "default" else []
        return " ".join(parts + [f"{key}={text(value)}" for key, value in self.changes.items()])

    def folder(self, seed: int) -> str:
        """Return a folder name for the training run with `seed`, unique to that run."""
        whole = f"{self.name} {seed}"
        plain = re.sub(r"[^\w.=+-]", "-", whole.replace(",", "x"))
        numbers = all(isinstance(value, int | float | tuple) for value in self.changes.values())
        if numbers and len(plain) <= LONGEST_NAME:
            return plain
        return f"{plain[:LONGEST_NAME]}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    def schedule(self, steps: int | None, workers: Workers, until: str = "unbeatable") -> Schedule:
        """Return the schedule of a run on the workers until certificates say `until`."""
        from learners.training.run import usual_schedule

        return usual_schedule(
            self.learner,
            self.preset,
            steps=steps,
            until=until,
            device=workers.device,
            threads=workers.cores_per_task,
        )

    def run(self, seed: int, schedule: Schedule) -> Run:
        """Return the training run with `seed`; raise ValueError if the learner rejects values."""
        from learners.training.run import Run
        from tttenv.game.rules import Rules

        config = replace(presets(self.learner)[self.preset], **self.changes | {"seed": seed})
        return Run(self.learner, self.preset, config, Rules.of(self.rules), schedule).with_digests()


def text(value: Any) -> str:
    """Format the value of a setting as one word."""
    if isinstance(value, tuple | list):
        return "x".join(map(text, value))
    if isinstance(value, float) and float(f"{value:g}") == value:
        return f"{value:g}"
    return str(value)


def check(seeds: int, given: Workers, *folders: Path | None) -> None:
    """Check the options of several trainings before anything runs.

    Args:
        seeds: the number of seeds.
        given: the workers.
        *folders: those that will be written to; None for none.

    Raises:
        ValueError: for an option that is invalid.
    """
    if seeds < 1:
        raise ValueError("--seeds must be at least 1")
    workers.check(given)
    for folder in folders:
        console.check_folder(folder)


def train_all(
    settings: Sequence[tuple[Setting, Schedule]],
    seeds: range,
    runs: Path,
    given: Workers,
    quiet: bool,
    tell: Callable[[dict[str, Any]], str | None] = lambda found: None,
) -> list[dict[str, Any]]:
    """Train every setting with every seed on workers, each run in its own folder in `runs`.

    Finished runs are recognised by their results in the folder RESULTS of `runs`. Runs that were
    interrupted on this machine continue from their last checkpoint.

    Args:
        settings: the settings, each with its schedule.
        seeds: of the training runs.
        runs: the folder of their folders.
        given: where they run.
        quiet: whether to show no progress bars.
        tell: called with each result; returns a line to print, or None.

    Returns:
        The results, as in `result`, setting by setting and seed by seed.

    Raises:
        ValueError: if a learner rejects a setting, or a folder was not created for a training.
    """
    every = [(one, schedule, seed) for one, schedule in settings for seed in seeds]
    tasks = [
        Task(one.folder(seed), train_one, one.run(seed, plan), runs / one.folder(seed))
        for one, plan, seed in every
    ]
    for folder in (runs / task.name for task in tasks):
        if folder.exists() and not _made_here(folder):
            hint = "choose another folder with --runs"
            raise ValueError(f"{folder} was not created by this command: {hint}")

    def found(outcome: TaskResult) -> dict[str, Any]:
        one, _, seed = every[outcome.number]
        return result(one, seed, outcome)

    outcomes = workers.run_all(
        tasks, given, runs / RESULTS, quiet, lambda outcome: tell(found(outcome))
    )
    return [found(outcome) for outcome in outcomes]


def result(one: Setting, seed: int, outcome: TaskResult) -> dict[str, Any]:
    """Return a training run as in sweep.json and benchmark.json; what is unknown is None."""
    value = dict.fromkeys(MEASURED) | (outcome.value or {})
    card = value["certificate"] or {}
    steps, seconds = value["unbeatable_at"] or (None, None)
    return {
        "learner": one.learner,
        "preset": one.preset,
        "rules": one.rules,
        "changes": one.changes,  # fields that differ from the preset's config
        "folder": str(outcome.task.folder),  # the trained player's
        "setting": one.name,
        "seed": seed,
        **value,
        "unbeatable": steps is not None,
        "unbeatable_steps": steps,  # to the first unbeatable certificate
        "unbeatable_seconds": seconds,
        "worst_case_X": card.get("worst_case", {}).get("X"),
        "worst_case_O": card.get("worst_case", {}).get("O"),
        "optimal_moves": card.get("optimal_moves", {}).get("all"),
        "error": outcome.error,  # why the run failed; empty if it did not
    }


def failures(results: Sequence[dict[str, Any]]) -> str:
    """Return a sentence about the training runs that failed, or an empty string."""
    failed = [found["error"] for found in results if found["error"]]
    more = f"{len(failed)} of {len(results)} trainings failed, the first one: "
    return more + shown(failed[0]) if failed else ""


def summary(name: str, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Summarize the training runs of a setting; quartiles are linearly interpolated."""
    done = [one for one in results if not one["error"]]
    found: dict[str, Any] = {"setting": name, "learner": results[0]["learner"]}
    found |= {"seeds": len(results), "failed": len(results) - len(done)}
    for mark, which in (("perfect", "_perfect"), ("unbeatable", "")):
        reached = [one[f"{mark}_at"] for one in done if one[f"{mark}_at"]]
        found[mark] = len(reached)
        for number, key in enumerate(("steps", "seconds")):
            numbers = [at[number] for at in reached]
            found[f"median{which}_{key}"] = median(numbers) if numbers else None
            # Two copies of one number, as there are no quartiles of a single one.
            doubled = numbers * (1 + (len(numbers) == 1)) or [0, 0]
            low, _, high = quantiles(doubled, method="inclusive")
            found[f"quartiles{which}_{key}"] = [float(low), float(high)] if numbers else None
        found[f"{mark}_at"] = [one[f"{mark}_at"] for one in done]
    rates = [rate for one in done if (rate := one.get("moves_per_second"))]
    found["moves_per_second"] = median(rates) if rates else None
    found["slowest_seconds"] = max((at[1] for at in reached), default=None)
    for seat in "XO":
        known = [one[f"worst_case_{seat}"] for one in done]
        found[f"worst_case_{seat}"] = min(known) if known and None not in known else None
    return found


def train_one(run: Run, context: Context) -> dict[str, Any]:
    """Train in the task's folder, reporting progress at every step; return what is MEASURED."""
    from learners.training.loop import Evaluation
    from learners.training.train import remove, train
    from tttenv.utils.compile_time import Stopwatch

    folder, state = context.folder, "starting"
    assert folder is not None
    resume = _interrupted(folder, run)
    if not resume:
        write(folder / MARK, "")  # if killed from here on: ours, but not resumed
        remove(folder, but=MARK)
        write(folder / MARK, _digest(run))

    def stepped(step: int) -> None:
        context.tell(step, run.schedule.steps, state)

    def evaluated(evaluation: Evaluation) -> None:
        nonlocal state
        state = phrases.standing(evaluation.numbers)
        stepped(evaluation.step)

    clock = Stopwatch()
    last = train(run, folder, resume=resume, watch=evaluated, stepped=stepped)
    card = None if last.certificate is None else last.certificate.to_dict()
    numbers = last.step, last.seconds, round(clock.compile_seconds, 3), last.pace.moves_per_second
    marks = last.unbeatable_at, last.perfect_at, last.in_a_row, card
    return dict(zip(MEASURED, (*numbers, *marks), strict=True))


def _made_here(folder: Path) -> bool:
    """Return whether a folder was created for a task, even if the task never marked it."""
    if not folder.is_dir():
        return False
    names = {file.name for file in folder.iterdir()}
    return MARK in names or all(name.startswith(f".{MARK}.") for name in names)


def _interrupted(folder: Path, run: Run) -> bool:
    """Return whether the folder holds this run's state, unfinished and resumable."""
    from learners.training.checkpoint import load_training
    from learners.training.loop import Progress, finished

    try:
        if read_bytes(folder / MARK, len(_digest(run))).decode() != _digest(run):
            return False
        run.require_continues(folder)
        progress = from_stored(Progress, load_training(folder)[1]["progress"], str(folder))
    except (FileNotFoundError, ValueError):
        return False
    return not finished(run.schedule, progress)


def _digest(run: Run) -> str:
    """Return a digest of everything that determines the weights at a given step, including code."""
    schedule = asdict(run.schedule)
    about = run.card() | {name: schedule[name] for name in ("every", "device", "threads")}
    about["code"] = code_version(__name__.partition(".")[0])
    return digest(about)
