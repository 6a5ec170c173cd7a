"""Compiled loops: the only package that uses numba, cached under the hash of all its sources.

numba recompiles a function when its own file changes, but not when a function it calls in another
file does. So the cache lives in a folder named by the hash of every kernel's source: an edit
anywhere here starts a fresh one. `TTTENV_CACHE` names another place for it than the user's cache.

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

_P = ParamSpec("_P")
_R = TypeVar("_R")


def source_hash() -> str:
    """The hash of every kernel's source and of numba's version, as 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_folder() -> str:
    """The folder for compiled code, or an empty string where none can be made."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = Path(os.environ.get("TTTENV_CACHE") or user / "tttenv") / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # read-only, or a user without a home
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""


CACHE_FOLDER = _cache_folder()


def _name_of_record(record: Any) -> tuple[str, tuple[str, ...]]:
    """What numba's names for compiled code say of a record type: the same in every process."""
    return "Record", (str(record.name),)


_records: Any = numba.types.Record
_records.mangling_args = property(_name_of_record)


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile `function` at its first call, without the GIL, and keep the result on disk."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = CACHE_FOLDER or before
    try:
        compile_it = numba.njit(cache=bool(CACHE_FOLDER), nogil=True)
        return cast("Callable[_P, _R]", compile_it(function))
    finally:
        config.CACHE_DIR = before
