"""Threads that share the work on a batch of games."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

# How many games a thread steps, or does light work on, until another one has woken up to help.
HEAD_START, LIGHT_HEAD_START = 5_000, 20_000


class Crew:
    """So many threads, the caller's among them."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._others: ThreadPoolExecutor | None = None
        self._home = 0  # the process in which they were started: a fork has none of them

    def __getstate__(self) -> dict[str, int]:
        """A copy starts threads of its own."""
        return {"threads": self.threads}

    def __setstate__(self, state: dict[str, int]) -> None:
        self.__init__(state["threads"])  # type: ignore[misc]  # a copy begins like the original

    @property
    def others(self) -> ThreadPoolExecutor:
        """The threads besides the caller's, started when first asked for."""
        if self._others is None or self._home != os.getpid():
            self._others, self._home = ThreadPoolExecutor(self.threads - 1), os.getpid()
        return self._others

    def share(self, count: int, work: Callable[[slice], int | None], light: bool = False) -> int:
        """Do `count` pieces of work, each thread a part of them, and add up what it returns.

        The caller does some more than the others, who have to wake up first; where there is little
        to do it does all.

        Args:
            count: how many games there are.
            work: does a part of them, without the GIL where it takes long.
            light: picking a cell, say, rather than a whole step.
        """
        each = max(0, count - (LIGHT_HEAD_START if light else HEAD_START)) // self.threads
        if self.threads == 1 or not each:
            return work(slice(0, count)) or 0
        cuts = [count - i * each for i in range(self.threads)]  # where the others' parts end
        parts = [slice(cut - each, cut) for cut in cuts[:-1]]
        futures = [self.others.submit(work, part) for part in parts]
        try:
            done = work(slice(0, cuts[-1])) or 0
        finally:  # whoever undoes the work of a part that failed must not be overtaken by others
            wait(futures)
        return done + sum(future.result() or 0 for future in futures)

    def close(self) -> None:
        """End the threads besides the caller's, now; later work starts new ones."""
        others, self._others = self._others, None
        if others is not None and self._home == os.getpid():
            others.shutdown()
