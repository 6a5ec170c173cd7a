"""Compiling loops to machine code with Numba, cached under a hash of all kernel sources.

numba does not recompile a function when one that it calls in another file changes. So the cache is
in a folder named by the hash of the sources of all kernels. `TTTENV_CACHE` is another place for it
than the user's cache (`XDG_CACHE_HOME` or ~/.cache). Reading compiled code runs it, so the folder
is used only if it belongs to the user and no other user can write to it. If there is no such
folder, everything works without a cache, after a warning; a damaged file is compiled again.

numba names compiled code after its types, and a record type after a counter of the process. So the
code for two record types, cached by different processes, could have the same name, and one would
run for the other. Here the name of a record type is its definition.

numba counts references to every array that a function uses, even where a tuple of arrays is only
passed on; in the searches the counting takes longer than the work itself (measured: 2.3 times). So
functions that allocate no arrays are compiled without it, by `bare` and `inner`.
"""

import hashlib
import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast
from uuid import uuid4

import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import codegen, compiler, serialize
from numba.core.caching import NullCache

from tttenv.utils import compile_time as compile_time  # counts from the first function on

_P = ParamSpec("_P")
_R = TypeVar("_R")


PACKAGE = Path(__file__).parents[1]
BASE = ("compiled", "struct")  # what all kernels are written with
UNCOMPILED = bool(numba.config.DISABLE_JIT)  # by NUMBA_DISABLE_JIT=1, to debug
OTHERS = 0o022  # the rights of others to write
_warned: list[str] = []  # the only warning of this process, once it is given


