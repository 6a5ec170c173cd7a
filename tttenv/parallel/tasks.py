"""Tasks, the keys of their results, their execution in a worker, and the version of their code."""

import hashlib
import json
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from tttenv.utils import optional_dependencies
from tttenv.utils.untrusted import MEBIBYTE, first_line, shown

ATTEMPTS = 3  # for each task; another one follows only if its worker was lost
LONGEST_VALUE = 16 * MEBIBYTE  # bytes of a value as JSON; more belongs into the task's folder
PACKAGES = ("tttenv", "learners")  # whatever a task calls, it may call these
LIBRARIES = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
Tell: TypeAlias = Callable[[int, int, str], None]  # steps done, of how many, a few words


@dataclass(frozen=True)
class Shared:
    """A value that many tasks use, such as weights, sent to each worker once."""

    version: int  # changes with the value
    value: Any  # any value that can be pickled


@dataclass(frozen=True)
class Context:
    """Context passed to a task's function in addition to its arguments."""

    tell: Tell  # call it as often as you like; it never waits
    folder: Path | None = None  # for files, if the task has a folder; not always the same path
    shared: Shared | None = None  # the task's


Work: TypeAlias = Callable[[Any, Context], Any]


@dataclass(frozen=True)
class Task:
    """A piece of work whose value does not depend on when or where it runs."""

    name: str  # in messages and beside progress bars
    work: Work  # a module-level function; returns a JSON value
    arguments: Any  # a dataclass or a JSON value; determines the result
    folder: Path | None = None  # folder for its files; a cluster copies them here
    size: int = 1  # its weight in a progress bar
    shared: Shared | None = None  # only for tasks whose values are not stored in a folder


@dataclass(frozen=True)
class Done:
    """The outcome of a task in a worker: a value or an error."""

    value: str | None  # as JSON
    error: str = ""  # one line
    traceback: str = ""  # of an error that may be caused by a bug


def to_json(value: Any, sort_keys: bool = False) -> str:
    """Serialize a value as JSON text."""
    try:
        return json.dumps(value, sort_keys=sort_keys, allow_nan=False, default=_refused)
    except TypeError as error:
        raise ValueError(str(error)) from None


def description(task: Task) -> dict[str, Any]:
    """Return everything that a task's value depends on: function, arguments, code version."""
    if task.shared is not None:
        raise ValueError(f"{task.name}: a task with a shared value has no description")
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


def key(task: Task) -> str:
    """Return the name of a task's result: a digest of its description in 64 hexadecimal digits."""
    return hashlib.sha256(to_json(description(task), sort_keys=True).encode()).hexdigest()


def perform(work: Work, arguments: Any, context: Context) -> Done:
    """Run a task in this process; any exception becomes its error."""
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


def _refused(value: Any) -> Any:
    raise TypeError(f"JSON cannot represent a value of type {type(value).__name__}")


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
