"""Training runs as tasks for workers."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learners.registry import presets
from tttenv.certificates import phrases
from tttenv.cli import workers
from tttenv.cli.workers import Workers
from tttenv.parallel import Context, Task, TaskResult
from tttenv.parallel.tasks import code_version, to_json
from tttenv.players.digests import digests
from tttenv.players.stored.config_io import named_players
from tttenv.utils.files import write
from tttenv.utils.untrusted import read_bytes

if TYPE_CHECKING:
    from learners.training.loop import Schedule

MARK = ".benchmark"  # in folders that were made for a task, which may replace what is there
RESULTS = ".finished"  # folder of what finished trainings came to, beside the folders of these
LONGEST_NAME = 100  # characters of a folder's name


@dataclass(frozen=True)
class Training:
    """A training run, described by everything that determines its result."""

    learner: str
    preset: str
    config: Any  # the learner's config
    rules: str
    schedule: "Schedule"
    files: list[list[str]]  # digests of the files of the players that the config names


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

    def schedule(
        self, steps: int | None, workers: Workers, until: str = "unbeatable"
    ) -> "Schedule":
        """Return the schedule of a run on the workers until certificates say `until`."""
        from learners.training.loop import usual_schedule

        return usual_schedule(
            self.learner,
            self.preset,
            steps=steps,
            until=until,
            device=workers.device,
            threads=workers.cores_per_task,
        )

    def training(self, seed: int, schedule: "Schedule") -> Training:
        """Return the training run with `seed`; raise ValueError if the learner rejects values."""
        preset = presets(self.learner)[self.preset]
        config = replace(preset, **self.changes | {"seed": seed})
        files = [digests(spec) for _, spec in named_players(config)]
        return Training(self.learner, self.preset, config, self.rules, schedule, files)


def text(value: Any) -> str:
    """Format the value of a setting as one word."""
    if isinstance(value, tuple | list):
        return "x".join(map(text, value))
    if isinstance(value, float) and float(f"{value:g}") == value:
        return f"{value:g}"
    return str(value)


def train_all(
    settings: Sequence[tuple[Setting, "Schedule"]],
    seeds: range,
    runs: Path,
    given: Workers,
    quiet: bool,
    tell: Callable[[Setting, int, TaskResult], str | None] = lambda setting, seed, outcome: None,
) -> list[tuple[Setting, int, TaskResult]]:
    """Train every setting with every seed on workers, each run in its own folder in `runs`.

    Finished runs are recognised by their results in the folder RESULTS of `runs`. Runs that were
    interrupted on this machine continue from their last checkpoint.

    Args:
        settings: the settings, each with its schedule.
        seeds: of the training runs.
        runs: the folder of their folders.
        given: where they run.
        quiet: whether to show no progress bars.
        tell: called with each outcome; returns a line to print, or None.

    Returns:
        The outcomes, setting by setting and seed by seed.
    """
    every = [(one, schedule, seed) for one, schedule in settings for seed in seeds]
    trainings = [(one.folder(seed), one.training(seed, plan)) for one, plan, seed in every]
    check_folders(trainings, runs)
    tasks = [Task(name, train_one, training, runs / name) for name, training in trainings]

    def told(outcome: TaskResult) -> str | None:
        one, _, seed = every[outcome.number]
        return tell(one, seed, outcome)

    outcomes = workers.run_all(tasks, given, runs / RESULTS, quiet, told)
    return [(one, seed, found) for (one, _, seed), found in zip(every, outcomes, strict=True)]


def check_folders(trainings: Sequence[tuple[str, Training]], runs: Path) -> None:
    """Raise ValueError for a folder that was not created for a training run, or cannot be used."""
    for name, _ in trainings:
        folder = runs / name
        if folder.exists() and not _made_here(folder):
            raise ValueError(
                f"{folder} was not created by this command: choose another folder with --runs"
            )


def train_one(training: Training, context: Context) -> dict[str, Any]:
    """Train in the task's folder, reporting progress at every step; return the results.

    Returns:
        Steps, processor seconds, compile seconds, the step and seconds of the first unbeatable and
        the first perfect certificate if there was one, how many in a row were at the end, and the
        certificate of the player kept.
    """
    from learners.training.loop import Evaluation
    from learners.training.train import Setup, remove, train
    from tttenv.game.rules import Rules
    from tttenv.utils.compile_time import Stopwatch

    folder, schedule = context.folder, training.schedule
    assert folder is not None
    resume = _interrupted(folder, training)
    if not resume:
        write(folder / MARK, "")  # killed from here on, it is still ours, and not resumed
        remove(folder, but=MARK)
        write(folder / MARK, _digest(training))
    state = "starting"

    def evaluated(evaluation: Evaluation) -> None:
        nonlocal state
        state = phrases.standing(evaluation.numbers)
        context.tell(evaluation.step, schedule.steps, state)

    setup = Setup(training.preset, stepped=lambda step: context.tell(step, schedule.steps, state))
    rules, clock = Rules.of(training.rules), Stopwatch()
    last = train(
        training.learner,
        training.config,
        rules,
        schedule,
        folder,
        resume=resume,
        watch=evaluated,
        setup=setup,
    )
    return {
        "steps": last.step,
        "seconds": last.seconds,
        "compile_seconds": round(clock.compile_seconds, 3),
        "unbeatable_at": last.unbeatable_at,
        "perfect_at": last.perfect_at,
        "in_a_row": last.in_a_row,
        "certificate": None if last.certificate is None else last.certificate.to_dict(),
    }


def _made_here(folder: Path) -> bool:
    """Return whether a folder was created for a task, even if the task never marked it."""
    if not folder.is_dir():
        return False
    names = {file.name for file in folder.iterdir()}
    return MARK in names or all(name.startswith(f".{MARK}.") for name in names)


def _interrupted(folder: Path, training: Training) -> bool:
    """Return whether the folder holds this run's state, unfinished and resumable."""
    from learners.training.checkpoint import load_training
    from learners.training.loop import Progress, finished
    from tttenv.players.stored.config_io import from_stored

    try:
        if read_bytes(folder / MARK, len(_digest(training))).decode() != _digest(training):
            return False
        state = load_training(folder)
        progress = from_stored(Progress, state["clock"], str(folder))
    except (FileNotFoundError, ValueError):
        return False
    return not finished(training.schedule, progress)


def _digest(training: Training) -> str:
    """Return a digest of everything that determines the weights at a given step, including code."""
    about = asdict(training)
    schedule = about.pop("schedule")
    about |= {name: schedule[name] for name in ("every", "device", "threads")}
    about["code"] = code_version(__name__.partition(".")[0])
    return hashlib.sha256(to_json(about, sort_keys=True).encode()).hexdigest()
