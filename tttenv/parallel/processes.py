"""Running tasks in processes on this machine, each with its own pipe to the driver.

If a worker dies, only its own task loses an attempt. Workers end with the driver, however it ends.
"""

import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from tttenv.parallel.tasks import ATTEMPTS, Context, Done, Shared, Task, Work, perform
from tttenv.utils.untrusted import first_line, shown

GRACE = 2.0  # seconds from the request to end to the end by force
EVERY = 0.1  # seconds between two pieces of news of a worker
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # of numerical libraries
HELD = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]
GPUS = "CUDA_VISIBLE_DEVICES"


@dataclass
class _Worker:
    """A worker process and its current task."""

    process: SpawnProcess
    pipe: Connection
    environment: dict[str, str]
    at: int = -1  # the task's number
    task: Task | None = None
    shared: Shared | None = None  # what it has


@dataclass
class Processes:
    """Worker processes, started on demand.

    Args:
        workers: the maximum number of workers.
        cores: the number of threads for the numerical libraries of each worker.
        gpus: the CUDA devices of each worker; empty to use none.
    """

    workers: int
    cores: int = 1
    gpus: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._workers: list[_Worker] = []
        self._waiting: deque[tuple[int, Task]] = deque()
        self._attempts: dict[int, int] = {}
        self._news: deque[tuple[int, int, int, str]] = deque()

    def room(self) -> int:
        """Return the number of workers."""
        return self.workers

    def submit(self, number: int, task: Task) -> None:
        """Send a task to an idle worker, or to a new one; queue it if all are busy."""
        self._waiting.append((number, task))
        self._begin_waiting()

    def wait(self, seconds: float) -> list[tuple[int, Done]]:
        """Return the tasks that have ended; see `Backend.wait`."""
        found = []
        pipes = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(pipes), seconds):
            worker = pipes[pipe]  # type: ignore[index]  # what was handed in
            told = self._hear(worker)
            if told is not None and worker.task is not None:
                found.append((worker.at, told))
                self._attempts.pop(worker.at, None)
                worker.task = None
        self._begin_waiting()
        return found

    def news(self) -> list[tuple[int, int, int, str]]:
        """Return the progress of running tasks; see `Backend.news`."""
        news = list(self._news)
        self._news.clear()
        return news

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, kind: Any, /, *rest: Any) -> None:
        """Terminate all workers: busy ones immediately, idle ones when their pipe closes."""
        for worker in self._workers:
            worker.pipe.close()
            if worker.task is not None:
                worker.process.terminate()
        until = time.monotonic() + GRACE
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            worker.process.kill()  # nothing happens to one that has ended
            worker.process.join()
        self._workers = []
        self._waiting.clear()

    def _begin_waiting(self) -> None:
        """Begin queued tasks as long as there is a worker for them."""
        while self._waiting:
            idle = next((worker for worker in self._workers if worker.task is None), None)
            if idle is None and len(self._workers) >= self.workers:
                return
            self._begin(idle or self._start(), *self._waiting.popleft())

    def _begin(self, worker: _Worker, number: int, task: Task) -> None:
        worker.at, worker.task = number, task
        try:
            # One message, since a worker replies once to any that it cannot unpickle.
            new = None if task.shared is worker.shared else task.shared
            worker.pipe.send((task.work, task.arguments, task.folder, new))
            worker.shared = new or worker.shared
        except (BrokenPipeError, ConnectionResetError):
            pass  # `wait` will find out
        except Exception:  # it cannot be pickled
            worker.task = None
            raise

    def _start(self) -> _Worker:
        """Start a worker, with its own GPUs if there are any to assign."""
        taken = {worker.environment.get(GPUS) for worker in self._workers}
        environment = dict.fromkeys(THREADS, str(self.cores))
        if self.gpus:
            environment[GPUS] = next(devices for devices in self.gpus if devices not in taken)
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), daemon=False)
        worker = _Worker(process, ours, environment)
        with _signals_held(), _environment(environment):
            process.start()
            self._workers.append(worker)  # from here on, leaving the context ends it
        theirs.close()
        return worker

    def _hear(self, worker: _Worker) -> Done | None:
        """Handle a message from a worker: its task's outcome, its progress or its end."""
        try:
            told = worker.pipe.recv()
        except (EOFError, OSError):
            return self._lost(worker)
        if isinstance(told, Done):
            return told
        self._news.append((worker.at, *told))
        return None

    def _lost(self, worker: _Worker) -> Done | None:
        """Handle the loss of a worker: rerun its task if it has attempts left."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join(GRACE)
        worker.process.kill()
        worker.process.join()
        if worker.task is None:
            return None
        self._attempts[worker.at] = self._attempts.get(worker.at, 1) + 1
        if self._attempts[worker.at] <= ATTEMPTS:
            self._begin(self._start(), worker.at, worker.task)
            return None
        return Done(None, f"its process ended {ATTEMPTS} times, {_reason(worker.process)}")


def _reason(process: SpawnProcess) -> str:
    """Describe why a process ended."""
    code = process.exitcode or 0
    if code >= 0:
        return f"at last with status {code}"
    known = {member.value: member.name for member in signal.Signals}
    return f"at last by {known.get(-code, -code)}"


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Block termination signals here, and in processes started here until they are ready."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # starting, it would let go of them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """Set environment variables for processes started in this block."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _work(pipe: Connection) -> None:
    """Run tasks until the driver closes the pipe; the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the driver's to handle
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    threading.Thread(target=_exit_with_driver, daemon=True).start()
    shared = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            try:
                work, arguments, folder, new = pipe.recv()
            except EOFError:
                raise
            except Exception as error:  # the function's module cannot be imported, say
                shared = None  # the new one, if this message had one, is missing
                pipe.send(Done(None, f"{type(error).__name__}: {shown(first_line(error))}"))
                continue
            shared = new or shared
            pipe.send(_done(pipe, work, arguments, folder, shared))


def _done(
    pipe: Connection, work: Work, arguments: Any, folder: Path | None, shared: Shared | None
) -> Done:
    """Run a task, reporting its progress."""
    told = 0.0

    def tell(step: int, steps: int, state: str) -> None:
        nonlocal told
        if time.monotonic() - told >= EVERY:
            told = time.monotonic()
            pipe.send((step, steps, state))

    return perform(work, arguments, Context(tell, folder, shared))


def _exit_with_driver() -> None:
    driver = parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)
