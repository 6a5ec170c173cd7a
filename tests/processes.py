"""Scripts as programs, and facts about processes: whether they live, what they started."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def surroundings(**more):
    """Return the environment variables of a program that imports this checkout."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def command(script, *arguments):
    """Return the command line of one of `scripts/`."""
    return [sys.executable, str(ROOT / "scripts" / script), *map(str, arguments)]


def run_script(script, *arguments, cwd=None, **more):
    """Run one of `scripts/` to its end; return its status, output and errors."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    settings = {"env": surroundings(), "text": True, "timeout": 250} | streams
    return subprocess.run(command(script, *arguments), cwd=cwd, **settings)


def lives(pid):
    """Return whether a process lives and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ends between open and read
        return False


def ends(pid, seconds=10):
    """Return whether a process ends in time."""
    until = time.monotonic() + seconds
    while lives(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not lives(pid)


def children(pid):
    """Return the ids of the child processes that are not yet reaped."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            found += map(int, thread.read_text().split())
    return found
