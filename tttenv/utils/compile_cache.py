"""Numba's cache of compiled code, in a folder that belongs to the user alone.

If a file of the cache is damaged, its function is compiled again and the file is replaced. If the
cache cannot be read or written, the program goes on without it, after one warning.
"""

import inspect
import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from numba.core import caching

from tttenv.utils import inlining

OTHERS = stat.S_IWGRP | stat.S_IWOTH  # the rights of others to write
PRIVATE = 0o700  # the rights of a folder that is made here
_warned: list[str] = []  # the only warning of this process, once it is given


def warn_once(message: str) -> None:
    """Log a warning about the cache, once, since later problems have the same cause."""
    if not _warned:
        _warned.append(message)
        logging.getLogger("tttenv").warning("tttenv: %s", message)


def cache_unused_message(folder: object, error: Exception) -> str:
    """Return the warning that compiled code cannot be stored in `folder`."""
    return (
        f"compiled code is not kept in {folder}: {_reason(error)}. It is compiled at each start;"
        " TTTENV_CACHE names another folder"
    )


def _reason(error: Exception) -> str:
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(said.split())[:200].rstrip(".")


class CheckedCache(caching.FunctionCache):
    """A function's cache of compiled code, whose failures never stop the program."""

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self._impl_class = partial(_CacheFiles, folder=folder)  # type: ignore[assignment]  # called alike
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _KeyedFiles(folder, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached code for a signature, or None if there is no usable code."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling and LLVM raise anything
            warn_once(cache_unused_message(self._cache_path, error))
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the compiled code for a signature, if possible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_once(cache_unused_message(self._cache_path, error))


def is_cached(function: Any) -> bool:
    """Return whether the cache has code of a compiled function for any argument types."""
    files = getattr(function._cache, "_cache_file", None)
    return files is not None and os.path.exists(files._index_path)


class _CacheFiles(caching.CompileResultCacheImpl):
    """File names for a function's cached code."""

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        # numba's own __init__ would look for a folder
        file = inspect.getfile(function)
        self._lineno = function.__code__.co_firstlineno
        self._locator = _CacheFolder(file, self._lineno, folder)
        name = f"{Path(file).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Rebuild a function from its loaded code."""
        callee = inlining.from_cache(target_context, payload)
        return super().rebuild(target_context, payload) if callee is None else callee


class _CacheFolder(caching.UserProvidedCacheLocator):
    """Folder for a function's compiled code."""

    def __init__(self, file: str, line: int, folder: str) -> None:
        self._py_file, self._lineno, self._cache_path = file, line, folder

    def ensure_cache_path(self) -> None:
        """Create the folder if it is missing, and check that it is private to the user."""
        private_folder(Path(self._cache_path))


class _KeyedFiles(caching.IndexDataCacheFile):
    """Index and data files of one function."""

    def save(self, key: Any, data: Any) -> None:
        """Store data together with its key, which `load` compares."""
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        """Return the data stored under a key, or None.

        Two processes that write at the same time may use the same number for their files, so that
        the index of one leads to the data of the other. So the data must contain the same key.
        """
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception as error:  # unpickling raises anything
            warn_once(f"compiled code in {self._cache_path} is compiled again: {_reason(error)}")
            return {}

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), 0o600)
            yield file


class SharedFolderError(OSError):
    """Raised for a folder that another user can write to."""


def private_folder(folder: Path) -> Path:
    """Return a folder that only this user can write to, creating it if necessary.

    On systems without file owners (Windows) it is created without checks.

    Args:
        folder: the folder; a relative path starts at the working directory.

    Returns:
        Its real path, with all links resolved.

    Raises:
        SharedFolderError: if another user owns it or a link in its path, or can write to it or
            rename it; a parent that others can write to must have the sticky bit, like /tmp.
        OSError: if it cannot be created or inspected.
    """
    folder = Path(os.path.abspath(folder))
    if not hasattr(os, "geteuid"):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    for place in [*reversed(folder.parents), folder]:
        if place.is_symlink() and not _trusted(os.lstat(place)):
            raise SharedFolderError(f"{place} is another user's link")
    real = Path(os.path.realpath(folder))
    missing = [place for place in [real, *real.parents] if not place.exists()]
    above = real.parents[len(missing) - 1] if missing else real
    if not _trusted(os.stat(above)):
        raise SharedFolderError(f"{above} belongs to another user")
    for place in reversed(missing):
        with suppress(FileExistsError):  # another process may be quicker
            place.mkdir(PRIVATE)
    for parent in real.parents:
        _require_lasting(parent)
    _require_private(os.lstat(real), real)
    return real


def _require_private(status: os.stat_result, folder: Path) -> None:
    """Raise SharedFolderError unless a folder is this user's and no other user can write to it."""
    if status.st_uid != os.geteuid():
        raise SharedFolderError(f"{folder} belongs to another user")
    if status.st_mode & OTHERS:
        raise SharedFolderError(f"other users can write to {folder}")


def _trusted(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this user or to root."""
    return status.st_uid in (os.geteuid(), 0)


def _require_lasting(parent: Path) -> None:
    """Raise SharedFolderError if another user could replace this user's folders in `parent`."""
    status = os.stat(parent)
    shared = status.st_mode & OTHERS
    if not shared or (status.st_mode & stat.S_ISVTX and _trusted(status)):
        return
    if shared == stat.S_IWGRP and _group_of_one(status.st_gid):
        return
    raise SharedFolderError(f"other users can write to {parent}")


def _group_of_one(group: int) -> bool:
    """Return whether a group is the user's private group, of the same name."""
    import grp  # only where there are owners
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    alone = set(found.gr_mem) <= {user.pw_name}
    return user.pw_gid == group and found.gr_name == user.pw_name and alone
