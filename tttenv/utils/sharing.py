"""Sharing objects: one thread at a time in a method, and arrays that nobody can change."""

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np


class Lock:
    """A reentrant lock that can be copied and pickled: the copy is a new lock, which is free."""

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling."""
        return Lock, ()


class Locked(Protocol):
    """An object that has a lock."""

    lock: Lock


_T = TypeVar("_T")


def read_only(shared: _T) -> _T:
    """Mark an array, or each array in a tuple and the tuples within it, as read-only; return it."""
    for part in shared if isinstance(shared, tuple) else (shared,):
        if isinstance(part, np.ndarray):
            part.setflags(write=False)
        elif isinstance(part, tuple):
            read_only(part)
    return shared


_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound=Locked)


def one_at_a_time(
    method: Callable[Concatenate[_S, _P], _R],
) -> Callable[Concatenate[_S, _P], _R]:
    """Let one thread at a time run the decorated methods of an object, using its `lock`.

    Needed where a method works in arrays of its object: compiled code runs without Python's global
    interpreter lock.
    """

    @wraps(method)
    def locked(self: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self.lock:
            return method(self, *args, **kwargs)

    return locked
