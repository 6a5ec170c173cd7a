"""Tasks, the keys of their results, their execution by workers, and a folder of their results."""

import hashlib
import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from tttenv.utils import optional_dependencies
from tttenv.utils.files import write
from tttenv.utils.untrusted import MEBIBYTE, first_line, parse_json, read_bytes, shown

ATTEMPTS = 3  # for each task; another one follows only if its worker was lost
LONGEST_VALUE = 16 * MEBIBYTE  # bytes of a value as JSON; more belongs into the task's folder
PACKAGES = ("tttenv", "learners")  # whatever a task calls, it may call these
LIBRARIES = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
LOOK_EVERY = 0.1  # seconds between two looks at the news while no task ends
LONGEST = 2 * LONGEST_VALUE  # bytes of a result's file
Tell: TypeAlias = Callable[[int, int, str], None]  # steps done, of how many, a few words


@dataclass(frozen=True)
class Context:
    """Context passed to a task's function in addition to its arguments."""

    tell: Tell = lambda step, steps, state: None  # call it as often as you like; it never waits
    folder: Path | None = None  # for files, if the task has a folder; not always the same path


Work: TypeAlias = Callable[[Any, Context], Any]


@dataclass(frozen=True)
class Task:
    """A piece of work whose value does not depend on when or where it runs."""

    name: str  # in messages and beside progress bars
    work: Work  # a module-level function; returns a JSON value
    arguments: Any  # a dataclass or a JSON value; determines the result
    folder: Path | None = None  # folder for its files; a cluster copies them here
    size: int = 1  # its weight in a progress bar


class Progress(NamedTuple):
    """Progress of a running task."""

    step: int
    steps: int
    state: str  # a few words


@dataclass(frozen=True)
class Done:
    """The outcome of a task in a worker: a value or an error."""

    value: str | None  # as JSON
    error: str = ""  # one line
    traceback: str = ""  # of an error that may be caused by a bug


def to_json(value: Any, sort_keys: bool = False) -> str:
    """Serialize a value as JSON text; for one that is not JSON, or not finite, raise ValueError."""
    try:
        return json.dumps(value, sort_keys=sort_keys, allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from None


def description(task: Task) -> dict[str, Any]:
    """Return everything that a task's value depends on: function, arguments, code version.

    Raises:
        ValueError: for a function within another one, and for arguments that are not JSON.
    """
    name, home = task.work.__qualname__, task.work.__module__
    if "<" in name:
        raise ValueError(f"{task.name}: {name} is not a module-level function")
    given = asdict(task.arguments) if is_dataclass(task.arguments) else task.arguments  # type: ignore[arg-type]  # an instance
    try:
        arguments = json.loads(to_json(given))
    except ValueError as error:
        raise ValueError(f"{task.name}: its arguments cannot be described: {error}") from None
    code = code_version(home.partition(".")[0])
    return {"work": f"{home}:{name}", "arguments": arguments, "code": code}


def digest(value: Any) -> str:
    """Return a digest of a JSON value in 64 hexadecimal digits, whatever the order of its keys."""
    return hashlib.sha256(to_json(value, sort_keys=True).encode()).hexdigest()


def key(task: Task) -> str:
    """Return the name of a task's result: the digest of its description."""
    return digest(description(task))


def perform(work: Work, arguments: Any, context: Context) -> Done:
    """Run a task in this process; any exception becomes its error.

    Args:
        work: the task's function.
        arguments: its first argument.
        context: its second.

    Returns:
        The value as JSON, or the error in a line: of a ValueError or OSError its message alone, of
        others also their type and traceback.
    """
    try:
        value = to_json(work(arguments, context))
        if len(value) > LONGEST_VALUE:
            raise ValueError(f"its value is too long: {len(value):,} bytes of {LONGEST_VALUE:,}")
    except (ValueError, OSError) as error:
        return Done(None, shown(first_line(error)))
    except (Exception, SystemExit) as error:
        if isinstance(error, ImportError) and (advice := optional_dependencies.to_install(error)):
            return Done(None, advice)
        line = f"{type(error).__name__}: {shown(first_line(error))}"
        return Done(None, line, traceback.format_exc())
    return Done(value)


@cache
def code_version(package: str) -> dict[str, str]:
    """Return the versions that a result depends on: sources, Python and libraries, by name.

    All sources of the package of the task's function count, besides ours, so that the results of
    edited code are never mistaken for earlier ones although the version number is the same.
    """
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in sorted({*PACKAGES, package} - {"__main__"}):
        spec = find_spec(name)
        if spec is None or spec.origin is None or spec.submodule_search_locations is None:
            continue  # a module of its own, such as a test
        folder, total = Path(spec.origin).parent, hashlib.sha256()
        for file in sorted(folder.rglob("*.py")):
            content = file.read_bytes()
            total.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
            total.update(content)
        found[f"sources of {name}"] = total.hexdigest()
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):  # of an extra that is not installed
            found[name] = version(name)
    return found


