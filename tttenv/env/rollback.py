"""Restores games and generator if an operation on them fails."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Playing(Protocol):
    """The state that a block changes besides arrays and a generator; see `match.Match`."""

    active: int
    key: int | None
    attempting: bool


class Rollback:
    """A context manager that restores games and generator if its block fails.

    Arrays are restored in place, so other references see the restored values too. Any exception
    rolls back, KeyboardInterrupt included, and propagates. Written without `contextlib`, since
    single games enter such a block at every step.

    Args:
        playing: `attempting` is set during the block; its `active` is restored.
        arrays: the arrays that the block changes; copied here.
        rng: the generator that the block draws from.
    """

    __slots__ = ("active", "arrays", "bits", "copies", "key", "playing", "state")

    def __init__(
        self, playing: Playing, arrays: Sequence[NDArray[Any]], rng: np.random.Generator
    ) -> None:
        self.playing, self.active, self.key = playing, playing.active, playing.key
        self.arrays, self.copies = arrays, [array.copy() for array in arrays]
        self.bits = rng.bit_generator
        self.state = self.bits.state

    def __enter__(self) -> None:
        """Do nothing; the state was saved by the constructor."""
        self.playing.attempting = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the state if the block failed."""
        self.playing.attempting = False
        if kind is None:
            return
        for array, former in zip(self.arrays, self.copies, strict=True):
            array[...] = former
        self.bits.state = self.state
        self.playing.active, self.playing.key = self.active, self.key
