"""Atomic file writing."""

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write(file: Path, data: bytes | str | Callable[[Path], object]) -> None:
    """Replace `file` with `data` atomically: readers see the old contents or the new ones.

    The data is written to a temporary file beside it and flushed to disk, then the file is renamed;
    missing folders are created. The file's mode is 0o644.

    Args:
        file: its path; a link is replaced, not followed.
        data: the contents, text as UTF-8; large data by a function that writes to the path that it
            is called with.

    Raises:
        OSError: if it cannot be written; it names `file`, which is then as before.
    """
    content = data.encode() if isinstance(data, str) else data
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            if isinstance(content, bytes):
                temporary.write_bytes(content)
            else:
                content(temporary)
            os.chmod(temporary, 0o644)
            _sync(temporary, os.O_RDWR)
            os.replace(temporary, file)
        except BaseException:  # an interrupt too leaves no temporary file
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from error
    with contextlib.suppress(OSError):  # makes the rename durable, on systems that support it
        _sync(file.parent, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
