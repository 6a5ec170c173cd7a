"""Running tasks on a Ray cluster of one or many machines; Ray is imported on first use.

Every node needs the same version of this package and of the libraries that the tasks use: a node
with other versions rejects its tasks. A task's files are sent along, so no shared disk is needed.
"""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TextIO

from tttenv.parallel.tasks import ATTEMPTS, Context, Done, Shared, Task, Work, code_version, perform
from tttenv.utils.files import write
from tttenv.utils.untrusted import MEBIBYTE, first_line, shown

AHEAD = 2  # tasks in flight for each that can run, so that no worker waits for the driver
EVERY = 2.0  # seconds between two looks at the cluster's size
PAUSE = 2.0  # seconds after a loss, in which the cluster may notice it, before the next attempt
NONE_RUNS = "Could not find any running Ray"  # what Ray says where no cluster runs
AUTH_MODE = "RAY_AUTH_MODE"  # whether a cluster takes calls only with its token
LONGEST_ASKED = 60.0  # seconds
ASK_MODE = """
import os, ray
ray.init(address="auto", log_to_driver=False, logging_level="error")
print("mode:", ray.get(ray.remote(num_cpus=0)(lambda: os.environ.get("RAY_AUTH_MODE")).remote()))
"""
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
UNPACKED = (".lock",)  # names of files that stay where they are
Files = dict[str, bytes]  # contents by path within a folder


class _Lost(NamedTuple):
    """A task whose worker was lost, until it is restarted."""

    after: float  # by the monotonic clock
    number: int
    task: Task


