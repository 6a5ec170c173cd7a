"""Measuring this process's compile time, so that other timings can exclude it.

Compilations are logged by the logger `tttenv` at level INFO; commands show them on a terminal. In
other programs, and without a terminal, one warning is logged before the first long compilation,
unless the logger has a level.
"""

import logging
import multiprocessing
import time
from typing import Any

from numba.core import event as events
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

SUBJECTS = {  # by the beginning of the module of the function that Python calls
    "certificates": "certificates",
    "env": "the environment",
    "game.line_planes": "what networks see",
    "game.rollouts": "play-outs",
    "players.search.alphabeta": "alpha-beta",
    "players.search.mcts": "Monte Carlo tree search",
    "players.search": "the tree search",
    "proofs.checking": "the checker of proofs",
    "proofs": "the prover",
    "reach": "certificates",
    "": "the rules",
}
SLOW, MANY = 1.0, 10  # seconds of compilation, or functions, that a program warns of
_logger = logging.getLogger("tttenv")


class _Watch(events.Listener):
    """Counts compiled functions, and times compilations that Python waits for."""

    def __init__(self) -> None:
        self.functions, self.seconds, self.processor_seconds = 0, 0.0, 0.0
        self._logged: set[str] = set()
        self._hinted = multiprocessing.parent_process() is not None  # workers say nothing
        self._depth, self._began = 0, (0.0, 0.0)
        self._subject, self._missing, self._total = "", set[Any](), 0

    def on_start(self, event: Any) -> None:
        """Start timing and log the subject, unless another function is waiting for this one."""
        function = event.data["dispatcher"]
        if self._depth == 0:
            self._began = time.perf_counter(), time.process_time()
            module = function.py_func.__module__
            if module.startswith("tttenv."):
                self._missing = missing(function)
                self._total = len(self._missing)
                name = module.removeprefix("tttenv.")
                self._subject = next(SUBJECTS[one] for one in SUBJECTS if name.startswith(one))
                self.tell(self._subject, f" ({self._total} functions)" if self._total > 1 else "")
        self._depth += 1
        seconds = self.seconds + time.perf_counter() - self._began[0]
        if self._subject and (seconds > SLOW or self._total > MANY):
            self.hint(self._subject)

    def hint(self, subject: str) -> None:
        """Warn once of a long compilation, in a process that shows no progress of it."""
        if not self._hinted and not _logger.level:
            self._hinted = True
            _logger.warning(
                "tttenv: compiling %s, once on this machine; `tttenv compile` does all at once",
                subject,
            )

    def tell(self, subject: str, about: str = "") -> None:
        """Log the subject of a compilation, once."""
        if subject not in self._logged:
            self._logged.add(subject)
            _logger.info("tttenv: compiling %s, once on this machine%s", subject, about)

    @property
    def progress(self) -> str:
        """The current compilation with its progress, or an empty string."""
        done = self._total - len(self._missing)
        return f"compiling {self._subject} ({done} of {self._total})" if self._subject else ""

    def on_end(self, event: Any) -> None:
        """Add the seconds."""
        self._depth -= 1
        self.functions += 1
        self._missing.discard(event.data["dispatcher"])
        if self._depth == 0:
            self._subject = ""
            self.seconds += time.perf_counter() - self._began[0]
            self.processor_seconds += time.process_time() - self._began[1]


def missing(function: Any) -> set[Any]:
    """Return those functions, of a compiled one and its callees, that have to be compiled."""
    found, left = set(), [function]
    while left:
        each = left.pop()
        ready = each.overloads or getattr(each._cache, "exists", bool)()
        if not ready and each not in found:
            found.add(each)
            known = (each.py_func.__globals__.get(name) for name in each.py_func.__code__.co_names)
            left.extend(one for one in known if isinstance(one, Dispatcher))
    return found


watch = _Watch()
events.register("numba:compile", watch)


def processor() -> tuple[str, ...]:
    """Return numba's compilation target: the platform, the processor and its features."""
    found: tuple[str, ...] = cpu_target.target_context.codegen().magic_tuple()
    return found


def now() -> float:
    """Return seconds on a clock that stops during compilation; only differences are meaningful."""
    return time.perf_counter() - watch.seconds


def now_by_processor() -> float:
    """Return processor seconds, excluding compilation; only differences are meaningful."""
    return time.process_time() - watch.processor_seconds


class Stopwatch:
    """A stopwatch that excludes compile time."""

    def __init__(self) -> None:
        self._start, self._compiled = now(), watch.seconds

    @property
    def seconds(self) -> float:
        """Seconds since the start, excluding compile time."""
        return now() - self._start

    @property
    def compile_seconds(self) -> float:
        """Seconds of compilation since the start."""
        return watch.seconds - self._compiled
