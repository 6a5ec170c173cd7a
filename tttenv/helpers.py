"""Threads that help at a desk; see `kernels.desk`."""

import os
import threading
import time
import weakref
from typing import Any

from tttenv.kernels.desk import ASLEEP, BUSY, DISMISSED, Desk, new_desk
from tttenv.kernels.passes import Known
from tttenv.kernels.shift import serve

PATIENCE = 1_000_000  # looks at an empty desk before a helper goes to sleep; some 0.3 ms
NAME = "tttenv helper"


class Helpers:
    """So many threads besides the caller's, at a desk of their own.

    A helper that finds nothing to do for a while sleeps until it is called, so that it is at hand
    where steps follow each other closely, and costs nothing where other work lies between them.
    """

    def __init__(self, count: int) -> None:
        self.count, self.desk = count, new_desk(count)
        self._alarms: list[threading.Event] = []
        self._home = 0  # the process in which they were hired: a fork has none of them

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
                for alarm in self._alarms:
                    alarm.set()
        return self.desk

    def wait(self) -> None:
        """Return when nobody is in the middle of a chunk, even if interrupted."""
        try:
            while self.desk[BUSY]:
                time.sleep(0)
        finally:  # they write on arrays that may be gone afterwards
            while self.desk[BUSY]:
                pass

    def _hire(self, known: Known) -> None:
        self.desk, self._home = new_desk(self.count), os.getpid()
        self._alarms = [threading.Event() for _ in range(self.count)]
        threads = [
            threading.Thread(None, _stand_by, NAME, (self.desk, known, alarm), daemon=True)
            for alarm in self._alarms
        ]
        for thread in threads:
            thread.start()
        weakref.finalize(self, _dismiss, self.desk, self._alarms, threads)


def _stand_by(desk: Desk, known: Known, alarm: threading.Event) -> None:
    """A helper's days."""
    while not desk[DISMISSED]:
        alarm.wait()
        alarm.clear()
        serve(desk, known, PATIENCE)


def _dismiss(desk: Desk, alarms: list[threading.Event], threads: list[threading.Thread]) -> None:
    """End the helpers, at the latest before the interpreter does."""
    desk[DISMISSED] = 1
    for alarm in alarms:
        alarm.set()
    for thread in threads:
        if thread is not threading.current_thread():
            thread.join(1)
