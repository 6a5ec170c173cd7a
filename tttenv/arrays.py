"""Arguments as arrays of real numbers; anything else raises a ValueError."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.untrusted import shown

REAL = "biuf"  # kinds of NumPy's types: truth values, whole numbers and others, but not complex
LONGEST = 80  # characters of a wrong argument in a message


def real_numbers(what: str, given: Any) -> NDArray[Any]:
    """The same numbers as an array of real numbers of any type and shape.

    Args:
        what: the name of the argument, for the message.
        given: numbers; a masked array is refused, since the masked numbers have no meaning.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(given, np.ma.MaskedArray):
        raise ValueError(f"{what} are plain numbers, not a masked array")
    try:
        array = np.asarray(given)
    except Exception as error:  # an object's own __array__ may raise anything
        raise ValueError(f"{what} are numbers, not {described(given)}") from error
    if array.dtype.kind not in REAL:
        raise ValueError(f"{what} are real numbers, not {described(given)}")
    return array


def described(given: Any) -> str:
    """A wrong argument in a few words, for a message of one line."""
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype}"
    try:
        return shown(repr(given), LONGEST)
    except Exception:  # an object's own __repr__ may raise anything
        return f"a {type(given).__name__}"
