"""Variants of `compiled` without reference counting, for functions that allocate no arrays.

numba counts references to every array that a function uses, even where a tuple of arrays is only
passed on; in the searches the counting takes longer than the work itself (measured: 2.3 times).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from tttenv.utils.compiled import compiled
from tttenv.utils.inlining import CalleeCompiler

_P = ParamSpec("_P")
_R = TypeVar("_R")


def bare(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` without reference counting; it may use arrays, but not allocate any."""
    return _with_options(compiled(function), _nrt=False)


def inner(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` like `bare`, for calls from compiled functions only.

    LLVM then sees its code only inside its callers; see `inlining`. A call from Python raises a
    TypeError.
    """
    made: Any = _with_options(bare(function), no_cpython_wrapper=True)
    if made is not function:
        made._compiler.pipeline_class = CalleeCompiler
        made._compile_for_args = partial(_refuse, function.__name__)
        made.add_overload = partial(_keep, made.overloads)
    return cast("Callable[_P, _R]", made)


def _refuse(name: str, *_: object, **__: object) -> None:
    raise TypeError(f"{name} is called by compiled functions only: Python cannot call it")


def _keep(overloads: dict[Any, Any], compiled_code: Any) -> None:
    """Keep compiled code for callers, without exposing it to calls from Python."""
    overloads[tuple(compiled_code.signature.args)] = compiled_code


def _with_options(function: Callable[_P, _R], **options: bool) -> Callable[_P, _R]:
    dispatcher: Any = function
    if hasattr(dispatcher, "targetoptions"):  # not with NUMBA_DISABLE_JIT
        dispatcher.targetoptions.update(options)
    return function