@dataclass(frozen=True)
class TaskResult:
    """The result of a task: a value, or a one-line error."""

    number: int  # of the task, counted from 0
    task: Task
    value: Any = None
    error: str = ""
    traceback: str = ""
    reused: bool = False  # whether the value is from an earlier run


class Backend(AbstractContextManager["Backend"], Protocol):
    """Workers of one kind; leaving the context terminates all of them."""

    def room(self) -> int:
        """Return the number of tasks that can run at the same time, including running ones."""

    def submit(self, number: int, task: Task) -> None:
        """Start a task where there is room for it."""

    def wait(self, seconds: float) -> list[tuple[int, Done | Progress]]:
        """Return the outcome or progress of tasks, or an empty list if there is none in `seconds`.

        A task whose worker was lost is run again by another one, `ATTEMPTS` times in all.
        """

    def stop(self) -> None:
        """End all running tasks."""


@dataclass(frozen=True)
class ResultsFolder:
    """A folder of task results, which persist between runs; it is created with the first one.

    A file holds the description of its task, the value and a digest of the value. A file that is
    truncated, altered, not regular or has another description is ignored; so is one whose task has
    a folder that no longer exists.
    """

    folder: Path

    def get(self, task: Task) -> dict[str, Any] | None:
        """Return the file of a task with its `value`, or None if none is complete and matching."""
        if task.folder is not None and not task.folder.is_dir():
            return None
        file = self._file(task)
        try:
            found: dict[str, Any] = parse_json(read_bytes(file, LONGEST), file)
            whole = found["sha256"] == digest(found["value"])
            return found if whole and found["task"] == description(task) else None
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def put(self, task: Task, value: str) -> None:
        """Store a task's value as JSON text."""
        about, whole = to_json(description(task)), digest(json.loads(value))
        text = f'{{"task": {about},\n "value": {value},\n "sha256": "{whole}"}}\n'
        write(self._file(task), text)

    def remove(self) -> None:
        """Remove all results, and the folder if it is then empty."""
        for file in self.folder.glob("[0-9a-f]" * 64 + ".json"):
            file.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _file(self, task: Task) -> Path:
        return self.folder / f"{key(task)}.json"


def run(
    tasks: Iterable[Task],
    backend: Backend,
    results: ResultsFolder | None = None,
    watch: Callable[[int, str, Progress], None] = lambda number, name, progress: None,
) -> Iterator[TaskResult]:
    """Run all tasks and yield each result as it arrives, in no particular order.

    Tasks are taken one by one as workers become free. Failed tasks store nothing, and do not stop
    the others. If the caller stops early, running tasks are ended.

    Args:
        tasks: no two of them with the same description.
        backend: the workers, whose context is entered; one run at a time uses them.
        results: where a value is written before it is yielded, and found by a later run, which
            does not run its task again; None to keep nothing.
        watch: called in this thread with the number, name and progress of running tasks.

    Yields:
        A value as JSON gives it back, or an error in a line, for each task.
    """
    waiting, working = enumerate(tasks), dict[int, Task]()
    try:
        while True:
            while len(working) < backend.room() and (following := next(waiting, None)):
                number, task = following
                if results is not None and (stored := results.get(task)) is not None:
                    yield TaskResult(number, task, stored["value"], reused=True)
                    continue
                working[number] = task
                backend.submit(number, task)
            if not working:
                return
            for number, found in backend.wait(LOOK_EVERY):
                task = working[number]
                if isinstance(found, Progress):
                    watch(number, task.name, found)
                    continue
                del working[number]
                if found.value is None:
                    line = f"{task.name}: {found.error}"
                    yield TaskResult(number, task, error=line, traceback=found.traceback)
                    continue
                if results is not None:
                    results.put(task, found.value)
                yield TaskResult(number, task, json.loads(found.value))
    finally:
        if working:  # their results are for nobody
            backend.stop()


def answers(work: Work, parts: Sequence[Any], backend: Backend) -> list[Any]:
    """Return a function's values for all parts of one piece of work, in their order.

    They do not depend on the workers, as long as the division into parts does not. A part that
    workers fail to answer is answered in this process, with a warning.

    Args:
        work: a module-level function of a part and a `Context`; returns a JSON value.
        parts: its arguments, which are sent to the workers.
        backend: the workers, whose context is entered.
    """
    found: dict[int, Any] = {}
    tasks = (Task(f"part {number}", work, part) for number, part in enumerate(parts))
    for outcome in run(tasks, backend):
        found[outcome.number] = outcome.value
        if outcome.error:
            warnings.warn(f"{outcome.error}; it is answered here instead", stacklevel=2)
            found[outcome.number] = work(parts[outcome.number], Context())
    return [found[number] for number in range(len(parts))]
