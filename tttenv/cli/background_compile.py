"""Background compilation of the code that a command needs."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

CODE = "import sys; from tttenv.cli import compile; [*map(compile.compile_part, sys.argv[1:])]"


class BackgroundCompile:
    """Compiles parts of the package in background processes."""

    def __init__(self, names: Sequence[str], processes: int) -> None:
        left = _missing(names) if names else []
        shares = [left[first::processes] for first in range(processes)]
        self._running = [(share, _start(share)) for share in shares if share]

    @property
    def needed(self) -> bool:
        """Whether anything had to be compiled."""
        return bool(self._running)

    def wait(self, *names: str) -> None:
        """Wait until the given parts are compiled or their compilation has failed.

        The waiting time counts as compile time of this process.
        """
        from tttenv.utils.compile_time import watch

        began = time.perf_counter()
        for share, process in self._running:
            for name in filter(names.__contains__, share):  # in the order in which it works
                watch.tell(name)
                while process.poll() is None and not mark_of(name).exists():
                    time.sleep(0.02)
        watch.seconds += time.perf_counter() - began

    def stop(self) -> None:
        """Kill the processes."""
        for _, process in self._running:
            process.kill()
            process.wait()


def mark_of(name: str) -> Path:
    """Return the path of the empty file that marks a part as compiled for this machine."""
    from tttenv.utils.compile_time import processor
    from tttenv.utils.compiled import CACHE_FOLDER

    about = repr((name, sys.version, processor()))
    return Path(CACHE_FOLDER) / f"part-{hashlib.sha256(about.encode()).hexdigest()[:16]}"


def _missing(names: Sequence[str]) -> list[str]:
    """Return the parts that are not in the cache, or an empty list if there is no cache."""
    from tttenv.utils.compiled import CACHE_FOLDER

    return [name for name in names if not mark_of(name).exists()] if CACHE_FOLDER else []


def _start(names: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Start a process that compiles and marks parts in the given order."""
    home = str(Path(__file__).parents[2])  # the folder of tttenv, installed or not
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", CODE, *names],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": path},
    )


@contextmanager
def compiling(*names: str, processes: int = 1) -> Iterator[BackgroundCompile]:
    """Compile uncached parts in background processes, which are killed when the block ends.

    Args:
        names: the parts, keys of `tttenv.cli.compile.PARTS`, in the order they are needed.
        processes: the number of processes to distribute them over.
    """
    running = BackgroundCompile(names, processes)
    try:
        yield running
    finally:
        running.stop()
