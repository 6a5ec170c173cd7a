"""Measures compile time in this process, so that no other figure has to contain it.

What is compiled is logged by the logger `tttenv`, level INFO; commands show it on a terminal.
"""

import logging
import time
from typing import Any

from numba.core import event as events
from numba.core.registry import cpu_target

SUBJECTS = {  # by the module of the function that Python calls
    "certificates.mistakes": "certificates",
    "certificates.reachability": "certificates",
    "certificates.refutation": "certificates",
    "env.board_games": "the environment",
    "env.table_games": "the environment",
    "game.line_planes": "what networks see",
    "game.rollouts": "play-outs",
    "players.alphabeta": "alpha-beta",
    "players.evaluators": "the tree search",
    "players.gumbel": "the tree search",
    "players.mcts": "Monte Carlo tree search",
    "proofs.checking": "the checker of proofs",
    "proofs.recording": "the writer of proofs",
    "proofs.search": "the prover",
}
THE_REST = "the rules"
_logger = logging.getLogger("tttenv")


class _Watch(events.Listener):
    """Counts the functions that are compiled, and the seconds of those that Python called.

    A function's compilation includes that of the functions it calls.
    """

    def __init__(self) -> None:
        self.functions, self.seconds, self.processor_seconds = 0, 0.0, 0.0
        self._logged: set[str] = set()
        self._depth, self._began = 0, (0.0, 0.0)

    def on_start(self, event: Any) -> None:
        """Begin to count the seconds, unless another function waits for this one."""
        if self._depth == 0:
            self._began = time.perf_counter(), time.process_time()
            self._log(event.data["dispatcher"].py_func.__module__)
        self._depth += 1

    def _log(self, module: str) -> None:
        if module.startswith("tttenv."):
            name = module.removeprefix("tttenv.").removesuffix("_kernel")
            self.tell(SUBJECTS.get(name, THE_REST))

    def tell(self, subject: str) -> None:
        """Log what is compiled, once."""
        if subject not in self._logged:
            self._logged.add(subject)
            _logger.info("tttenv: compiling %s, once on this machine", subject)

    def waited(self, seconds: float) -> None:
        """Count seconds in which another process compiled what this one needs."""
        self.seconds += seconds

    def on_end(self, event: Any) -> None:
        """Add the seconds."""
        self._depth -= 1
        self.functions += 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began[0]
            self.processor_seconds += time.process_time() - self._began[1]


watch = _Watch()
events.register("numba:compile", watch)


def processor() -> tuple[str, ...]:
    """Return what numba compiles for: the platform, the processor and its features."""
    found: tuple[str, ...] = cpu_target.target_context.codegen().magic_tuple()
    return found


def now() -> float:
    """Return seconds on a clock that stands still while compiling; only differences matter."""
    return time.perf_counter() - watch.seconds


def now_by_processor() -> float:
    """Return processor seconds, without those of compiling; only differences matter."""
    return time.process_time() - watch.processor_seconds


class Stopwatch:
    """Measures seconds, without those of compiling."""

    def __init__(self, processor: bool = False) -> None:
        """Start it.

        Args:
            processor: whether to count processor time instead of time on the clock.
        """
        self._now = now_by_processor if processor else now
        self._start, self._compiled = self._now(), watch.seconds

    @property
    def seconds(self) -> float:
        """Return the seconds since it was started."""
        return self._now() - self._start

    @property
    def compile_seconds(self) -> float:
        """Return the seconds of compiling since it was started."""
        return watch.seconds - self._compiled
