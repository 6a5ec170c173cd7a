"""The n-th file-system call on a folder fails or ends the process, found by Python's audit events.

Counted is what changes a folder or makes a change durable: opening for writing, making, renaming
and removing files and folders, permissions, lengths, locks and flushing. TensorBoard's event files
count only where a disk is full: a thread of their own writes them, at any time.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MANNERS = ("dies", "fails", "full", "interrupt")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FREEING = ("os.remove", "os.rmdir", "os.chmod", "fcntl.flock")  # which take no room
CHANGES = (*FREEING, "os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.utime")
MOVING = ("os.rename", "os.link", "os.symlink")  # named by where to
_active: list["Faults"] = []  # an audit hook cannot be removed, so one calls these


class Death(BaseException):
    """The end of the process, after which nothing more is done."""


class Faults:
    """Counter of the calls on files in a folder, of which one fails.

    Args:
        folder: whose files count.
        at: the call that fails, from 0; None for none.
        manner: "dies": Death, at this and any later call; "fails": OSError, once; "full": OSError
            from then on, for calls that take room; "interrupt": KeyboardInterrupt.
    """

    def __init__(self, folder: Path, at: int | None = None, manner: str = "dies") -> None:
        self.folder, self.at, self.manner = os.path.abspath(folder), at, manner
        self.calls: list[str] = []  # each as its event and a file's name
        self.dead = self.full = False

    def call(self, event: str, path: Any) -> None:
        """Count a call, and make it fail if it is its turn."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        path = os.path.abspath(os.fsdecode(path))
        if not path.startswith(self.folder):
            return
        name = os.path.basename(path)
        if not name.startswith("events.out"):
            self.calls.append(f"{event} {_plain(name)}")
            if len(self.calls) - 1 == self.at:
                if self.manner == "interrupt":
                    raise KeyboardInterrupt
                if self.manner == "fails":
                    raise OSError(28, os.strerror(28), name)
                self.dead, self.full = self.manner == "dies", self.manner == "full"
        if self.dead:
            raise Death
        if self.full and event not in FREEING:
            raise OSError(28, os.strerror(28), name)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _active and (
        event in CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & WRITING)
    ):
        for faults in _active:
            faults.call(event, args[1 if event in MOVING else 0])


def _flushed(number: int, flush: Any = os.fsync) -> None:
    for faults in _active:
        faults.call("fsync", number)
    flush(number)


@contextmanager
def failing(folder: Path, at: int | None = None, manner: str = "dies") -> Iterator[Faults]:
    """Make a call on a folder's files fail within the block; yield the counter of calls."""
    if os.fsync is not _flushed:
        os.fsync = _flushed  # type: ignore[assignment]  # takes no objects with a fileno
        sys.addaudithook(_hook)
    faults = Faults(folder, at, manner)
    _active.append(faults)
    try:
        yield faults
    finally:
        _active.remove(faults)


def _plain(name: str) -> str:
    """Return a temporary or data file's name without its random part or its digest."""
    return name.lstrip(".").split(".")[0].split("-")[0] + ("~" if name.startswith(".") else "")
