"""`bare`: `compiled` without reference counts, for inner loops that allocate no arrays.

numba counts references to every array that a function uses, even where a tuple of arrays is only
passed on; in the searches the counting takes longer than the work itself (measured: 2.3 times).
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from tttenv.kernels import compiled

_P = ParamSpec("_P")
_R = TypeVar("_R")


def bare(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` without reference counts; it may use arrays, but not allocate any."""
    dispatcher = cast("Any", compiled(function))
    dispatcher.targetoptions["_nrt"] = False
    return cast("Callable[_P, _R]", dispatcher)
