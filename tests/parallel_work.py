"""Functions of tasks for the tests of the executor; workers import them by this module's name.

What is said of a run is said by files in a folder that the arguments name.
"""

import os
import signal
import time
from pathlib import Path

import numpy as np

from tttenv.parallel import Task


def tasks_of(function, count=6, folder=None, **more):
    """Tasks with seeds of their own, each with a folder in `folder` if there is one."""
    found = []
    for seed in range(count):
        place = None if folder is None else folder / str(seed)
        found.append(Task(f"task {seed}", function, {"seed": seed, **more}, place))
    return found


def drawn(given, context):
    """Some random numbers of a seed, and the progress towards them."""
    context.tell(1, 2, "half")
    time.sleep(given.get("seconds", 0))
    rng = np.random.default_rng(given["seed"])
    return {"seed": given["seed"], "drawn": rng.random(3).tolist(), "sizes": (1, 2)}


def noted(given, context):
    """The same, and a file for each time that it ran, named by the process."""
    ran(given, f"{given['seed']}-{os.getpid()}")
    return drawn(given, context)


def ran(given, name):
    Path(given["notes"], name).touch()


def failing(given, context):
    """An error for odd seeds."""
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
    """Kill this process the first times that it is run."""
    notes = Path(given["notes"])
    before = len(list(notes.glob(f"{given['seed']}-*")))
    ran(given, f"{given['seed']}-{before}")
    if before < given["deaths"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return drawn(given, context)


def writing(given, context):
    """Files in the task's folder, and what stood there before."""
    before = sorted(file.name for file in context.folder.rglob("*") if file.is_file())
    (context.folder / "within").mkdir(exist_ok=True)
    for name in (f"{given['seed']}.txt", "within/deep.bin"):
        (context.folder / name).write_bytes(bytes([given["seed"]]) * 1000)
    return before


def sleeping(given, context):
    """Long work that tells that it has begun."""
    ran(given, f"{given['seed']}-begun")
    time.sleep(600)


def threads(given, context):
    return {name: os.environ.get(name) for name in given["names"]}


def watched(given, context):
    """The same as `drawn`, with files that tell when it begins and ends; it ends when it may."""
    ran(given, f"{given['seed']}-{os.getpid()}.begun")
    until = time.monotonic() + 120
    while not Path(given["notes"], "go").exists() and time.monotonic() < until:
        time.sleep(0.05)
    value = drawn(given, context)
    ran(given, f"{given['seed']}-{os.getpid()}.ended")
    return value


def long(given, context):
    """A value of many bytes."""
    time.sleep(given["seconds"])
    return str(given["seed"]) * 500_000
