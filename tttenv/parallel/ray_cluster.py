"""Running tasks on a Ray cluster of one or many machines; Ray is imported on first use.

Every node needs the same version of this package and of the libraries that the tasks use: a node
with other versions rejects its tasks. A task's files are sent along, so no shared disk is needed.
"""

import contextlib
import os
import re
import signal
import tempfile
import threading
from pathlib import Path, PurePosixPath
from typing import Any

from tttenv.parallel.tasks import ATTEMPTS, Context, Done, Task, code_version, perform
from tttenv.utils.files import write
from tttenv.utils.untrusted import first_line, shown

AHEAD = 2  # tasks in flight for each that can run, so that no worker waits for the driver
NONE_RUNS = "Could not find any running Ray"  # what Ray says where no cluster runs
SETTINGS = {  # read by Ray when it is imported or starts a cluster
    "RAY_USAGE_STATS_ENABLED": "0",  # a new cluster would call home
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # messages about lost nodes, printed among the results
}
UNPACKED = (".lock",)  # names of files that stay where they are
Files = dict[str, bytes]  # contents by path within a folder


class RayCluster:
    """Workers on a Ray cluster; Ray retries the tasks of a lost node or worker.

    Entering its context connects to the cluster, or raises ValueError if none answers.

    Args:
        address: as for `ray.init`; "auto": that in RAY_ADDRESS, one running here, or a new one.
        cores: of a task.
        gpus: of a task, which may be a fraction.
        most: tasks in flight; None for as many as fit on the cluster.
    """

    def __init__(
        self, address: str = "auto", cores: int = 1, gpus: float = 0.0, most: int | None = None
    ) -> None:
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        import ray

        self._ray, self._address, self._most = ray, address, most
        self._needs = {"CPU": cores, "GPU": gpus}  # of a task
        self._flying: dict[Any, tuple[int, Task]] = {}

    def room(self) -> int:
        """Return the number of tasks that fit on the cluster as it grows and shrinks."""
        has = self._ray.cluster_resources()
        fits = [has.get(name, 0.0) / number for name, number in self._needs.items() if number]
        room = max(1, AHEAD * int(min(fits)))
        return room if self._most is None else min(room, self._most)

    def submit(self, number: int, task: Task) -> None:
        """Submit a task with its files."""
        files = None if task.folder is None else pack(task.folder)
        code = code_version(task.work.__module__.partition(".")[0])
        reference = self._perform.remote(task.work, task.arguments, files, code)
        self._flying[reference] = (number, task)

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        """Return the outcomes of tasks; they report no progress here."""
        if not self._flying:
            return []
        try:
            ready, _ = self._ray.wait(list(self._flying), num_returns=1, timeout=seconds)
        except SystemExit:  # Ray replaces that of a SIGTERM handler by one with status 1
            raise SystemExit(128 + signal.SIGTERM) from None
        return [self._land(reference) for reference in ready]

    def stop(self) -> None:
        """Cancel the running tasks."""
        for reference in self._flying:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._ray.cancel(reference, force=True)
        self._flying = {}

    def __enter__(self) -> "RayCluster":
        with contextlib.ExitStack() as stack:
            if not self._ray.is_initialized():
                stack.callback(self._ray.shutdown)
                _connect(self._address)
            cores, gpus = self._needs.values()
            remote = self._ray.remote(num_cpus=cores, num_gpus=gpus, max_retries=ATTEMPTS - 1)
            self._perform = remote(_perform)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: Any, /, *rest: Any) -> None:
        """Cancel the running tasks, and stop the cluster if it was started for them."""
        self.stop()
        self._stack.__exit__(kind, *rest)

    def _land(self, reference: Any) -> tuple[int, Done]:
        """Return a task's number and outcome, and write its files; a task never raises."""
        number, task = self._flying.pop(reference)
        try:
            done, files = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return number, Done(None, f"its worker was lost: {shown(first_line(error))}")
        if task.folder is not None and files is not None:
            unpack(files, task.folder)
        return number, done


def _connect(address: str) -> None:
    """Connect to a cluster, starting one on this machine if none is named or running."""
    import ray

    quiet = {"log_to_driver": False, "logging_level": "error"}
    ours = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        named = os.environ.get("RAY_ADDRESS", "") if address == "auto" else address
        if named or NONE_RUNS not in str(error):
            where = shown(named.rpartition("@")[2]) if named else "this machine, where one runs"
            line = re.sub(r"\S*@", "", shown(first_line(error)))  # without a password
            raise ValueError(f"no Ray cluster answers at {where}: {line}") from None
        ray.init(address="local", include_dashboard=False, **quiet)
    finally:
        if threading.current_thread() is threading.main_thread():  # elsewhere Ray leaves it alone
            signal.signal(signal.SIGTERM, ours)  # Ray installs its own


def _perform(
    work: Any, arguments: Any, files: Files | None, code: dict[str, str]
) -> tuple[Done, Files | None]:
    """Run a task in a temporary folder of the worker, and return its outcome and files."""
    own = code_version(work.__module__.partition(".")[0])
    if differing := {name for name, _ in code.items() ^ own.items()}:
        names = ", ".join(sorted(differing))
        return Done(None, f"node {os.uname().nodename} has another version of {names}"), None
    with tempfile.TemporaryDirectory(prefix="tttenv-task-") as name:
        folder = None if files is None else Path(name)
        unpack(files or {}, Path(name))
        done = perform(work, arguments, Context(folder=folder))
        return done, None if files is None else pack(Path(name))


def pack(folder: Path) -> Files:
    """Return the regular files of a folder and its subfolders."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.name not in UNPACKED
    }


def unpack(files: Files, folder: Path) -> None:
    """Make a folder contain exactly the given files.

    Raises:
        ValueError: for a path that leads out of the folder; nothing is written then.
    """
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts:
            raise ValueError(f"{shown(name)} is not a path within the folder")
    for name in pack(folder).keys() - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        write(folder / name, content)
