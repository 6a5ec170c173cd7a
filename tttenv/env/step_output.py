"""Output arrays of a batch's steps, reused when nothing else references them."""

from collections.abc import Callable
from operator import attrgetter
from sys import getrefcount
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 4  # outputs in a pool


class StepOutput:
    """Output arrays of a step, one row per game.

    Attributes:
        observations: (games, 3 * cells) float32 planes, or (games, cells) int8 boards.
        masks: int8 (games, cells): 1 for legal cells.
        rewards: float64 (games,): the agents' rewards.
        outcomes: int8 (games,): for the agent; GOING while the game continues.
        over: bool (games,): whether the game ended.
        finals: as observations: the last views of games that ended, else zeros; written only if
            finished games restart in the same step.
        compiled: the same in this order, as the kernel takes them.
    """

    def __init__(
        self, games: int, cells: int, planes: bool, as_rows: Callable[[NDArray[Any]], NDArray[Any]]
    ) -> None:
        shape, dtype = ((games, 3 * cells), np.float32) if planes else ((games, cells), np.int8)
        self.observations: NDArray[Any] = np.empty(shape, dtype)
        self.masks, self.rewards = np.empty((games, cells), np.int8), np.empty(games)
        self.outcomes, self.over = np.empty(games, np.int8), np.empty(games, np.bool_)
        self.finals: NDArray[Any] = np.empty(shape, dtype)
        shown, final = (as_rows(self.observations), as_rows(self.masks)), as_rows(self.finals)
        self.compiled = *shown, self.rewards, self.outcomes, self.over, final


class OutputPool:
    """A pool of step outputs, which avoids allocating memory at each step.

    Allocating a large array costs more than filling it, since the operating system provides its
    memory page by page. An output is used again once no other reference to its arrays is left.

    Args:
        make: returns a new output.
    """

    _arrays = attrgetter("observations", "masks", "rewards", "outcomes", "over", "finals")

    def __init__(self, make: Callable[[], StepOutput]) -> None:
        self.make = make
        self.kept: list[tuple[StepOutput, list[int]]] = []  # and their arrays' reference counts

    def take(self) -> StepOutput:
        """Return an output with unspecified contents whose arrays are not in use elsewhere."""
        for output, unused in self.kept:
            if [*map(getrefcount, self._arrays(output))] == unused:
                return output
        output = self.make()
        if len(self.kept) < KEPT:
            self.kept.append((output, [*map(getrefcount, self._arrays(output))]))
        return output

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling: the copy is an empty pool."""
        return OutputPool, (self.make,)