class RayCluster:
    """Workers on a Ray cluster; tasks on a lost node or worker are retried.

    Attempts are counted here. Ray does not count all losses: a node that shuts down may report that
    the driver is dead (OwnerDiedError), which Ray treats as an error of the task; and it may spend
    several attempts on a node before it notices that the node is gone.

    Args:
        address: the address of the cluster, as for `ray.init`; "auto" for that in RAY_ADDRESS, else
            a cluster running on this machine, else a new one on this machine alone.
        cores: the number of cores per task.
        gpus: the number of GPUs per task, which may be fractional.
        memory: mebibytes that Ray reserves per task; None to reserve none.
        most: the maximum number of tasks in flight; None for as many as fit on the cluster.

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
        self._flying: dict[Any, tuple[int, Task]] = {}
        self._lost: list[_Lost] = []
        self._losses: dict[int, int] = {}  # by the task's number
        self._counted, self._room = -EVERY, 1
        self._shared: tuple[Shared, Any] | None = None  # the latest, and where it is
        self._exit = _Exit()

    def room(self) -> int:
        """Return the number of tasks that fit on the cluster as it grows and shrinks."""
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
        """Submit a task with its files; see `Backend.submit`."""
        files = None if task.folder is None else pack(task.folder)
        code = code_version(task.work.__module__.partition(".")[0])
        shared = None if task.shared is None else self._put(task.shared)
        reference = self._perform.remote(task.work, task.arguments, files, code, shared)
        self._flying[reference] = (number, task)

    def wait(self, seconds: float) -> list[tuple[int, Done]]:
        """Return the tasks that have ended; see `Backend.wait`."""
        self._exit.check()
        for lost in [lost for lost in self._lost if lost.after <= time.monotonic()]:
            self._lost.remove(lost)
            self.submit(lost.number, lost.task)
        flying = list(self._flying)
        if not flying:
            time.sleep(seconds)
            return []
        ready, _ = self._ray.wait(flying, num_returns=1, timeout=seconds)
        if ready:
            ready, _ = self._ray.wait(flying, num_returns=len(flying), timeout=0)
        landed = [self._land(reference) for reference in ready]
        return [(number, done) for number, done in landed if done is not None]

    def news(self) -> list[tuple[int, int, int, str]]:
        """Return an empty list: on a cluster, progress is counted in whole tasks only."""
        return []

    def __enter__(self) -> "RayCluster":
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._exit)
            stack.enter_context(_one_thread_prints())
            if not self._ray.is_initialized():
                stack.enter_context(_connected(self._address))
            options = {"num_cpus": self._cores, "num_gpus": self._gpus, "max_retries": 0}
            if self._memory is not None:
                options["memory"] = self._memory * MEBIBYTE
            self._perform = self._ray.remote(**options)(_perform)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: Any, /, *rest: Any) -> None:
        """Cancel the running tasks, and stop the cluster if it was started for them."""
        for reference in self._flying:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._ray.cancel(reference, force=True)
        self._flying, self._lost, self._shared = {}, [], None
        self._stack.__exit__(kind, *rest)

    def _put(self, shared: Shared) -> Any:
        """Return a reference to a shared value, storing it in the cluster on first use."""
        if self._shared is None or self._shared[0] is not shared:
            self._shared = shared, self._ray.put(shared)
        return self._shared[1]

    def _land(self, reference: Any) -> tuple[int, Done | None]:
        """Return a task's number and outcome and write its files; None if the task is rerun.

        A task never raises, so an error from Ray means that its worker was lost.
        """
        number, task = self._flying.pop(reference)
        try:
            done, files = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return number, self._again(number, task, error)
        self._losses.pop(number, None)
        if task.folder is not None and files is not None:
            unpack(files, task.folder)
        return number, done

    def _again(self, number: int, task: Task, error: Exception) -> Done | None:
        """Rerun a task on another worker if it has attempts left."""
        losses = self._losses[number] = self._losses.get(number, 0) + 1
        if losses < ATTEMPTS:
            self._lost.append(_Lost(time.monotonic() + losses * PAUSE, number, task))
            return None
        reason = f"{type(error).__name__}: {shown(first_line(error))}"
        return Done(None, f"its worker was lost {ATTEMPTS} times, at last by {reason}")


class _Exit:
    """A context that keeps other errors from replacing a SystemExit from a signal handler.

    While the main thread is in Ray, Ray handles signals, and turns any SystemExit into one with
    status 1.
    """

    def __init__(self) -> None:
        self._asked: SystemExit | None = None
        self._before: dict[int, Any] = {}

    def check(self) -> None:
        """Raise the SystemExit that was requested, if it has been lost."""
        if self._asked is not None:
            raise self._asked

    def __enter__(self) -> None:
        self._asked = None
        if threading.current_thread() is not threading.main_thread():
            return  # signals are none of its business
        for number in ENDING:
            if callable(handler := signal.getsignal(number)):
                self._before[number] = handler
                signal.signal(number, self._remembering(handler))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
        if kind is not None and issubclass(kind, SystemExit):
            self.check()

    def _remembering(self, handler: Callable[[int, Any], Any]) -> Callable[[int, Any], None]:
        def handle(number: int, frame: Any) -> None:
            try:
                handler(number, frame)
            except SystemExit as asked:
                self._asked = asked
                raise

        return handle


@contextlib.contextmanager
def _one_thread_prints() -> Iterator[None]:
    """Discard everything that other threads print while this block runs."""
    before = sys.stdout
    sys.stdout = _OneThread(before)
    try:
        yield
    finally:
        sys.stdout = before


class _OneThread:
    """A stream for one thread, which discards the writes of other threads.

    A thread of Ray prints messages about lost nodes and workers to the driver's standard output,
    among the results, whatever its logging settings are.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        """Write the text if it comes from the thread that created this stream."""
        return self._stream.write(text) if threading.get_ident() == self._thread else len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[None]:
    """Connect to a cluster for this block, starting one on this machine if necessary.

    Raises:
        ValueError: if no cluster answers.
    """
    import ray

    mode = os.environ.get(AUTH_MODE)
    try:
        if mode is None and address == "auto" and not os.environ.get("RAY_ADDRESS"):
            _agree_on_tokens()
        with _sigterm_kept():
            _connect(address)
        yield
    finally:
        with contextlib.redirect_stdout(io.StringIO()):  # what Ray has still to say
            ray.shutdown()
        if mode is None:
            os.environ.pop(AUTH_MODE, None)  # Ray sets it, and nodes started later would obey


