"""Validation of arguments that must be arrays of real numbers."""

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.utils.untrusted import shown

REAL = "biuf"  # kinds of NumPy's types: truth values, whole numbers and others, but not complex
LONGEST = 80  # characters of a wrong argument in a message
MOST = 1_000_000  # numbers of an argument that is not an array yet
DEEPEST = 64  # lists within each other, at least as many as NumPy allows
# For a `repr` that takes no time: twenty-four lists of two, each in the next, are 2**24 numbers.
REPR = reprlib.Repr()
REPR.maxlevel = 4
REPR.maxlist = REPR.maxtuple = REPR.maxdict = REPR.maxset = REPR.maxfrozenset = 30
REPR.maxarray = REPR.maxdeque = 30
REPR.maxstring = REPR.maxlong = REPR.maxother = 4 * LONGEST


def real_numbers(what: str, given: Any) -> NDArray[Any]:
    """Convert an argument to an array of real numbers, keeping its type and shape.

    Args:
        what: the name of the argument, for the message.
        given: numbers; masked arrays are rejected, since masked numbers have no meaning.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(given, np.ma.MaskedArray):
        raise ValueError(f"{what} are plain numbers, not a masked array")
    count = _count(given)
    if count is None:
        raise ValueError(f"{what} are real numbers, not {described(given)}")
    if count > MOST:
        raise ValueError(f"{what} are an array, or up to {MOST:,} numbers, not {described(given)}")
    try:
        array = np.asarray(given)
    except Exception as error:  # an object's own __array__ may raise anything
        raise ValueError(f"{what} are numbers, not {described(given)}") from error
    if array.dtype.kind not in REAL:
        raise ValueError(f"{what} are real numbers, not {described(given)}")
    return array


def described(given: Any) -> str:
    """Describe an invalid argument in a few words, for a one-line message."""
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype}"
    if isinstance(given, str | bytes):
        given = given[: REPR.maxother]  # reprlib would write all of it first
    try:
        return shown(REPR.repr(given), LONGEST)
    except Exception:  # an object's own __repr__ may raise anything
        name = type(given).__name__
        return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def _count(given: Any) -> int | None:
    """Count the numbers in nested lists, assuming that sibling lists have the same length.

    An array counts as nothing, since it exists already; so does an object without a length. None
    for text, which NumPy would take minutes to copy into an array of the longest text's width.
    """
    count = 1
    for _ in range(DEEPEST):
        try:
            if isinstance(given, str | bytes):
                return None
            if hasattr(given, "__array__"):
                return 0
            count *= len(given)
            given = given[0]
        except Exception:  # a number, an empty list, or an object that raises anything
            return count
    return count


def one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    """Raise ValueError unless `value` is one of the known values, which it lists."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, not {described(value)}")
