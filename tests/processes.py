"""Whether other processes still live."""

import time
from pathlib import Path


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
