"""Threads that share the work on a batch of games; compiled code runs in them side by side."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

EVERY = slice(None)
LEAST = 4_000  # games for which it pays to wake another thread


class Threads:
    """So many threads, the caller's among them; the others are started when first needed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._others: ThreadPoolExecutor | None = None
        self._process = 0  # the one in which they were started: a fork has none of them

    def __getstate__(self) -> dict[str, int]:
        """A copy starts threads of its own."""
        return {"count": self.count}

    def __setstate__(self, state: dict[str, int]) -> None:
        self.__init__(state["count"])  # type: ignore[misc]  # a copy begins like the original

    def share(self, games: int, work: Callable[[slice], int | None]) -> int:
        """Do the work on all games, each thread a slice of them, and add up what it returns.

        Args:
            games: how many there are.
            work: does the games of a slice, without Python's lock for most of its time.
        """
        parts = min(self.count, games // LEAST)
        if parts <= 1:
            return work(EVERY) or 0
        cuts = [games * i // parts for i in range(parts + 1)]
        slices = [slice(*cuts[i : i + 2]) for i in range(parts)]
        futures = [self._pool().submit(work, part) for part in slices[1:]]
        try:
            done = work(slices[0]) or 0
        finally:  # nobody may go on with the games while others still write
            wait(futures)
        return done + sum(future.result() or 0 for future in futures)

    def close(self) -> None:
        """End the other threads, now; later work starts new ones."""
        others, self._others = self._others, None
        if others is not None and self._process == os.getpid():
            others.shutdown()

    def _pool(self) -> ThreadPoolExecutor:
        if self._others is None or self._process != os.getpid():
            self._others, self._process = ThreadPoolExecutor(self.count - 1), os.getpid()
        return self._others
