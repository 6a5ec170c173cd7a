"""Compiling loops to machine code with Numba, cached under a hash of all kernel sources.

numba recompiles a function when its own file changes, but not when a function it calls in another
file does. So the cache is in a folder named by the hash of the sources of all kernels: an edit of
any of them starts a new one. `TTTENV_CACHE` is another place for it than the user's cache
(`XDG_CACHE_HOME` or ~/.cache); a relative path begins at the working directory. Reading compiled
code runs it, so the folder is used only if no other user can write to it. If there is no such
folder, everything works without a cache, after a warning.

numba names compiled code after its types, and a record type after a counter of the process. So the
code for two record types, cached by different processes, could have the same name, and one would
run for the other. Here the name of a record type is its definition.

numba counts references to every array that a function uses, even where a tuple of arrays is only
passed on; in the searches the counting takes longer than the work itself (measured: 2.3 times). So
functions that allocate no arrays are compiled without it, by `bare` and `inner`.
"""

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

from tttenv.utils import compile_time as compile_time  # counts from the first function on
from tttenv.utils.compile_cache import (
    CheckedCache,
    cache_unused_message,
    private_folder,
    warn_once,
)
from tttenv.utils.inlining import CalleeCompiler

_P = ParamSpec("_P")
_R = TypeVar("_R")


PACKAGE = Path(__file__).parents[1]
BASE = ("compiled", "inlining", "struct")  # what all kernels are written with


def sources() -> list[Path]:
    """Return the source files that compiled code depends on: all kernels and their helpers."""
    base = [PACKAGE / "utils" / f"{name}.py" for name in BASE]
    return sorted([*base, *PACKAGE.rglob("*_kernel.py")])


def source_hash() -> str:
    """Return a hash of all kernel sources and numba's version, as 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sources():
        name = file.relative_to(PACKAGE).as_posix()
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    """Return the folder for compiled code, or an empty string if no folder is safe."""
    wanted, user = os.environ.get("TTTENV_CACHE"), os.environ.get("XDG_CACHE_HOME", "")
    base = Path(wanted) if wanted else Path(user if os.path.isabs(user) else "~/.cache") / "tttenv"
    try:
        base = base if wanted else base.expanduser()
        return str(private_folder(base / source_hash()))
    except (OSError, RuntimeError) as error:  # read-only, shared, or a user without a home
        warn_once(cache_unused_message(base, error))
        return ""


CACHE_FOLDER = _cache_folder()


def _name_of_record(record: Any) -> tuple[str, tuple[str, ...]]:
    """Return the name of a record type in compiled code, the same in all processes."""
    return "Record", (str(record.name),)


_records: Any = numba.types.Record
_records.mangling_args = property(_name_of_record)


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` on its first call, without the GIL, and cache the result on disk."""
    options: Any = {"nogil": True, "no_cfunc_wrapper": True}
    made: Any = numba.njit(**options)(function)
    if not hasattr(made, "enable_caching"):  # with NUMBA_DISABLE_JIT
        return function
    made.get_call_template = partial(_call_template, made.get_call_template)
    made.typeof_pyval = partial(_type_of_argument, made.typeof_pyval)
    if CACHE_FOLDER:
        made._cache = CheckedCache(function, CACHE_FOLDER)
    return cast("Callable[_P, _R]", made)


def _type_of_argument(original: Callable[..., Any], value: Any) -> Any:
    """Return the type of an argument that is neither a number nor a writable array.

    numba would find the type of a struct by several calls in Python, which take longer than some
    searches, and would compile a function again for a read-only array.
    """
    known = getattr(value, "_numba_type_", None)
    found = original(value) if known is None else known
    return found.copy(readonly=False) if isinstance(found, numba.types.Array) else found


def _call_template(original: Callable[..., Any], args: Any, kws: Any) -> Any:
    """Resolve calls from compiled code to a single signature.

    numba would compile a function again for each constant and integer width that it is called with.
    """
    return original(tuple(map(_widened, args)), {name: _widened(kws[name]) for name in kws})


def _widened(kind: Any) -> Any:
    """Return the type of a constant without its value, and int64 for any signed integer."""
    types: Any = numba.types
    kind = types.unliteral(kind)
    return types.int64 if kind in types.signed_domain else kind


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
    raise TypeError(f"{name} can only be called by compiled functions, not from Python")


def _keep(overloads: dict[Any, Any], compiled_code: Any) -> None:
    """Keep compiled code for callers, without exposing it to calls from Python."""
    overloads[tuple(compiled_code.signature.args)] = compiled_code


def _with_options(function: Callable[_P, _R], **options: bool) -> Callable[_P, _R]:
    dispatcher: Any = function
    if hasattr(dispatcher, "targetoptions"):  # not with NUMBA_DISABLE_JIT
        dispatcher.targetoptions.update(options)
    return function