def source_hash() -> str:
    """Return a hash of all kernel sources and numba's version, as 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode())
    base = [PACKAGE / "utils" / f"{name}.py" for name in BASE]
    for file in sorted([*base, *PACKAGE.rglob("*_kernel.py")]):
        name = file.relative_to(PACKAGE).as_posix()
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    """Return the folder for compiled code, or an empty string if no folder is safe."""
    wanted, user = os.environ.get("TTTENV_CACHE"), os.environ.get("XDG_CACHE_HOME", "")
    base = Path(wanted) if wanted else Path(user if os.path.isabs(user) else "~/.cache") / "tttenv"
    try:
        folder = (base if wanted else base.expanduser()).absolute() / source_hash()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & OTHERS):
            raise PermissionError(f"other users can write to {folder}")
        return str(folder)
    except (OSError, RuntimeError) as error:  # read-only, shared, or a user without a home
        _warn(base, error)
        return ""


def _warn(folder: object, error: Exception) -> None:
    """Log that compiled code cannot be kept, once, since later problems have the same cause."""
    if not _warned:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        _warned.append(
            f"compiled code is not kept in {folder}: {' '.join(reason.split())[:200].rstrip('.')}."
            " It is compiled at each start; TTTENV_CACHE names another folder"
        )
        logging.getLogger("tttenv").warning("tttenv: %s", _warned[0])


CACHE_FOLDER = _cache_folder()


class Stored(NullCache):
    """The compiled code of one function in a folder: a file for each signature."""

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self.folder, self.name = Path(folder), f"{function.__module__}.{function.__qualname__}"

    def _file(self, signature: Any) -> Path:
        about = repr((signature, compile_time.processor(), sys.version))
        return self.folder / f"{self.name}.{hashlib.sha256(about.encode()).hexdigest()[:16]}.code"

    def exists(self) -> bool:
        """Return whether there is code for any signature."""
        return any(self.folder.glob(f"{self.name}.*.code"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the stored code for a signature, or None if there is no usable code."""
        target_context.refresh()
        try:
            stored = serialize.loads(self._file(sig).read_bytes())
            if stored[0][1] == _CalleeCode.KIND:
                return _CalleeCode.rebuilt(target_context, *stored[:4])
            return compiler.CompileResult._rebuild(target_context, *stored)
        except FileNotFoundError:
            return None
        except Exception as error:  # unpickling and LLVM raise anything
            _warn(self.folder, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the compiled code for a signature, if possible."""
        if data.library.has_dynamic_globals:  # addresses of this process
            return
        file = self._file(sig)
        temporary = file.with_suffix(f".{uuid4().hex}.tmp")
        try:
            temporary.write_bytes(serialize.dumps(data._reduce()))
            temporary.replace(file)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            _warn(self.folder, error)


_records: Any = numba.types.Record
_records.mangling_args = property(lambda record: ("Record", (str(record.name),)))


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` on its first call, without the GIL, and cache the result on disk."""
    return cast("Callable[_P, _R]", _dispatcher(function))


def bare(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` without reference counting; it may use arrays, but not allocate any."""
    made: Any = compiled(function)
    if not UNCOMPILED:
        made.targetoptions["_nrt"] = False
    return cast("Callable[_P, _R]", made)


def inner(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` like `bare`, for calls from compiled functions only.

    LLVM then sees its code only inside its callers. A call from Python raises a TypeError.
    """
    made = _dispatcher(function)
    if not UNCOMPILED:
        made.targetoptions.update(_nrt=False, no_cpython_wrapper=True)
        made._compiler.pipeline_class = _CalleeCompiler
        made._compile_for_args = partial(_refuse, function.__name__)
        made.add_overload = partial(_add_callee, made.overloads)
    return cast("Callable[_P, _R]", made)


def _dispatcher(function: Callable[..., Any]) -> Any:
    """Return numba's dispatcher of a function, or with NUMBA_DISABLE_JIT one that runs it."""
    if UNCOMPILED:
        return np.errstate(over="ignore")(function)  # compiled code does not warn either
    options: Any = {"nogil": True, "no_cfunc_wrapper": True}
    made: Any = numba.njit(**options)(function)
    made.get_call_template = partial(_call_template, made.get_call_template)
    made.typeof_pyval = partial(_type_of_argument, made.typeof_pyval)
    if CACHE_FOLDER and function.__module__.startswith("tttenv."):
        made._cache = Stored(function, CACHE_FOLDER)
    return made


def _type_of_argument(original: Callable[..., Any], value: Any) -> Any:
    """Return the type of an argument that is neither a number nor a writable array.

    numba would find the type of a struct by several calls in Python, which take longer than some
    searches, and would compile a function again for a read-only array, alone or in a tuple.
    """
    known = getattr(value, "_numba_type_", None)
    return _writable(original(value) if known is None else known)


def _writable(kind: Any) -> Any:
    types: Any = numba.types
    if isinstance(kind, types.Tuple | types.UniTuple):
        return types.Tuple([*map(_writable, kind)])
    return kind.copy(readonly=False) if isinstance(kind, types.Array) else kind


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


class _CalleeCode(codegen.JITCodeLibrary):
    """LLVM code that is optimized and made machine code in its callers only.

    numba would do both for the function itself too, with everything that it calls.
    """

    KIND = "callee"  # in the cache, beside numba's own kinds "object" and "bitcode"

    @classmethod
    def rebuilt(cls, target: Any, code: Any, about: Any, environment: Any, signature: Any) -> Any:
        made = cls(target.codegen(), code[0])
        made._final_module = llvm.parse_bitcode(code[2])
        made._finalize_final_module()
        return compiler.compile_result(
            target_context=target,
            typing_context=target.typing_context,
            library=made,
            environment=environment,
            entry_point=None,
            fndesc=about,
            signature=signature,
            objectmode=False,
            lifted=(),
        )

    def serialize_using_object_code(self) -> Any:
        return self.name, self.KIND, self._get_module_for_linking().as_bitcode()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _CalleeCompiler(compiler.Compiler):
    """Numba's compiler, which here ends with LLVM code."""

    def compile_extra(self, func: Any) -> Any:
        self.state.library = _CalleeCode(self.state.targetctx.codegen(), func.__qualname__)
        self.state.flags.no_compile = True
        return super().compile_extra(func)


def _refuse(name: str, *_: object, **__: object) -> None:
    raise TypeError(f"{name} can only be called by compiled functions, not from Python")


def _add_callee(overloads: dict[Any, Any], result: Any) -> None:
    """Make the code of an inner function known to its callers, but not to Python."""
    if result.environment.consts:
        raise NotImplementedError(f"{result.fndesc.qualname} needs Python objects")
    result = result._replace(entry_point=object())  # the key by which numba finds the code
    result.target_context.insert_user_function(result.entry_point, result.fndesc, [result.library])
    overloads[tuple(result.signature.args)] = result
