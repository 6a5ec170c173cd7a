"""Options for where a command's tasks run, and progress bars for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import tyro

from tttenv.cli import console
from tttenv.cli.options import AddressOrNone, NumberOrNone
from tttenv.cli.text_tables import room
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:  # the executor is imported once a command runs tasks
    from tttenv.parallel.tasks import Progress, Task, TaskResult

MOST = 1024  # of parallel tasks, and of threads of each
MOST_BARS = 20  # bars of running tasks
CLOCK = 7  # characters of the remaining time
NAMED = 3  # failed tasks in a message


@dataclass(frozen=True)
class Workers:
    """Options for running tasks in processes on this machine or on a Ray cluster."""

    jobs: NumberOrNone = None  # number of parallel tasks; if omitted, as many as fit
    ray: AddressOrNone = None  # address of a Ray cluster; auto: RAY_ADDRESS or local
    cores_per_task: int = 1  # threads per task; results may differ in the last digits
    gpus_per_task: float = 0.0  # needs --ray: GPUs per task; training then runs on cuda

    @property
    def device(self) -> str:
        """Torch device for a task."""
        return "cuda" if self.gpus_per_task else "cpu"


HERE = Workers()  # this machine, with default settings
AllWorkers: TypeAlias = Annotated[Workers, tyro.conf.arg(name="")]  # its options without a prefix


def check(given: Workers) -> None:
    """Raise ValueError for invalid options, before anything runs."""
    for name, number in (("jobs", given.jobs), ("cores-per-task", given.cores_per_task)):
        if number is not None and not 1 <= number <= MOST:
            raise ValueError(f"--{name} must be at least 1 and at most {MOST:,}")
    if not 0 <= given.gpus_per_task < float("inf"):
        raise ValueError("--gpus-per-task must be 0 or more")
    if given.ray is None and given.gpus_per_task:
        raise ValueError("--gpus-per-task needs a Ray cluster: see --ray")


def run_all(
    tasks: Sequence[Task],
    given: Workers,
    results: Path | None = None,
    quiet: bool = False,
    tell: Callable[[TaskResult], str | None] = lambda outcome: None,
    pieces: str = "all",
) -> list[TaskResult]:
    """Run all tasks with progress bars.

    The first traceback is printed after all tasks have ended.

    Args:
        tasks: no two of them with the same description.
        given: where they run; see `check`.
        results: a folder of values of earlier runs, whose tasks are not run again.
        quiet: whether there are no bars.
        tell: called after each task; returns a line to print, or None.
        pieces: what the bar calls the tasks that have ended.

    Returns:
        The results in the order of the tasks; those that failed have an error.
    """
    if not tasks:
        return []
    from tttenv.parallel.tasks import ResultsFolder, run

    outcomes: list[TaskResult] = []
    folder = None if results is None else ResultsFolder(results)
    bars = _Bars([task.size for task in tasks], pieces, quiet)
    with backend(given) as entered, bars.progress, console.spoken(bars.text, quiet):
        for outcome in run(tasks, entered, folder, bars.news):
            outcomes.append(outcome)
            bars.ended(outcome, tell(outcome))
    outcomes.sort(key=lambda outcome: outcome.number)
    if traces := [outcome.traceback for outcome in outcomes if outcome.traceback]:
        print(traces[0], end="", file=sys.stderr)
    return outcomes


def values(outcomes: Sequence[TaskResult]) -> list[Any]:
    """Return the values of tasks, or raise ValueError naming the first ones that failed."""
    failed = [shown(outcome.error) for outcome in outcomes if outcome.error]
    if failed:
        lines = "; ".join([*failed[:NAMED], *["..."] * (len(failed) > NAMED)])
        raise ValueError(f"{len(failed)} of {len(outcomes)} failed: {lines}")
    return [outcome.value for outcome in outcomes]


def backend(given: Workers) -> Any:
    """Create the workers for the options, as a context manager that is not entered yet."""
    if given.ray is None:
        from tttenv.parallel.processes import Processes

        jobs = given.jobs or max(1, (os.cpu_count() or 1) // given.cores_per_task)
        return Processes(jobs, given.cores_per_task)
    from tttenv.parallel.ray_cluster import RayCluster

    return RayCluster(given.ray, given.cores_per_task, given.gpus_per_task, most=given.jobs)


def crew(option: str, number: int | None, ray: str | None) -> Any:
    """Create workers for parts of one piece of work, as a context manager; None without options.

    Args:
        option: the name of the option of the number.
        number: of workers; None for as many as fit on a cluster.
        ray: the address of a Ray cluster, or None for processes of this machine.

    Raises:
        ValueError: for a number out of range.
    """
    if number is not None and not 0 <= number <= MOST:
        raise ValueError(f"--{option} must be at least 0 and at most {MOST:,}, not {number}")
    if number or (ray and number is None):
        return backend(Workers(number, ray))
    return nullcontext()


class _Bars:
    """A progress bar for all tasks with the remaining time, and one for each running task."""

    def __init__(self, sizes: Sequence[int], pieces: str, quiet: bool) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
        from rich.table import Column

        self._sizes, self._total = sizes, sum(sizes)
        self._ended, self._failed, self._reused = 0, 0, 0
        self._shares: dict[int, float] = {}  # progress of the running tasks
        self._stops: list[float] = []  # that of the others at their end: trainings stop early
        self._bars: dict[int, Any] = {}
        third = (room(sys.stderr) or console.WIDE) // 3
        texts = Column(no_wrap=True, max_width=third)
        self.progress = console.bar(
            SpinnerColumn(),  # animated while the workers start
            TextColumn("{task.description}", table_column=texts),
            BarColumn(bar_width=20),  # the only column that gives way
            TimeRemainingColumn(table_column=Column(min_width=CLOCK, no_wrap=True)),
            TextColumn("{task.fields[state]}", table_column=texts.copy()),
            quiet=quiet,
        )
        self._whole = self.progress.add_task(pieces, total=self._total, state="")
        self._show()

    def text(self) -> str:
        """Describe the progress of all tasks, and of the first one that is running."""
        shown = [task for task in self.progress.tasks if not task.finished][:2]
        return ";  ".join(f"{task.description} {task.fields['state']}" for task in shown)

    def news(self, number: int, name: str, now: Progress) -> None:
        """Update the progress of a running task."""
        self._shares[number] = min(now.step / max(now.steps, 1), 1.0)
        if number not in self._bars and len(self._bars) < MOST_BARS:
            self._bars[number] = self.progress.add_task(name, state="")
        if number in self._bars:
            state = f"{now.step:,}/{now.steps:,}  {now.state}"
            self.progress.update(
                self._bars[number], completed=now.step, total=now.steps, state=state
            )
        self._show()

    def ended(self, outcome: TaskResult, line: str | None) -> None:
        """Mark a task as ended and print its line, if any."""
        size = outcome.task.size
        self._ended += size
        self._failed += size * bool(outcome.error)
        self._reused += size * outcome.reused
        if share := self._shares.pop(outcome.number, 0.0):
            self._stops.append(share)
        if outcome.number in self._bars:
            self.progress.remove_task(self._bars.pop(outcome.number))
        if line is not None:
            print(line, flush=True)
        self._show()

    def _show(self) -> None:
        parts = [f"{self._ended:,}/{self._total:,}"]
        parts += [] if self._ended or self._shares else ["starting"]
        parts += [f"{self._reused} from an earlier run"] if self._reused else []
        parts += [f"{self._failed} failed"] if self._failed else []
        usual = sum(self._stops) / len(self._stops) if self._stops else 1.0
        running = sum(self._sizes[n] * min(part / usual, 1) for n, part in self._shares.items())
        self.progress.update(self._whole, completed=self._ended + running, state="  ".join(parts))
