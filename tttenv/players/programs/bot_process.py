"""The process of a `python` player: it imports a user's file and queries the bot in it.

It runs in an interpreter of its own, with a line of JSON for each message. First it is sent the
file, the options and the probe boards, and returns the form of the bot, of those in
`bot_forms.json`, or an error; then it is sent boards, and returns cells. It needs the standard
library only: an import of `tttenv` takes longer than all answers of a fast bot.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from .bot_clock import Clock
from .bot_course import COURSE, OF_COURSE, course
from .bot_search import Bot, LateError, Search, Trial, limited, limited_read, seed, short

REPEATS = 40  # answers to a board where the bot draws random numbers
SHIFTS = 20  # queries at different times, where a clock or the system's random numbers are read
VARIES = "answers otherwise at another time, or with other random numbers of the system"
SLOW = 3.0  # seconds for the probe boards; all others are then not queried twice
RECURSION = 20_000  # calls: the highest limit that a bot may set
QUIET = "put the game under `if __name__ == '__main__':`"


def _cells(bot: Bot, trial: Trial, seconds: float, given: dict[str, Any]) -> dict[str, Any]:
    """Return the bot's cell on a board; several, equally likely, if it draws random numbers."""
    board, found = given["board"], list[int]()
    for repeat in range(REPEATS):
        reply = bot.call(trial, board, seconds, repeat)
        cell = limited_read(reply, trial.form, board, bot.n)
        if cell is None:
            return {"error": bot.called(trial, board, reply)}
        found.append(cell)
        if repeat == 0 and reply.timed and _differs(bot, trial, seconds, board, cell):
            return {"varies": VARIES}
        if repeat == 0 and not reply.drew:
            break
    return {"cells": found}


def _differs(bot: Bot, trial: Trial, seconds: float, board: str, cell: int) -> bool:
    """Return whether the bot's cell on a board is another one at another time."""
    try:
        for bot.clock.shift in range(1, SHIFTS):
            reply = bot.call(trial, board, seconds)
            if limited_read(reply, trial.form, board, bot.n) != cell:
                return True
    finally:
        bot.clock.shift = 0
    return False


def _load(path: Path, seconds: float) -> Any:
    """Import a user's file, whose folder comes first among the places of its imports."""
    sys.path[0], sys.argv = str(path.parent), [str(path)]
    if b"numpy" in path.read_bytes():
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy.random")
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_"
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise ValueError("it is no Python file")
    sys.modules[name] = module = importlib.util.module_from_spec(found)
    limit = sys.setrecursionlimit
    sys.setrecursionlimit = lambda most: limit(min(most, RECURSION))
    seed("")
    try:
        with limited(seconds):
            found.loader.exec_module(module)
    except LateError:
        raise ValueError(f"it was not imported within {seconds:g} s: {QUIET}") from None
    except EOFError:
        raise ValueError(f"it reads its input, and nobody answers: {QUIET}") from None
    except BaseException as error:  # including SystemExit
        line = getattr(error, "lineno", None)
        where = f" in line {line}" if line else ""
        why = short(f"{type(error).__name__}: {error}", plainly=True)
        raise ValueError(f"importing it raised {why}{where}") from None
    return module


def _introduced(
    given: dict[str, Any],
) -> tuple[dict[str, Any], Callable[[dict[str, Any]], dict[str, Any]]]:
    """Import a file and find its bot; return the answer to the first message and to all others."""
    clock = Clock()
    module, seconds = _load(Path(given["path"]), given["seconds"]), given["seconds"]
    has = all(callable(vars(module).get(name)) for name in (*COURSE, "minimax"))
    if "course" in given:
        return {"course": has}, partial(course, module, seconds)
    if has and vars(module).get("EMPTY") is None and not given["function"] + given["form"]:
        given |= {"function": "minimax", "form": OF_COURSE}
    bot, probes, start = Bot(module, given["n"], clock), given["probes"], time.monotonic()
    best = Search(bot, probes, seconds, given["function"], given["form"]).found()
    found = {
        "function": best.name,
        "form": str(best.form),
        "words": best.form.described(len(probes[0][0]) // bot.n, bot.n),
        "seats": best.seats,
        "slow": time.monotonic() - start > SLOW,
    }
    return found, partial(_cells, bot, best, seconds)


def main() -> None:
    """Answer the messages on standard input, which the bot does not see."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    try:
        first, answer = _introduced(json.loads(requests.readline()))
    except ValueError as error:
        print(json.dumps({"error": str(error)}), file=answers, flush=True)
        return
    print(json.dumps(first), file=answers, flush=True)
    for line in requests:
        if line == "quit\n":
            return
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
