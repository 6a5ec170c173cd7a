"""Threads that help at a desk; see `kernels.desk`."""

import os
import threading
import weakref
from queue import SimpleQueue
from typing import Any

from tttenv.kernels.desk import ASLEEP, DISMISSED, Desk, new_desk
from tttenv.kernels.passes import Known
from tttenv.kernels.shift import serve

PATIENCE = 1_000_000  # looks at an empty desk before a helper goes to sleep; some 0.3 ms
NAME = "tttenv helper"


class Helpers:
    """So many threads besides the caller's, at a desk of their own.

    A helper that finds nothing to do for a while sleeps until it is called, so that it is at hand
    where steps follow each other closely, and costs nothing where other work lies between them.
    Bells are queues in C: an interrupt leaves none of them locked, nor does a fork.
    """

    def __init__(self, count: int) -> None:
        self.count, self.desk = count, new_desk(count)
        self._bells: list[SimpleQueue[None]] = []
        self._home = 0  # the process in which they were hired: a fork has none of them
        self._dismissal: weakref.finalize[Any, Helpers] | None = None

    def __getstate__(self) -> dict[str, int]:
        """A copy hires helpers of its own."""
        return {"count": self.count}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["count"])  # type: ignore[misc]  # a copy begins like the original

    def called(self, known: Known) -> Desk:
        """The desk, with everybody awake; `known` is what they look up, always the same."""
        if self.count:
            if self._home != os.getpid():
                self._hire(known)
            if self.desk[ASLEEP]:
                for bell in self._bells:
                    bell.put(None)
        return self.desk

    def close(self) -> None:
        """End the helpers, now; later work hires new ones."""
        if self._dismissal is not None:
            self._dismissal()
        self._home = 0

    def _hire(self, known: Known) -> None:
        desk, bells = new_desk(self.count), [SimpleQueue[None]() for _ in range(self.count)]
        serve(desk, known, 0)  # compiles here: no helper holds the compiler's lock in a fork
        threads = [
            threading.Thread(None, _stand_by, NAME, (desk, known, bell), daemon=True)
            for bell in bells
        ]
        self._dismissal = weakref.finalize(self, _dismiss, desk, bells, threads, os.getpid())
        for thread in threads:
            thread.start()
        self.desk, self._bells, self._home = desk, bells, os.getpid()


def _stand_by(desk: Desk, known: Known, bell: "SimpleQueue[None]") -> None:
    """A helper's days."""
    while not desk[DISMISSED]:
        bell.get()
        while not bell.empty():
            bell.get()
        serve(desk, known, PATIENCE)


def _dismiss(
    desk: Desk, bells: "list[SimpleQueue[None]]", threads: list[threading.Thread], home: int
) -> None:
    """End the helpers, at the latest before the interpreter does; a fork has none to end."""
    if os.getpid() != home:
        return
    desk[DISMISSED] = 1
    for bell in bells:
        bell.put(None)
    for thread in threads:
        if thread.ident and thread is not threading.current_thread():
            thread.join(1)
