"""Games and dice put back as they were when what was begun with them fails."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Playing(Protocol):
    """What a block changes besides arrays and a generator; see `match.Match`."""

    active: int
    key: int | None
    attempting: bool


class Rollback:
    """A block that either succeeds or leaves games and generator as they were before it.

    Arrays are restored in place, so that whoever else holds them sees them restored too. Any
    exception rolls back, KeyboardInterrupt included, and goes on to the caller. Written without
    `contextlib`, since single games enter such a block at each step.

    Args:
        playing: is `attempting` during the block; how many games were `active` is restored.
        arrays: what the block changes; copied here.
        rng: the generator that it rolls.
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
        """Everything was saved when this was made."""
        self.playing.attempting = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore, if the block failed."""
        self.playing.attempting = False
        if kind is None:
            return
        for array, former in zip(self.arrays, self.copies, strict=True):
            array[...] = former
        self.bits.state = self.state
        self.playing.active, self.playing.key = self.active, self.key
