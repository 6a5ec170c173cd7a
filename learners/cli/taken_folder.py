"""Suggestions for a training run whose folder already contains another run."""

import shlex
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from learners.training.checkpoint import load_training
from learners.training.loop import Progress, Schedule, finished
from tttenv.players.stored.config_io import from_stored

COMMAND = ("tttenv", "train")


def commands(learner: str, options: Sequence[str], out: Path) -> list[str]:
    """Return commands that resume the run in a folder, if possible, and that use a new folder.

    The first is omitted if the folder has no run of this learner that can be resumed.
    """
    anew = [*COMMAND, learner, *_drop_out_option(options), "--out", str(_free(out))]
    again = _resuming(learner, out)
    return [shlex.join(command) for command in ([again, anew] if again else [anew])]


def _resuming(learner: str, out: Path) -> list[str] | None:
    """Return the command that resumes a run, with more steps if it is finished, or None."""
    try:
        state = load_training(out)
        progress = from_stored(Progress, state["clock"], str(out))
        ended = finished(from_stored(Schedule, state["plan"], str(out)), progress)
    except (FileNotFoundError, ValueError):
        return None
    if state["about"].get("learner") != learner:
        return None
    more = ["--steps", str(2 * progress.step)] if ended else []
    return [*COMMAND, learner, "--out", str(out), "--resume", *more]


def _drop_out_option(options: Sequence[str]) -> list[str]:
    kept = [option for option in options if not option.startswith("--out=")]
    while "--out" in kept:
        place = kept.index("--out")
        del kept[place : place + 2]
    return kept


def _free(out: Path) -> Path:
    """Return the first of runs/td0-0-2, runs/td0-0-3 and so on that does not exist."""
    names = (out.with_name(f"{out.name}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())
