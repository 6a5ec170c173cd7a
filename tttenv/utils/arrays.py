"""Arrays of real numbers: validating them, and sharing them between callers and threads."""

import reprlib
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from tttenv.utils.untrusted import shown

REAL = "biuf"  # kinds of NumPy's types: truth values, whole numbers and others, but not complex
LONGEST = 80  # characters of a wrong argument in a message
LIMIT = 2.0**63  # every limit is below this, so that it fits into an int64
LONGEST_ROW = 180  # of a board, or of one output, in a message
REPR = reprlib.Repr()  # takes no time, however long the argument
REPR.maxstring = REPR.maxlong = REPR.maxother = 4 * LONGEST


def real_numbers(what: str, given: Any) -> NDArray[Any]:
    """Convert the argument `what` to an array of real numbers, keeping its type and shape.

    Masked arrays are rejected, since masked numbers have no meaning.

    Args:
        what: the argument's name in the message.
        given: an array, a torch tensor on any device, or numbers in lists.

    Returns:
        Truth values, integers or floats; an array that is given is not copied.

    Raises:
        ValueError: for anything else, complex numbers and objects included.
    """
    if (array := _real(given)) is None:
        raise ValueError(f"{what} must be real numbers, not {described(given)}")
    return array


def _real(given: Any) -> NDArray[Any] | None:
    """Convert numbers or a torch tensor to an array; None unless they are real numbers."""
    try:
        if type(given) is not np.ndarray and hasattr(given, "detach"):  # a tensor
            given = given.detach().cpu()
            given = given.double() if given.is_floating_point() else given  # such as bfloat16
        array = np.asarray(given)
        return array if array.dtype.kind in REAL and not np.ma.isMaskedArray(given) else None
    except Exception:  # a foreign object's own methods may raise anything
        return None


def described(given: Any) -> str:
    """Describe an invalid argument in a few words, for a one-line message."""
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype}"
    try:
        return shown(REPR.repr(given), LONGEST)
    except Exception:  # an object's own __repr__ may raise anything
        return f"an object of {type(given).__name__}"


def at_least(least: float, **limits: float | None) -> None:
    """Raise ValueError unless every limit is None or at least `least`."""
    for name, value in limits.items():
        if value is not None and not least <= value < LIMIT:
            raise ValueError(f"{name} must be at least {least:g} and below 2 ** 63, not {value}")


def integers_from(least: int, **counts: int) -> None:
    """Raise ValueError unless every count is an integer of at least `least`."""
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise ValueError(f"{name} must be an integer, not {described(value)}")
    at_least(least, **counts)


def one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    """Raise ValueError, listing the known values, unless `value` is one of them."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, not {described(value)}")


def answered_numbers(answer: Any, whose: str = "a policy") -> NDArray[np.float64]:
    """Convert a policy's output, an array, a tensor or lists, to float64.

    A float64 array is returned without copying; tensors are detached and copied to the CPU.

    Args:
        answer: the output, of any shape.
        whose: the owner of the output, for the message.

    Returns:
        The numbers; one that is too large for float64 is infinite.

    Raises:
        ValueError: unless they are real numbers.
    """
    if type(answer) is np.ndarray and answer.dtype == np.float64:
        return answer
    if (array := _real(answer)) is None:
        raise ValueError(
            f"{whose} returns numbers (batch, cells), an array, a tensor or lists, not"
            f" {described(answer)}"
        )
    with np.errstate(over="ignore"):  # too large a number becomes infinite
        return np.asarray(array.astype(np.float64, copy=False))


def brief(row: NDArray[Any]) -> str:
    """Format a board (cells,), or a policy's output for it, as text of bounded length."""
    return shown(row.tolist(), LONGEST_ROW)


_T = TypeVar("_T")


def read_only(shared: _T) -> _T:
    """Mark an array, or each array in a tuple and the tuples within it, as read-only; return it."""
    if isinstance(shared, np.ndarray):
        shared.setflags(write=False)
    elif isinstance(shared, tuple):
        for part in shared:
            read_only(part)
    return shared


class Lock:
    """A reentrant lock that can be copied and pickled: the copy is a new lock, which is free."""

    def __init__(self) -> None:
        self.inside = RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Lock, ()


_P = ParamSpec("_P")
_R = TypeVar("_R")


def one_at_a_time(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Allow one thread at a time in the decorated methods of an object, by its `lock`.

    Needed where a method works in arrays of its object: compiled code runs without Python's global
    interpreter lock.
    """

    @wraps(method)
    def locked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        owner: Any = args[0]
        with owner.lock.inside:
            return method(*args, **kwargs)

    return locked
