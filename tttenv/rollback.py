"""Games and dice put back as they were when what was begun with them fails."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rollback:
    """A block that either succeeds or leaves arrays and generator as they were before it.

    Arrays are restored in place, so that whoever else holds them sees them restored too. Any
    exception rolls back, KeyboardInterrupt included, and goes on to the caller.

    Args:
        arrays: what the block changes; copied when it begins.
        rng: the generator that it rolls.
    """

    def __init__(self, arrays: Sequence[NDArray[Any]], rng: np.random.Generator) -> None:
        self.saved = [(array, array.copy()) for array in arrays]
        self.rng, self.state = rng, rng.bit_generator.state

    def __enter__(self) -> None:
        """Everything was saved when this was made."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore, if the block failed."""
        if kind is None:
            return
        for array, former in self.saved:
            array[...] = former
        self.rng.bit_generator.state = self.state
