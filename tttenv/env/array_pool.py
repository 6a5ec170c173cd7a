"""A pool of arrays of one shape, each reused once no reference to it is left."""

import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

KEPT = 4  # arrays in the pool


def _idle() -> int:
    """The reference count of a pooled array that is not in use elsewhere.

    Measured, because it differs between Python versions.
    """
    for array in [np.empty(1)]:
        return sys.getrefcount(array)
    raise AssertionError("the loop returns")


IDLE = _idle()


class ArrayPool:
    """Returns arrays that only the caller holds, without allocating memory each time.

    Allocating a large array costs more than filling it, since the operating system provides its
    memory page by page. An array is reused once no reference to it is left.

    Args:
        shape: the arrays' shape.
        dtype: their dtype.
        own: False: return the same array every time, even while it is in use.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike, own: bool = True) -> None:
        self.shape, self.dtype = shape, dtype
        self.known: list[NDArray[Any]] = []
        self.only = None if own else np.empty(shape, dtype)

    def take(self) -> NDArray[Any]:
        """Return an array of unspecified content that is not in use elsewhere."""
        if self.only is not None:
            return self.only
        for array in self.known:
            if sys.getrefcount(array) == IDLE:
                return array
        fresh = np.empty(self.shape, self.dtype)
        if len(self.known) < KEPT:
            self.known.append(fresh)
        return fresh
