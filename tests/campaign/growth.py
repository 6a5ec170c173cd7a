"""Long runs, in which memory, descriptors and threads must not grow.

A case does one kind of work over and over for some seconds, after some seconds of warming up, and
looks at this process between rounds: its memory must not grow by more than noise, the numbers of
its open files and of its threads not at all. The worker lives on between cases, so that growth too
slow for one case adds up in the next of its kind.
"""

import gc
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tttenv
from tttenv import Rules
from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe

from .running import Log

WARMING, WORKING = 1.0, 3.0  # seconds of a case
ROUNDS = 8  # looks at the process while it works
GROWTH = 8.0  # megabytes that a case may grow by
SLOPE = 24.0  # megabytes that a kind of work may grow by over all its cases
ROOT = Path(__file__).resolve().parents[2]


class Growth:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log
        self.first: dict[str, float] = {}  # memory after the first case of a kind
        self.policy = tttenv.player("random")

    def case(self, number: int, rng: random.Random) -> None:
        """Repeat one kind of work."""
        kinds: dict[str, Callable[[], Callable[[], int]]] = {
            "steps": self._steps,
            "steps on a large board": lambda: self._steps((15, 15, 5), 512),
            "environments": lambda: self._environments,
            "certificates": lambda: self._certificates,
            "single steps": self._single_steps,
            "checkpoints": lambda: self._checkpoints,
            "opponents": self._opponents,
        }
        kind = list(kinds)[number % len(kinds)]
        work = kinds[kind]()
        _repeat(work, WARMING)
        begin = _process()
        looks = []
        for _ in range(ROUNDS):
            self.log.count(kind, _repeat(work, WORKING / ROUNDS))
            looks.append(_process())
        del work
        memory = [look["memory"] for look in looks]
        grown = min(memory[-3:]) - min(memory[:3])
        self.log.most("MB grown in a case", grown)
        self.log.check(grown < GROWTH, "memory grows", f"{kind}: {[f'{m:.1f}' for m in memory]}")
        for what in ("descriptors", "threads"):
            numbers = [look[what] for look in (begin, *looks)]
            self.log.check(len(set(numbers)) == 1, f"{what} grow", f"{kind}: {numbers}")
        first = self.first.setdefault(kind, memory[-1])
        self.log.most("MB grown over cases", memory[-1] - first)
        self.log.check(memory[-1] - first < SLOPE, "memory grows over cases", kind)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _steps(self, size: tuple[int, int, int] = (3, 3, 3), games: int = 8192) -> Any:
        env = VectorTicTacToe(games, *size)
        env.reset(seed=0)

        def work() -> int:
            for _ in range(20):
                env.step(env.sample_actions())
            return 20 * games

        return work

    def _single_steps(self) -> Any:
        env = TicTacToe(opponent="tactical")
        env.reset(seed=0)

        def work() -> int:
            for _ in range(500):
                _, _, over, _, _ = env.step(env.sample_action())
                if over:
                    env.reset()
            return 500

        return work

    def _environments(self) -> int:
        for size in ((3, 3, 3), (5, 5, 4)):
            for closed in (True, False):
                env = VectorTicTacToe(64, *size)
                env.reset(seed=1)
                env.step(env.sample_actions())
                if closed:
                    env.close()
            single = TicTacToe(*size)
            single.reset(seed=1)
        return 6

    def _certificates(self) -> int:
        answers = np.random.default_rng(len(self.first))

        def policy(boards: Any) -> Any:
            weights = (boards == 0) * weight
            return weights / weights.sum(axis=1, keepdims=True)

        weight = answers.random(9) + time.monotonic() % 1
        tttenv.certify(Rules(), policy)
        return 1

    def _checkpoints(self) -> int:
        for name in ("td0", "genetic", "lms"):
            tttenv.player(f"{ROOT}/checkpoints/{name}/")
        return 3

    def _opponents(self) -> Any:
        env = TicTacToe()
        env.reset(seed=0)

        def work() -> int:
            for name in ("first", "tactical", "epsilon:player=first,epsilon=0.2"):
                env.set_opponent(name)
                env.reset()
            return 3

        return work


def _repeat(work: Callable[[], int], seconds: float) -> int:
    """Repeat the work for `seconds`; return how often it was done."""
    until, done = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        done += work()
    return done


def _process() -> dict[str, float]:
    """Return this process's resources after a garbage collection."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "memory": pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
    }
