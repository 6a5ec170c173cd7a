"""Running tasks on workers, a bounded number at a time, and a folder of their results."""

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tttenv.parallel.tasks import LONGEST_VALUE, Done, Task, description, key, to_json
from tttenv.utils.files import write
from tttenv.utils.untrusted import parse_json, read_bytes

LOOK_EVERY = 0.1  # seconds between two looks at the news while no task ends
LONGEST = 2 * LONGEST_VALUE  # bytes of a result's file
OURS = re.compile(r"[0-9a-f]{64}\.json|\.[0-9a-f]{64}\.json\..+")  # results, and cut-off writings
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

    def __enter__(self) -> Any: ...

    def __exit__(self, kind: Any, /, *rest: Any) -> None: ...

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


class ResultsFolder:
    """A folder of task results, which persist between runs; it is created with the first one.

    A file holds the description of its task, the value and a digest of the value. A file that is
    truncated, altered, not regular or has another description is ignored; so is one whose task has
    a folder that no longer exists.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, task: Task) -> dict[str, Any] | None:
        """Return the file of a task with its `value`, or None if none is complete and matching."""
        if task.folder is not None and not task.folder.is_dir():
            return None
        file = self._file(task)
        try:
            found: dict[str, Any] = parse_json(read_bytes(file, LONGEST), file)
            whole = found["sha256"] == _digest(found["value"])
            return found if whole and found["task"] == description(task) else None
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def put(self, task: Task, value: str) -> None:
        """Store a task's value as JSON text."""
        about, digest = to_json(description(task)), _digest(json.loads(value))
        text = f'{{"task": {about},\n "value": {value},\n "sha256": "{digest}"}}\n'
        write(self._file(task), text)

    def remove(self) -> None:
        """Remove all results, and the folder if it is then empty."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for file in list(self.folder.iterdir()):
                if OURS.fullmatch(file.name) and (file.is_symlink() or file.is_file()):
                    file.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _file(self, task: Task) -> Path:
        return self.folder / f"{key(task)}.json"


def _digest(value: Any) -> str:
    return hashlib.sha256(to_json(value).encode()).hexdigest()


def run(
    tasks: Iterable[Task],
    backend: Backend,
    results: ResultsFolder | None = None,
    watch: Callable[[News], None] = lambda news: None,
) -> Iterator[TaskResult]:
    """Run all tasks and yield each result as it arrives, in no particular order.

    Tasks are taken one by one as workers become free; no two may have the same description. A value
    is written to the results before it is yielded. Tasks whose value is already there are not run;
    failed tasks store nothing, and do not stop the others. `watch` is called in this thread with
    the progress of running tasks. If the caller stops early, running tasks occupy their workers
    until they end; their values are lost.
    """
    waiting, working = enumerate(tasks), dict[int, tuple[int, Task]]()
    while True:
        while len(working) < backend.room() and (following := next(waiting, None)):
            number, task = following
            if results is not None and (stored := results.get(task)) is not None:
                yield TaskResult(number, task, stored["value"], reused=True)
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
            if submitted not in working:  # left from a run that stopped early
                continue
            number, task = working.pop(submitted)
            if done.value is None:
                line = f"{task.name}: {done.error}"
                yield TaskResult(number, task, error=line, traceback=done.traceback)
                continue
            if results is not None:
                results.put(task, done.value)
            yield TaskResult(number, task, json.loads(done.value))
