"""Validation of a player's output: arrays, tensors and lists of real numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.utils.arrays import REAL
from tttenv.utils.untrusted import first_line, shown

LONGEST_ROW = 180  # characters of a board, or of one answer, in a message
LONGEST_REASON = 150  # characters of a foreign library's error message


def answered_numbers(answer: Any, whose: str = "a policy") -> NDArray[np.float64]:
    """Convert a policy's output to float64; a float64 array is returned without copying.

    torch tensors are detached and copied to the CPU.

    Args:
        answer: an array, a tensor or lists.
        whose: the owner of the output, for the message.

    Raises:
        ValueError: for anything but real numbers in rows of equal length.
    """
    if type(answer) is np.ndarray and answer.dtype == np.float64:
        return answer
    try:
        array = np.asarray(_without_gradient(answer))
    except Exception as error:  # a foreign object may raise anything
        raise ValueError(_refusal(answer, whose, f": {_reason(error)}")) from None
    if isinstance(answer, np.ma.MaskedArray):
        raise ValueError(_refusal(answer, whose, ": it hides some of its numbers"))
    if array.dtype.kind not in REAL:
        held = "" if array.ndim == 0 else f" of {array.dtype}"
        raise ValueError(_refusal(answer, whose, held))
    with np.errstate(over="ignore"):  # too large a number becomes infinite
        found: NDArray[np.float64] = array.astype(np.float64, copy=False)
    return found


def brief(row: NDArray[Any]) -> str:
    """Format a board (cells,), or a policy's output for it, as text of bounded length."""
    return shown(row.tolist(), LONGEST_ROW)


def _without_gradient(answer: Any) -> Any:
    """Convert a torch tensor to an array, possibly complex; return anything else unchanged."""
    if not (hasattr(answer, "detach") and hasattr(answer, "cpu")):
        return answer
    tensor = answer.detach().cpu()
    if not tensor.is_complex():
        tensor = tensor.double()  # NumPy has no bfloat16
    return tensor.numpy()


def _refusal(answer: Any, whose: str, why: str) -> str:
    kind = shown(type(answer).__name__, 60)
    return f"{whose} answers numbers (batch, cells), an array, a tensor or lists, not {kind}{why}"


def _reason(error: Exception) -> str:
    return shown(f"{type(error).__name__}: {first_line(error)}", LONGEST_REASON)