def _connect(address: str) -> None:
    """Connect to a cluster, starting one on this machine if none is named or running.

    Raises:
        ValueError: if no cluster answers.
    """
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a new cluster would call home
    quiet = {"log_to_driver": False, "logging_level": "error"}
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        meant = os.environ.get("RAY_ADDRESS", "") if address == "auto" else address
        if not meant and NONE_RUNS in str(error):
            ray.init(address="local", include_dashboard=False, **quiet)
            return
        where = shown(meant.rpartition("@")[2]) if meant else "this machine, where one runs"
        line = re.sub(r"\S*@", "", shown(first_line(error)))  # without a password
        raise ValueError(f"no Ray cluster answers at {where}: {line}") from None


def _agree_on_tokens() -> None:
    """Disable tokens in this process if the cluster on this machine uses none.

    Ray uses any token that it finds, also one left by an earlier cluster. Nodes without tokens are
    then refused when they ask this process for objects, and report that it is dead. For a cluster
    with tokens nothing is set: Ray reads the variable when it is imported, and later only its own.
    """
    if _has_token() and _local_cluster_mode() == "disabled":
        os.environ[AUTH_MODE] = "disabled"


def _local_cluster_mode() -> str | None:
    """Return whether the cluster on this machine requires tokens; None if none runs.

    Another process asks one of the cluster's workers, which inherit the mode from their node: a
    process that has used a token once keeps requiring it, whatever it is told later.
    """
    try:
        asked = subprocess.run(
            [sys.executable, "-c", ASK_MODE], capture_output=True, text=True, timeout=LONGEST_ASKED
        )
    except subprocess.TimeoutExpired:
        return None
    found = asked.stdout.partition("mode: ")[2].strip()
    return None if asked.returncode or not found else "token" if found == "token" else "disabled"


def _has_token() -> bool:
    """Return whether there is a token where Ray looks for one."""
    if os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH"):
        return True
    return (Path.home() / ".ray" / "auth_token").exists()


@contextlib.contextmanager
def _sigterm_kept() -> Iterator[None]:
    """Keep the current SIGTERM handler in this block, although Ray installs its own."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Ray leaves it alone
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    except SystemExit:  # Ray's handler
        signal.signal(signal.SIGTERM, before)
        signal.raise_signal(signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _perform(
    work: Work,
    arguments: Any,
    files: Files | None,
    code: dict[str, str],
    shared: Shared | None,
) -> tuple[Done, Files | None]:
    """Run a task in a temporary folder of the worker, and return its outcome and files."""
    own = code_version(work.__module__.partition(".")[0])
    if differing := [name for name in code.keys() | own if code.get(name) != own.get(name)]:
        told = ", ".join(sorted(differing))
        return Done(None, f"node {os.uname().nodename} has another version of {told}"), None
    if files is None:
        return perform(work, arguments, Context(_unheard, None, shared)), None
    with tempfile.TemporaryDirectory(prefix="tttenv-task-") as name:
        folder = Path(name)
        unpack(files, folder)
        return perform(work, arguments, Context(_unheard, folder, shared)), pack(folder)


def _unheard(step: int, steps: int, state: str) -> None:
    """Ignore progress within a task."""


def pack(folder: Path) -> Files:
    """Return the regular files of a folder and its subfolders."""
    return {name: (folder / name).read_bytes() for name in _names(folder)}


def _names(folder: Path) -> list[str]:
    return [
        file.relative_to(folder).as_posix()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.name not in UNPACKED
    ]


def unpack(files: Files, folder: Path) -> None:
    """Make a folder contain exactly the given files.

    Raises:
        ValueError: for a path that leads out of the folder.
    """
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts:
            raise ValueError(f"{shown(name)} is not a path within the folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name in set(_names(folder)) - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        write(folder / name, content)
