"""Actors: workers that search for a learner, on this machine or on a Ray cluster.

The learner keeps the games, the random numbers and everything that it learns. In each step it sends
a part of the work to each actor, and receives the results. An actor holds only what all parts
share, such as the latest weights, so if it is lost, another actor does its part with the same
result. At most one part per actor is in progress.
"""

import itertools
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.parallel import Backend, Shared, Task
from tttenv.parallel.tasks import NUMBERS, Done, Work

LOOK_EVERY = 0.1  # seconds between two looks while no part ends
VERSIONS = itertools.count(1)  # of shared values, unique among learners that use the same workers


class Actors:
    """The actors of one learner.

    Args:
        backend: the backend that runs the actors; its context has been entered.
        number: the number of actors.
        overlap: whether the learner learns from earlier steps' examples while the actors search.
        threads: the number of torch threads per actor.
    """

    def __init__(
        self, backend: Backend, number: int, overlap: bool = False, threads: int = 1
    ) -> None:
        self.backend, self.number = backend, number
        self.overlap, self.threads = overlap, threads
        self.parts: list[int] = []  # the numbers of this step's parts
        self._shared = Shared(next(VERSIONS), None)
        self._waiting: list[tuple[int, Task]] = []
        self._under_way: set[int] = set()

    def share(self, value: Any) -> None:
        """Set what all later parts share; each actor is sent an object once, with its next part."""
        if value is not self._shared.value:
            self._shared = Shared(next(VERSIONS), value)

    def split(self, count: int) -> list[NDArray[np.int64]]:
        """Return the rows of a batch for each actor; there are no empty parts."""
        return np.array_split(np.arange(count), max(1, min(self.number, count)))

    def begin(self, work: Work, parts: Sequence[Any]) -> None:
        """Start `work(part, context)` for each part.

        Args:
            work: a function of a module; it returns a JSON value.
            parts: its arguments, each a dataclass or a JSON value.
        """
        self._waiting = [
            (next(NUMBERS), Task(f"actor {actor}", work, part, shared=self._shared))
            for actor, part in enumerate(parts)
        ]
        self.parts = [number for number, _ in self._waiting]
        self._submit()

    def end(self) -> list[Any]:
        """Wait for all parts, and return their values in the order of the parts."""
        found: dict[int, Any] = {}
        while len(found) < len(self.parts):
            heard = self.backend.wait(LOOK_EVERY)
            ended = {number: done for number, done in heard if isinstance(done, Done)}
            self._under_way -= ended.keys()
            self._submit()
            for actor, part in enumerate(self.parts):  # others were begun in a step that failed
                if part in ended:
                    if (value := ended[part].value) is None:
                        raise ValueError(f"actor {actor}: {ended[part].error}")
                    found[part] = json.loads(value)
        return [found[part] for part in self.parts]

    def _submit(self) -> None:
        """Submit waiting parts as long as the backend has room."""
        while self._waiting and len(self._under_way) < max(1, self.backend.room()):
            number, task = self._waiting.pop(0)
            self.backend.submit(number, task)
            self._under_way.add(number)
