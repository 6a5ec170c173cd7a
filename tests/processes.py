"""Scripts as programs, and what the system says of processes: if they live, what they started."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def surroundings(**more):
    """The environment variables of a program that imports this checkout."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def command(script, *arguments):
    """The command line of one of `scripts/`."""
    return [sys.executable, str(ROOT / "scripts" / script), *map(str, arguments)]


def run_script(script, *arguments, cwd=None, **more):
    """Run one of `scripts/` to its end; its status, output and errors are in the result."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    settings = {"env": surroundings(), "text": True, "timeout": 250} | streams
    return subprocess.run(command(script, *arguments), cwd=cwd, **settings)


def lives(pid):
    """Whether a process lives; one that is over and only not yet collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ends between open and read
        return False


def ends(pid, seconds=10):
    """Whether a process ends in time."""
    until = time.monotonic() + seconds
    while lives(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not lives(pid)


def children(pid):
    """The numbers of the processes that a process has started and that are not yet collected."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            found += map(int, thread.read_text().split())
    return found


def has_children(pid, count, seconds=120):
    """Whether a process has started so many others before the time is over."""
    until = time.monotonic() + seconds
    while len(children(pid)) < count and time.monotonic() < until:
        time.sleep(0.01)
    return len(children(pid)) >= count


def unheard(pid):
    """The numbers of the signals that a process blocks or ignores; all of one that is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return set(signal.valid_signals())
    masks = re.findall(r"^Sig(?:Blk|Ign):\s*(\w+)$", status, re.MULTILINE)
    return {n for n in signal.valid_signals() if any(int(mask, 16) >> n - 1 & 1 for mask in masks)}
