"""Compiled loops: the only package that uses numba, cached under the hash of all its sources.

numba recompiles a function when its own file changes, but not when a function it calls in another
file does. So the cache lives in a folder named by the hash of every kernel's source: an edit
anywhere here starts a fresh one. `TTTENV_CACHE` names another place for it than the user's cache
(`XDG_CACHE_HOME` or ~/.cache); a relative one begins at the working directory. Compiled code is run
when it is read, so the folder is used only if nobody but the user can write to it. Where there is
no such folder, everything works without it, after a warning.

numba names compiled code after its types, and a record type after a number that is dealt anew in
each process. So code for rows of different sizes, cached by different processes, could bear one
name, and one would be run for the other. Here records are named by what they are.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

from tttenv.kernels.checked_cache import CheckedCache, not_kept, tell_once
from tttenv.private_folder import private_folder

_P = ParamSpec("_P")
_R = TypeVar("_R")


def source_hash() -> str:
    """The hash of every kernel's source and of numba's version, as 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    """The folder for compiled code, or an empty string where there is none of the user's own."""
    wanted, user = os.environ.get("TTTENV_CACHE"), os.environ.get("XDG_CACHE_HOME", "")
    base = Path(wanted) if wanted else Path(user if os.path.isabs(user) else "~/.cache") / "tttenv"
    try:
        base = base if wanted else base.expanduser()
        return str(private_folder(base / source_hash()))
    except (OSError, RuntimeError) as error:  # read-only, shared, or a user without a home
        tell_once(not_kept(base, error))
        return ""


CACHE_FOLDER = _cache_folder()


def _name_of_record(record: Any) -> tuple[str, tuple[str, ...]]:
    """What numba's names for compiled code say of a record type: the same in every process."""
    return "Record", (str(record.name),)


_records: Any = numba.types.Record
_records.mangling_args = property(_name_of_record)


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` at its first call, without the GIL, and keep the result on disk."""
    made: Any = numba.njit(nogil=True)(function)
    if CACHE_FOLDER and hasattr(made, "enable_caching"):  # not with NUMBA_DISABLE_JIT
        made._cache = CheckedCache(function, CACHE_FOLDER)
    return cast("Callable[_P, _R]", made)
