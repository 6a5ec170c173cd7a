"""Atomic file writing."""

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write(file: Path, data: bytes | str | Iterable[bytes | memoryview]) -> None:
    """Replace `file` with `data` atomically: readers see the old contents or the new ones.

    The data is written to a temporary file beside it and flushed to disk, then the file is renamed;
    missing folders are created. Large data may come in pieces, which are never copied.
    """
    content = data.encode() if isinstance(data, str) else data
    try:
        _replace(file, [content] if isinstance(content, bytes) else content)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from error
    _sync_folder(file.parent)


def _replace(file: Path, content: Iterable[bytes | memoryview]) -> None:
    """Write a temporary file and rename it to `file`, leaving nothing behind on failure."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except BaseException:  # an interrupt too leaves no temporary file
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, on systems that support it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
