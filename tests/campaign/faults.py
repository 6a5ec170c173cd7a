"""Faults at the n-th file-system call of this process, counted where Python makes the calls.

Counted is what changes a folder or makes a change durable: opening for writing, writing, making,
renaming and removing files and folders, permissions, lengths, locks and flushing. TensorBoard's
event files count only where a disk is full: a thread of their own writes them, at any time.
"""

import builtins
import fcntl
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEADLY = ("before", "half", "after")
MANNERS = (*DEADLY, "fails", "full", "interrupt")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
BY_NAME = (
    *("mkdir", "rmdir", "unlink", "remove", "rename", "replace", "link", "symlink"),
    *("chmod", "truncate", "utime"),
)
MOVING = ("rename", "replace", "link", "symlink")  # named by where to
BY_HANDLE = ("fsync", "fdatasync", "ftruncate", "write", "pwrite", "writev", "fchmod")
DIED = 77  # exit status of a process that dies at a call


class Faults:
    """Counter of the calls within a folder that makes one of them fail.

    Args:
        folder: calls on other files do not count.
        at: the number of the call, from 0 on; None: none fails.
        manner: one of `MANNERS`: the process ends "before" or "after" the call or, for a write to
            a stream, when "half" is written; the call "fails" with an OSError, once; the disk is
            "full" from this call on; or Ctrl-C comes ("interrupt").
    """

    def __init__(self, folder: Path, at: int | None = None, manner: str = "before") -> None:
        self.folder, self.at, self.manner = str(folder), at, manner
        self.calls: list[str] = []  # what each was, for messages
        self.full = False
        self.true = {
            name: getattr(os, name) for name in (*BY_NAME, *BY_HANDLE, "open") if hasattr(os, name)
        }
        self.true["flock"], self.opened = fcntl.flock, io.open

    def install(self) -> None:
        """Install the faults in this process permanently."""
        for name in set(BY_NAME) & self.true.keys():
            setattr(os, name, self._by_name(name))
        for name in set(BY_HANDLE) & self.true.keys():
            setattr(os, name, self._by_handle(name))
        os.open = self._os_open
        fcntl.flock = self._by_handle("flock")
        io.open = builtins.open = self._open

    def _by_name(self, name: str) -> Callable[..., Any]:
        def called(path: Any, *more: Any, **named: Any) -> Any:
            target = more[0] if name in MOVING and more else path
            return self._call(name, target, lambda: self.true[name](path, *more, **named))

        return called

    def _by_handle(self, name: str) -> Callable[..., Any]:
        def called(handle: Any, *more: Any) -> Any:
            number = handle if isinstance(handle, int) else handle.fileno()
            return self._call(name, _path_of(number), lambda: self.true[name](handle, *more))

        return called

    def _os_open(self, path: Any, flags: int, mode: int = 0o777, **named: Any) -> int:
        def work() -> int:
            number: int = self.true["open"](path, flags, mode, **named)
            return number

        if flags & WRITING:
            return self._call("open", path, work)
        return work()

    def _open(
        self, file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any
    ) -> Any:
        writes = set(mode) & set("wax+")
        path = _path_of(file) if isinstance(file, int) else file
        if not writes or not self._within(path):
            return self.opened(file, mode, buffering, *more, **named)
        kind = "".join(letter for letter in mode if letter not in "bt")
        closing = named.pop("closefd", True)
        make = lambda: Written(self, str(path), file, kind, closing)  # noqa: E731
        raw = make() if isinstance(file, int) else self._call("open", path, make)
        if buffering == 0:
            return raw
        stream = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return stream
        named.pop("opener", None)
        return io.TextIOWrapper(stream, *more, **named)

    def _within(self, path: Any) -> bool:
        try:
            text = os.path.abspath(os.fsdecode(path))
        except TypeError:  # a number of an open file
            text = _path_of(path)
        return text.startswith(self.folder)

    def _call(self, name: str, path: Any, work: Callable[[], Any], half: Any = None) -> Any:
        """Count a call, and make it fail if it is its turn."""
        if not self._within(path):
            return work()
        text = os.path.basename(os.fsdecode(path) if not isinstance(path, int) else _path_of(path))
        if text.startswith("events.out"):
            if self.full and name in ("open", "write"):
                raise OSError(28, os.strerror(28), text)
            return work()
        self.calls.append(f"{name} {_plain(text)}")
        now = len(self.calls) - 1 == self.at
        if now and self.manner == "before":
            os._exit(DIED)
        if now and self.manner == "half":
            if half is not None:
                half()
            os._exit(DIED)
        if now and self.manner == "interrupt":
            raise KeyboardInterrupt
        self.full |= now and self.manner == "full"
        takes_room = name not in ("unlink", "remove", "rmdir", "flock", "chmod", "fchmod")
        if (now and self.manner == "fails") or (self.full and takes_room):
            raise OSError(28, os.strerror(28), text)
        try:
            return work()
        finally:
            if now and self.manner == "after":
                os._exit(DIED)


class Written(io.FileIO):
    """File whose every write counts."""

    def __init__(self, faults: Faults, name: str, file: Any, mode: str, closing: bool) -> None:
        super().__init__(file, mode, closefd=closing)
        self.faults, self.called = faults, name

    def write(self, data: Any) -> int:
        """Write as `io.FileIO` does, unless it is its turn to fail."""
        whole = bytes(data)
        base = super().write
        return self.faults._call(
            "write", self.called, lambda: base(whole), lambda: base(whole[: len(whole) // 2])
        )

    def truncate(self, size: int | None = None) -> int:
        """Truncate as `io.FileIO` does, unless it is its turn to fail."""
        base = super().truncate
        return self.faults._call("truncate", self.called, lambda: base(size))


def _path_of(number: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""


def _plain(name: str) -> str:
    """Return a temporary or data file's name without its random part or its digest."""
    return name.lstrip(".").split(".")[0].split("-")[0] + ("~" if name.startswith(".") else "")
