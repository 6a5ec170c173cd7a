"""Running tasks in processes on this machine, each with its own pipe to the driver.

If a worker dies, only its own task loses an attempt. Workers end with the driver, however it ends.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from tttenv.parallel.tasks import ATTEMPTS, Context, Done, Progress, Task, perform
from tttenv.utils.untrusted import first_line, shown

GRACE = 2.0  # seconds from the request to end to the end by force
EVERY = 0.1  # seconds between two pieces of news of a worker
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # of numerical libraries
KILLS = (9, 15)  # SIGKILL, which the system sends if memory runs out, and SIGTERM
HELD = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    number: int = -1  # of its task, and the task
    task: Task | None = None
    attempt: int = 1

    def begin(self, number: int, task: Task, attempt: int = 1) -> None:
        """Send a task to the process."""
        self.number, self.task, self.attempt = number, task, attempt
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `wait` will find out
            self.pipe.send((task.work, task.arguments, task.folder))

    def end(self, seconds: float) -> None:
        """Wait for the process to end, then end it by force."""
        self.process.join(seconds)
        self.process.kill()  # nothing happens to one that has ended
        self.process.join()


@dataclass
class Processes(contextlib.AbstractContextManager["Processes"]):
    """Worker processes, started on demand.

    Args:
        workers: tasks that run at the same time.
        cores: threads of the numerical libraries in each worker.
    """

    workers: int
    cores: int = 1
    _workers: list[_Worker] = field(default_factory=list, init=False)

    def room(self) -> int:
        """Return the number of workers."""
        return self.workers

    def submit(self, number: int, task: Task) -> None:
        """Send a task, with its number in `wait`, to an idle worker or to a new one."""
        idle = next((worker for worker in self._workers if worker.task is None), None)
        (idle or self._start()).begin(number, task)

    def wait(self, seconds: float) -> list[tuple[int, Done | Progress]]:
        """Return the outcome or progress of tasks."""
        found, heard = [], wait([worker.pipe for worker in self._workers], seconds)
        for worker in [worker for worker in self._workers if worker.pipe in heard]:
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                message = self._lost(worker)
            if message is not None:
                found.append((worker.number, message))
            if isinstance(message, Done):
                worker.task = None
        return found

    def stop(self) -> None:
        """Terminate all workers: busy ones immediately, idle ones when their pipe closes."""
        for worker in self._workers:
            worker.pipe.close()
            if worker.task is not None:
                worker.process.terminate()
        until = time.monotonic() + GRACE
        for worker in self._workers:
            worker.end(max(0.0, until - time.monotonic()))
        self._workers = []

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self) -> _Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), daemon=False)
        worker = _Worker(process, ours)
        with _starting(self.cores):
            process.start()
            self._workers.append(worker)  # from here on, leaving the context ends it
        theirs.close()
        return worker

    def _lost(self, worker: _Worker) -> Done | None:
        """Handle the loss of a worker: another one runs its task if it has attempts left."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.end(GRACE)
        if worker.task is None:
            return None
        if worker.attempt < ATTEMPTS:
            self._start().begin(worker.number, worker.task, worker.attempt + 1)
            return None
        code = worker.process.exitcode or 0
        reason = f"with status {code}" if code >= 0 else f"by {signal.Signals(-code).name}"
        if -code in KILLS:  # not by anything that the task does
            reason += ", sent from outside: if memory is short, use fewer workers"
        return Done(None, f"its worker process ended {ATTEMPTS} times, at last {reason}")


@contextlib.contextmanager
def _starting(cores: int) -> Iterator[None]:
    """Set the threads of processes started here, and block their termination until they are ready.

    The signals are blocked in this process too.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, str(cores)))
    blocked = None
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        resource_tracker.ensure_running()  # starting, it would let go of them
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        yield
    finally:
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _work(pipe: Connection) -> None:
    """Run tasks until the driver closes the pipe; the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the driver's to handle
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    if (driver := parent_process()) is not None:
        threading.Thread(target=_exit_after, args=(driver,), daemon=True).start()
    reported = 0.0

    def tell(step: int, steps: int, state: str) -> None:
        nonlocal reported
        if time.monotonic() - reported >= EVERY:
            reported = time.monotonic()
            pipe.send(Progress(step, steps, state))

    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            message = pipe.recv_bytes()
            try:
                work, arguments, folder = ForkingPickler.loads(message)
            except Exception as error:  # the function's module cannot be imported, say
                pipe.send(Done(None, f"{type(error).__name__}: {shown(first_line(error))}"))
                continue
            reported = 0.0
            pipe.send(perform(work, arguments, Context(tell, folder)))


def _exit_after(driver: Any) -> None:
    driver.join()
    os._exit(1)
