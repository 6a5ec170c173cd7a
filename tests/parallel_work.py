"""Task functions for the tests of the executor, which workers import by this module's name.

What is said of a run is said by files in a folder that the arguments name.
"""

import os
import signal
import time
from multiprocessing import parent_process
from pathlib import Path

import numpy as np

from tttenv.parallel.tasks import Task


def tasks_of(function, count=6, folder=None, **more):
    """Return tasks with seeds of their own, each with a folder in `folder` if given."""
    found = []
    for seed in range(count):
        place = None if folder is None else folder / str(seed)
        found.append(Task(f"task {seed}", function, {"seed": seed, **more}, place))
    return found


def drawn(given, context):
    """Return random numbers of a seed, and report progress."""
    context.tell(1, 2, "half")
    time.sleep(given.get("seconds", 0))
    rng = np.random.default_rng(given["seed"])
    return {"seed": given["seed"], "drawn": rng.random(3).tolist(), "sizes": (1, 2)}


def noted(given, context):
    """Return the same as `drawn`, and write a file named by the process for each run."""
    ran(given, f"{given['seed']}-{os.getpid()}")
    return drawn(given, context)


def ran(given, name):
    Path(given["notes"], name).touch()


def failing(given, context):
    """Raise an error for odd seeds."""
    if given["seed"] % 2:
        raise KeyError(f"no {given['seed']}\nand more")
    return drawn(given, context)


def refusing(given, context):
    raise ValueError(f"{given['seed']} is refused")


def leaving(given, context):
    raise SystemExit(3)


def unheard_of(given, context):
    return {"value": object()}


def endless_number(given, context):
    return float("nan")


def dying(given, context):
    """Kill this process in the first runs."""
    notes = Path(given["notes"])
    before = len(list(notes.glob(f"{given['seed']}-*")))
    ran(given, f"{given['seed']}-{before}")
    if before < given["deaths"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return drawn(given, context)


def writing(given, context):
    """Write files in the task's folder, and return its earlier contents."""
    before = sorted(file.name for file in context.folder.rglob("*") if file.is_file())
    (context.folder / "within").mkdir(exist_ok=True)
    for name in (f"{given['seed']}.txt", "within/deep.bin"):
        (context.folder / name).write_bytes(bytes([given["seed"]]) * 1000)
    return before


def sleeping(given, context):
    """Report the beginning of long work, and sleep."""
    ran(given, f"{given['seed']}-begun")
    time.sleep(600)


def threads(given, context):
    return {name: os.environ.get(name) for name in given["names"]}


def watched(given, context):
    """Return the same as `drawn`, noting the beginning and end in files; wait for permission."""
    ran(given, f"{given['seed']}-{os.getpid()}.begun")
    until = time.monotonic() + 120
    while not Path(given["notes"], "go").exists() and time.monotonic() < until:
        time.sleep(0.05)
    value = drawn(given, context)
    ran(given, f"{given['seed']}-{os.getpid()}.ended")
    return value


def alone_answering(part, context):
    """Answer in the driver only: a worker is lost."""
    if parent_process() is not None:
        os._exit(1)
    return part * 3
