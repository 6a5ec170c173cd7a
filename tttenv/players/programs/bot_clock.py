"""The clocks that a bot reads, shifted between its calls, and the system's random numbers."""

import datetime
import os
import random
import time
from collections.abc import Callable
from typing import Any

CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
STEP = 7919.37  # seconds between two shifts


class Clock:
    """Replaces the clocks of `time` and `datetime`, which are then ahead by a number of steps.

    Attributes:
        shift: the number of steps.
        read: whether a clock or random numbers of the system have been read.
    """

    def __init__(self) -> None:
        self.shift, self.read = 0, False
        for name in CLOCKS:
            setattr(time, name, self._ahead(getattr(time, name), STEP))
            exact = f"{name}_ns"
            setattr(time, exact, self._ahead(getattr(time, exact), round(STEP * 10**9)))
        for name in ("localtime", "gmtime"):
            setattr(time, name, _of_now(getattr(time, name)))
        datetime.datetime = Moment  # type: ignore[misc]  # a class of the standard library
        urandom = os.urandom

        def drawn(size: int) -> bytes:
            self.read = True
            return urandom(size)

        for module, name in ((os, "urandom"), (random, "_urandom")):  # the latter also of `secrets`
            setattr(module, name, drawn)

    def _ahead(self, clock: Callable[[], Any], step: float) -> Callable[[], Any]:
        def ahead() -> Any:
            self.read = True
            return clock() + self.shift * step

        return ahead


def _of_now(convert: Callable[[float], Any]) -> Callable[..., Any]:
    return lambda seconds=None: convert(time.time() if seconds is None else seconds)


class Moment(datetime.datetime):
    """A `datetime` whose present is that of `time.time`."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "Moment":
        """Return the present moment."""
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> "Moment":
        """Return the present moment in universal time."""
        return cls.now(datetime.UTC).replace(tzinfo=None)
