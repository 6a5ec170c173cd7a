"""Where a command's tasks run, as options, and all of them done with a progress bar."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tttenv.parallel import Backend, News, ResultsFolder, Task, TaskResult, run
from tttenv.utils.untrusted import MEBIBYTE, shown

MOST_BARS = 20  # of tasks at work
TOLD = 3  # failed tasks that a message names


@dataclass(frozen=True)
class Workers:
    """Where tasks run: in processes of this machine or on a Ray cluster."""

    jobs: int | None = None  # tasks at the same time; without it, as many as there is room for
    ray: str | None = None  # a Ray cluster: its address, or auto for RAY_ADDRESS or the one here
    cores_per_task: int = 1  # threads of a task; another number may change the last digits
    gpus_per_task: float = 0.0  # of a task; trainings then compute on cuda
    memory_per_task: int | None = None  # mebibytes: fewer tasks at once where there is less

    @property
    def device(self) -> str:
        """Where torch computes within a task."""
        return "cuda" if self.gpus_per_task else "cpu"


HERE = Workers()  # the cores of this machine


def check(given: Workers) -> None:
    """Raise ValueError for options that cannot be, before anything is run."""
    if given.jobs is not None and given.jobs < 1:
        raise ValueError("--jobs is at least 1")
    if given.cores_per_task < 1:
        raise ValueError("--cores-per-task is at least 1")
    if not 0 <= given.gpus_per_task < float("inf"):
        raise ValueError("--gpus-per-task is 0 or more")
    if given.memory_per_task is not None and given.memory_per_task < 1:
        raise ValueError("--memory-per-task is at least 1")
    if given.ray is None:
        _processes(given)


def run_all(
    tasks: Sequence[Task],
    given: Workers,
    results: Path | None = None,
    quiet: bool = False,
    tell: Callable[[TaskResult], str | None] = lambda outcome: None,
    pieces: str = "all",
) -> list[TaskResult]:
    """Do all tasks and return what came of each, in the order of the tasks.

    Args:
        tasks: no two of the same description.
        given: where.
        results: the folder of their values, which an earlier run may have left; see `run`.
        quiet: show no bars.
        tell: a line to print when a task has ended, if any.
        pieces: what the bar over all tasks counts, which is the sum of their sizes.

    The traceback of the first error that is no plain one is printed when all have ended.

    Raises:
        ValueError: if there is no room for one task, or no Ray cluster.
    """
    if not tasks:
        return []
    outcomes: list[TaskResult] = []
    folder = None if results is None else ResultsFolder(results)
    with backend(given) as entered, _Bars([task.size for task in tasks], pieces, quiet) as bars:
        for outcome in run(tasks, entered, folder, bars.news):
            outcomes.append(outcome)
            bars.ended(outcome, tell(outcome))
    outcomes.sort(key=lambda outcome: outcome.number)
    if traces := [outcome.traceback for outcome in outcomes if outcome.traceback]:
        print(traces[0], end="", file=sys.stderr)
    return outcomes


def values(outcomes: Sequence[TaskResult]) -> list[Any]:
    """The values of tasks that all had to be done.

    Raises:
        ValueError: naming those that failed; what the others came to is kept.
    """
    failed = [outcome.error for outcome in outcomes if outcome.error]
    if failed:
        more = f"; and {len(failed) - TOLD} more" if len(failed) > TOLD else ""
        told = "; ".join(shown(line) for line in failed[:TOLD])
        raise ValueError(f"{len(failed)} of {len(outcomes)} failed: {told}{more}")
    return [outcome.value for outcome in outcomes]


def backend(given: Workers) -> Any:
    """The workers that the options ask for, whose context is still to be entered.

    Raises:
        ValueError: if there is no room for one task.
        ModuleNotFoundError: if Ray is asked for and not installed.
    """
    if given.ray is None:
        return _processes(given)
    from tttenv.parallel.ray_cluster import RayCluster

    return RayCluster(
        given.ray, given.cores_per_task, given.gpus_per_task, given.memory_per_task, given.jobs
    )


def _processes(given: Workers) -> Backend:
    """Processes of this machine, as many as it has cores, devices and memory for.

    Raises:
        ValueError: if there is no room for one task.
    """
    from tttenv.parallel.processes import Processes

    rooms = [given.jobs or max(1, (os.cpu_count() or 1) // given.cores_per_task)]
    gpus: list[str] = []
    if given.gpus_per_task:
        each = int(given.gpus_per_task)
        if each != given.gpus_per_task:
            raise ValueError("parts of a device are shared on a Ray cluster only: see --ray")
        known = _devices()
        gpus = [",".join(known[i : i + each]) for i in range(0, len(known) - each + 1, each)]
        if not gpus:
            raise ValueError(f"--gpus-per-task {each}: this machine has {len(known)}")
        rooms.append(len(gpus))
    if given.memory_per_task is not None:
        has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEBIBYTE
        if given.memory_per_task > has:
            raise ValueError(
                f"--memory-per-task {given.memory_per_task}: this machine has {has} mebibytes"
            )
        rooms.append(has // given.memory_per_task)
    return Processes(min(rooms), given.cores_per_task, gpus)


def _devices() -> list[str]:
    """The GPUs of this machine, as CUDA names them."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return [name.strip() for name in visible.split(",") if name.strip()]
    found = Path("/dev").glob("nvidia[0-9]*")
    return sorted(file.name.removeprefix("nvidia") for file in found)


class _Bars:
    """A bar over all tasks with the time left, and one for each task at work that tells of itself.

    Args:
        sizes: of the tasks.
        pieces: what the sizes count.
        quiet: show nothing.
    """

    def __init__(self, sizes: Sequence[int], pieces: str, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self._sizes, self._total = sizes, sum(sizes)
        self._ended, self._failed, self._reused = 0, 0, 0
        self._shares: dict[int, float] = {}  # of the tasks at work, how much is done
        self._bars: dict[int, Any] = {}
        self.progress = Progress(
            SpinnerColumn(),  # moves while the workers start
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            redirect_stdout=sys.stdout.isatty(),  # or a redirected output would land on the screen
            disable=quiet,
        )
        self._whole = self.progress.add_task(pieces, total=self._total, state="")

    def __enter__(self) -> "_Bars":
        self.progress.start()
        self._show()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.progress.stop()

    def news(self, news: News) -> None:
        """A task at work is so far."""
        self._shares[news.number] = min(news.step / max(news.steps, 1), 1.0)
        state = f"{news.step:,}/{news.steps:,}  {news.state}"
        if news.number in self._bars:
            bar = self._bars[news.number]
            self.progress.update(bar, completed=news.step, total=news.steps, state=state)
        elif len(self._bars) < MOST_BARS:
            self._bars[news.number] = self.progress.add_task(
                news.name, completed=news.step, total=news.steps, state=state
            )
        self._show()

    def ended(self, outcome: TaskResult, line: str | None) -> None:
        """A task has ended; print what there is to say of it."""
        size = outcome.task.size
        self._ended += size
        self._failed += size * bool(outcome.error)
        self._reused += size * outcome.reused
        self._shares.pop(outcome.number, None)
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
        self.progress.update(
            self._whole,
            completed=self._ended + sum(self._sizes[n] * part for n, part in self._shares.items()),
            state="  ".join(parts),
        )
