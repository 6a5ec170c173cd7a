"""Arrays of one shape handed out again and again, each only when nobody holds it any more."""

import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

KEPT = 4  # arrays remembered


def _idle() -> int:
    """The reference count of an array of the pool that is in use nowhere else.

    The list's, the loop's and, depending on Python's version, the call's: so it is tried.
    """
    for array in [np.empty(1)]:
        return sys.getrefcount(array)
    raise AssertionError("the loop returns")


IDLE = _idle()


class ArrayPool:
    """Hands out arrays that are the caller's alone, as new ones are, without asking the system.

    A large new array costs more than filling it, since its memory comes from the operating system
    page by page. An array that was handed out is used again once no reference to it is left.

    Args:
        shape: of the arrays.
        dtype: of their elements.
        own: False: hand out one and the same array every time, whoever holds it.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike, own: bool = True) -> None:
        self.shape, self.dtype = shape, dtype
        self.known: list[NDArray[Any]] = []
        self.only = None if own else np.empty(shape, dtype)

    def take(self) -> NDArray[Any]:
        """An array of unspecified content that nobody else holds."""
        if self.only is not None:
            return self.only
        for array in self.known:
            if sys.getrefcount(array) == IDLE:
                return array
        fresh = np.empty(self.shape, self.dtype)
        if len(self.known) < KEPT:
            self.known.append(fresh)
        return fresh
