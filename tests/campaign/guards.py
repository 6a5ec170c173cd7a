"""Guards of what hostile input must not reach: programs, files, sockets; much time or memory."""

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

RUNS = (
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"),
    *("os.forkpty", "pty.spawn", "os.startfile", "pickle.find_class", "code.__new__"),
    *("socket.connect", "socket.bind", "socket.sendto", "urllib.Request", "ctypes.dlopen"),
    *("os.kill", "os.killpg", "signal.pthread_kill"),
)
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link")
SPACE = 2**30  # bytes of addresses beyond those at first
TIME_LIMIT = 20  # seconds


class Hang(BaseException):
    """Exception for work that does not end in time."""


class Guards:
    """Watcher of this process while `on`, with its findings in `seen`.

    Args:
        place: the one folder where files may be changed.
        canary: a path that nothing may open.
    """

    def __init__(self, place: Path, canary: Path) -> None:
        self.place, self.canary = str(place), str(canary)
        self.watching = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)  # for good
        signal.signal(signal.SIGALRM, _hang)
        space = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (space + SPACE, hard))

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Watch what happens in this block, and raise `Hang` in it when the time is up."""
        self.seen = []
        self.watching = True
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.watching = False

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event in RUNS:
            if not _numbas(event):
                self.seen.append(f"{event} {str(args)[:200]}")
        elif event == "open":
            path, mode, flags = (*args, None, None)[:3]
            if not isinstance(path, str | bytes):
                return
            text = os.fsdecode(path)
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            if text.startswith(self.canary) or (writes and self._outside(text)):
                self.seen.append(f"open {text[:200]} {mode}")
        elif event in CHANGES and isinstance(args[0], str | bytes):
            text = os.fsdecode(args[0])
            if self._outside(text) and not _numbas(event):
                self.seen.append(f"{event} {text[:200]}")

    def _outside(self, path: str) -> bool:
        allowed = (self.place, "/dev/null", "/proc/self/")
        return not os.path.abspath(path).startswith(allowed) and not _numbas("open")


def _numbas(event: str) -> bool:
    """Return whether numba is at work, whose cache of compiled code holds pickles of its own."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and event in ("open", "pickle.find_class", *CHANGES):
        if frame.f_globals.get("__name__", "").startswith(("numba.", "llvmlite.")):
            return True
        frame = frame.f_back
    return False


def _hang(*_: Any) -> None:
    raise Hang
