"""Tasks on a Ray cluster, from one machine to many; Ray is imported when it is asked for.

Every node needs the same version of this package and of the libraries that the tasks use: a node
with another one refuses its tasks. A task's files travel with it, so that no disk need be shared.
"""

import contextlib
import io
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path, PurePosixPath
from typing import Any, TextIO

from tttenv.files import write
from tttenv.parallel.code_version import code_version
from tttenv.parallel.tasks import ATTEMPTS, Context, Done, Task, Work, perform
from tttenv.untrusted import first_line, shown

AHEAD = 2  # tasks in flight for each that can run, so that no worker waits for the driver
EVERY = 2.0  # seconds between two looks at the cluster's size
MEBIBYTE = 2**20
UNPACKED = (".lock",)  # names of files that stay where they are
Files = dict[str, bytes]  # contents by path within a folder


class RayCluster:
    """The workers of a Ray cluster. A node or a worker that is lost costs its tasks an attempt.

    Args:
        address: of the cluster's head, as `ray.init` takes it; "auto" for that of RAY_ADDRESS, or
            the one that runs on this machine, or else a new one of this machine alone.
        cores: that each task takes.
        gpus: that each task takes; parts of one are allowed.
        memory: mebibytes that each task takes, as Ray reserves them; None for no account of it.
        most: tasks in flight, at the most; None for as many as the cluster has room for.

    Entering its context connects to the cluster and raises ValueError if none answers.

    Raises:
        ModuleNotFoundError: if Ray is not installed.
    """

    def __init__(
        self,
        address: str = "auto",
        cores: int = 1,
        gpus: float = 0.0,
        memory: int | None = None,
        most: int | None = None,
    ) -> None:
        import ray

        self._ray, self._address, self._most = ray, address, most
        self._cores, self._gpus, self._memory = cores, gpus, memory
        self._connected = False
        self._flying: dict[Any, tuple[int, Task]] = {}
        self._counted, self._room = -EVERY, 1

    def room(self) -> int:
        """See `Backend.room`: it grows and shrinks with the cluster."""
        if time.monotonic() - self._counted >= EVERY:
            self._counted = time.monotonic()
            has = self._ray.cluster_resources()
            running = has.get("CPU", 0.0) / self._cores
            if self._gpus:
                running = min(running, has.get("GPU", 0.0) / self._gpus)
            room = max(1, AHEAD * int(running))
            self._room = room if self._most is None else min(room, self._most)
        return self._room

    def submit(self, number: int, task: Task) -> None:
        """See `Backend.submit`."""
        files = None if task.folder is None else pack(task.folder)
        code = code_version(task.work.__module__.partition(".")[0])
        reference = self._perform.remote(task.work, task.arguments, files, code)
        self._flying[reference] = (number, task)

    def wait(self, seconds: float) -> list[tuple[int, Done]]:
        """See `Backend.wait`."""
        flying = list(self._flying)
        ready, _ = self._ray.wait(flying, num_returns=1, timeout=seconds)
        if ready:
            ready, _ = self._ray.wait(flying, num_returns=len(flying), timeout=0)
        return [self._land(reference) for reference in ready]

    def news(self) -> list[tuple[int, int, int, str]]:
        """None: on a cluster, progress is counted in tasks."""
        return []

    def __enter__(self) -> "RayCluster":
        self._output = sys.stdout
        sys.stdout = _OneThread(sys.stdout)
        try:
            return self._enter()
        except BaseException:
            sys.stdout = self._output
            raise

    def _enter(self) -> "RayCluster":
        if not self._ray.is_initialized():
            _connect(self._address)
            self._connected = True
        options = {"num_cpus": self._cores, "num_gpus": self._gpus, "max_retries": ATTEMPTS - 1}
        if self._memory is not None:
            options["memory"] = self._memory * MEBIBYTE
        self._perform = self._ray.remote(**options)(_perform)
        return self

    def __exit__(self, *_: object) -> None:
        """End what is still at work, and the cluster if it was started for this."""
        for reference in self._flying:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._ray.cancel(reference, force=True)
        self._flying = {}
        sys.stdout = self._output
        if self._connected:
            with contextlib.redirect_stdout(io.StringIO()):  # what Ray has still to say
                self._ray.shutdown()

    def _land(self, reference: Any) -> tuple[int, Done]:
        """A task that has ended; its files are written before it counts as done."""
        number, task = self._flying.pop(reference)
        try:
            done, files = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            reason = f"{type(error).__name__}: {shown(first_line(error))}"
            return number, Done(None, f"its worker was lost {ATTEMPTS} times, at last by {reason}")
        if task.folder is not None and files is not None:
            unpack(files, task.folder)
        return number, done


class _OneThread:
    """A stream as one thread sees it; what others write to it is dropped.

    Ray has a thread that prints to the standard output of the driver, among the results, what
    became of lost nodes and workers, whatever it is told about logging.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        """Write the text, if it is of the thread that made this stream."""
        return self._stream.write(text) if threading.get_ident() == self._thread else len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _connect(address: str) -> None:
    """Connect to a cluster, or start one on this machine if none is meant and none runs.

    Ray takes SIGTERM for itself; what was to happen at one stays as it was.

    Raises:
        ValueError: if no cluster answers.
    """
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a new cluster would call home
    quiet = {"log_to_driver": False, "logging_level": "error"}
    before = signal.getsignal(signal.SIGTERM)
    try:
        try:
            ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            if address != "auto" or os.environ.get("RAY_ADDRESS"):
                where = os.environ.get("RAY_ADDRESS", address) if address == "auto" else address
                raise ValueError(
                    f"no Ray cluster answers at {shown(where)}: {shown(first_line(error))}"
                ) from None
            ray.init(address="local", include_dashboard=False, **quiet)
    finally:
        signal.signal(signal.SIGTERM, before)


def _perform(
    work: Work, arguments: Any, files: Files | None, code: dict[str, str]
) -> tuple[Done, Files | None]:
    """In a worker: do a task in a folder of its own that holds its files, and return these."""
    own = code_version(work.__module__.partition(".")[0])
    if differing := [name for name in code.keys() | own if code.get(name) != own.get(name)]:
        told = ", ".join(sorted(differing))
        return Done(None, f"node {os.uname().nodename} has another version of {told}"), None
    if files is None:
        return perform(work, arguments, Context(_unheard)), None
    with tempfile.TemporaryDirectory(prefix="tttenv-task-") as name:
        folder = Path(name)
        unpack(files, folder)
        return perform(work, arguments, Context(_unheard, folder)), pack(folder)


def _unheard(step: int, steps: int, state: str) -> None:
    """Nobody listens to the progress within a task."""


def pack(folder: Path) -> Files:
    """The regular files of a folder and of those within it."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.name not in UNPACKED
    }


def unpack(files: Files, folder: Path) -> None:
    """Make a folder hold these files and no others.

    Raises:
        ValueError: for a path that leads out of the folder.
    """
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts:
            raise ValueError(f"{shown(name)} is no file within a folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name in pack(folder).keys() - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        write(folder / name, content)
