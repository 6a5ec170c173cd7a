"""Running tasks on workers, a bounded number at a time."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from tttenv.parallel.results_folder import ResultsFolder
from tttenv.parallel.tasks import Done, Task

LOOK_EVERY = 0.1  # seconds between two looks at the news while no task ends
NUMBERS = itertools.count()  # of submitted tasks, unique among all that use the same workers


class News(NamedTuple):
    """Progress of a running task."""

    number: int  # of the task, counted from 0
    name: str
    step: int
    steps: int
    state: str  # a few words


@dataclass(frozen=True)
class TaskResult:
    """The result of a task: a value, or a one-line error."""

    number: int  # of the task, counted from 0
    task: Task
    value: Any = None
    error: str = ""
    traceback: str = ""
    reused: bool = False  # whether the value is from an earlier run


class Backend(Protocol):
    """Workers of one kind; leaving the context terminates all of them."""

    def __enter__(self) -> Any:
        """Start the workers."""

    def __exit__(self, kind: Any, /, *rest: Any) -> None:
        """Terminate all workers."""

    def room(self) -> int:
        """Return the number of tasks that can run at the same time, including running ones."""

    def submit(self, number: int, task: Task) -> None:
        """Start a task, or queue it."""

    def wait(self, seconds: float) -> list[tuple[int, Done]]:
        """Return the tasks that have ended, or an empty list if none ends within `seconds`.

        A task whose worker was lost is run again by another one, `ATTEMPTS` times in all.
        """

    def news(self) -> list[tuple[int, int, int, str]]:
        """Return the progress of running tasks: number, steps done, total steps and a remark."""


def run(
    tasks: Iterable[Task],
    backend: Backend,
    results: ResultsFolder | None = None,
    watch: Callable[[News], None] = lambda news: None,
) -> Iterator[TaskResult]:
    """Run all tasks and yield each result as it arrives, in no particular order.

    A value is written to the results before it is yielded. Tasks whose value is already there are
    not run; failed tasks store nothing. An error in one task does not stop the others. If the
    caller stops early, running tasks occupy their workers until they end; their values are lost.

    Args:
        tasks: taken one by one as workers become free. No two may have the same description.
        backend: the workers.
        results: where values are stored; None to store none.
        watch: called in this thread with the progress of running tasks.
    """
    waiting, working = enumerate(tasks), dict[int, tuple[int, Task]]()
    while True:
        while len(working) < backend.room() and (following := next(waiting, None)):
            number, task = following
            if results is not None and (stored := results.get(task)) is not None:
                yield TaskResult(number, task, stored.value, reused=True)
                continue
            submitted = next(NUMBERS)
            working[submitted] = following
            backend.submit(submitted, task)
        if not working:
            return
        ended = backend.wait(LOOK_EVERY)
        for submitted, step, steps, state in backend.news():
            if submitted in working:
                number, task = working[submitted]
                watch(News(number, task.name, step, steps, state))
        for submitted, done in ended:
            if submitted in working:  # others are left from a run that stopped early
                yield _outcome(*working.pop(submitted), done, results)


def _outcome(number: int, task: Task, done: Done, results: ResultsFolder | None) -> TaskResult:
    if done.value is None:
        line = f"{task.name}: {done.error}"
        return TaskResult(number, task, error=line, traceback=done.traceback)
    if results is not None:
        results.put(task, done.value)
    return TaskResult(number, task, json.loads(done.value))
