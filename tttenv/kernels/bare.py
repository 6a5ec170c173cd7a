"""`compiled` for inner loops that make no arrays, and so need not count who uses which array.

numba counts references to every array that a function touches, also where a tuple of arrays is only
passed on; in the searches that takes longer than the work itself (measured: 2.3 times as long).
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from tttenv.kernels import compiled

_P = ParamSpec("_P")
_R = TypeVar("_R")


def bare(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` without reference counts; it may read and write arrays, but make none."""
    made = cast("Any", compiled(function))
    made.targetoptions["_nrt"] = False
    return cast("Callable[_P, _R]", made)
