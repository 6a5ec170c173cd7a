"""Campaign of attacks on trainings of all learners, which runs for as long as it is given.

    make campaign SECONDS=600
    make campaign-short                            the same cases everywhere, if the seed is given
    python -m tests.campaign kills --seconds 600
    python -m tests.campaign calls --seed 7 --case 12      one case again

It is no part of the test suite. Every case follows from the seed, which is printed, and its number
alone; only moments, as of a kill, do not. A case fails by an exception.
"""

import argparse
import itertools
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"  # forked from here: no thread may run in this process

# ruff: noqa: E402  # the libraries read the number of threads when they are loaded
import torch

import tttenv
from learners.registry import LEARNERS
from learners.testing import _same as same
from learners.training.checkpoint import load_learner, load_training
from learners.training.run import Run, Schedule
from learners.training.train import train
from tests.faults import MANNERS, Death, failing
from tttenv.game.rules import Rules
from tttenv.players.stored.checkpoint import CARD, POLICY, RUN, WEIGHTS, file_of, read_card

FORK = multiprocessing.get_context("fork")
NAMES = list(LEARNERS)
KILLS = 12  # of a training, at the most
EVENTS = "events.out.tfevents."
# What makes a learner's step quick; a learner without a row here trains as it usually does.
SMALL: dict[str, dict[str, Any]] = {
    "selfplay": {"hidden": (16,), "batch": 32, "fits": 1},
    "td0": {"games": 32},
    "qtable": {"games": 32},
    "genetic": {"population": 20},
    "supervised": {"hidden": (16,), "batch": 64, "fits": 1},
    "lms": {"games": 1},
    "dqn": {"hidden": (16,), "games": 8, "batch": 16, "capacity": 200, "sync": 3},
    "reinforce": {"hidden": (16,), "games": 32},
    "transformer": {"layers": 1, "width": 8, "heads": 2, "games": 8},
    "patterns": {"channels": 4, "hidden": 8, "nodes": 100, "games": 1, "updates": 1},
    "maskable_ppo": {"hidden": (16,), "games": 8, "turns": 8, "batch": 32, "epochs": 1},
}


def trained(name: str, out: Path, steps: int, seed: int = 0, resume: bool = False) -> None:
    """Train a learner that saves at every step."""
    torch.set_num_threads(1)
    config = LEARNERS.load(name).Config(seed=seed, **SMALL.get(name, {}))
    run = Run(name, "default", config, Rules(), Schedule(steps, 1, 1))
    train(run, out, resume=resume)


class Child:
    """Fork of this process that runs `work` and reports what it returned or raised."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.pipe, writing = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=_report, args=(work, writing))
        self.process.start()
        writing.close()

    def end(self, time_limit: float = 60.0) -> tuple[Any, BaseException | None] | None:
        """Return what the work returned and raised, or None if the process was killed."""
        try:
            if self.pipe.poll(time_limit):
                return tuple(self.pipe.recv())
        except (EOFError, OSError):  # at the beginning of a report, or within
            return None
        finally:
            self.process.kill()  # if it hangs, or this process is interrupted
            self.process.join()
            self.pipe.close()
        raise TimeoutError(f"a child did not end within {time_limit:g} s")


def _report(work: Callable[[], Any], writing: Connection) -> None:
    """Run `work` with the usual signals and without output; send how it ended."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    target = os.open(os.devnull, os.O_WRONLY)
    os.dup2(target, 1)
    os.dup2(target, 2)
    try:
        writing.send((work(), None))
    except BaseException as error:
        writing.send((None, error))
    os._exit(0)  # without what this process would do at its end


def goes_on(name: str, out: Path, steps: int, seed: int = 0) -> None:
    """Train on to the end, or anew where nothing was saved; one that has ended may say so."""
    resume = (out / CARD).exists()
    ended = Child(lambda: trained(name, out, steps, seed, resume)).end()
    assert ended is not None, "a training is gone"
    assert ended[1] is None or (resume and "finished" in str(ended[1])), f"a dead end: {ended[1]}"


def kills(number: int, rng: random.Random, place: Path) -> None:
    """Kill a training at random moments, and compare its end with that of one left alone."""
    name, seed, steps, before = NAMES[number % len(NAMES)], rng.randrange(2**16), 10, 0
    alone, out, start = place / "alone", place / "killed", time.monotonic()
    assert Child(lambda: trained(name, alone, steps, seed)).end() == (None, None)
    longest = (time.monotonic() - start) / 2
    for _ in range(KILLS):
        resume = (out / CARD).exists()
        child = Child(partial(trained, name, out, steps, seed, resume))
        child.process.join(rng.uniform(0, longest))
        child.process.kill()
        ended = child.end()
        if (out / CARD).exists():
            tttenv.player(f"{out}/")
            step = int(load_training(out)[1]["progress"]["step"])
            assert step >= before, f"a state went back to {step} after {before}"
            before = step
        if ended:
            break
    goes_on(name, out, steps, seed)
    assert_same(out, contents(alone))
    found, wanted = curves(out), curves(alone)
    differ = [tag for tag in found.keys() | wanted.keys() if found.get(tag) != wanted.get(tag)]
    assert not differ, f"curves differ: {sorted(differ)[:3]}"


@cache
def undisturbed(name: str) -> tuple[list[str], dict[str, Any]]:
    """Return the file-system calls of a training of two steps, and what it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        ended = Child(lambda: _disturbed(name, out, None, "")).end()
        assert ended is not None
        assert ended[1] is None, f"the training of {name} fails: {ended[1]}"
        return ended[0], contents(out)


def calls(number: int, rng: random.Random, place: Path) -> None:
    """Let one call of a training fail in one manner, which must lose nothing.

    The player of the last checkpoint plays, or that of the one being written; the training goes on
    to the bytes in which it ends undisturbed, and leaves no other file.
    """
    name, out = NAMES[number % len(NAMES)], place / "out"
    known, wanted = undisturbed(name)
    at, manner = rng.randrange(len(known)), rng.choice(MANNERS)
    ended = Child(lambda: _disturbed(name, out, at, manner)).end()
    what = f"{name}, call {at} of {len(known)}, {known[at]}, {manner}"
    assert ended is not None, what
    error = ended[1]
    allowed = OSError | ValueError | KeyboardInterrupt | Death | None
    assert isinstance(error, allowed), f"{what}: another error: {error!r}"
    assert isinstance(error, Death) == (manner == "dies"), f"{what}: it is not reached"
    assert "\n" not in str(error), f"{what}: an error of more than one line: {error}"
    commits = [call for call in known[:at] if call == "os.rename card"]
    if commits or (out / CARD).exists():
        tttenv.player(f"{out}/")
        load_learner(out)
        assert read_card(out)["steps"] >= len(commits), f"{what}: a checkpoint is lost"
    goes_on(name, out, 2)
    assert_same(out, wanted)


def _disturbed(name: str, out: Path, at: int | None, manner: str) -> list[str]:
    with failing(out, at, manner) as faults:
        trained(name, out, 2)
    return faults.calls


def contents(folder: Path) -> dict[str, Any]:
    """Return all that must be the same after an interrupted training, except times."""
    card = read_card(folder)
    files = {role: file_of(card, role) for role in (WEIGHTS, POLICY)}
    found = {role: name and (folder / name).read_bytes() for role, name in files.items()}
    curve = card.get("curve")
    timeless = {"files": None, "seconds": None, "curve": curve and curve | {"seconds": None}}
    _, state = load_training(folder)
    clock = state["progress"]
    unbeatable = clock["unbeatable_at"] and clock["unbeatable_at"][0]
    state = [state["learner"], Run.load(folder), clock["step"], unbeatable]
    return found | {"card": card | timeless, "state": state}


def assert_same(folder: Path, wanted: dict[str, Any]) -> None:
    """Assert that a folder holds these contents, and no file that no card or curve names."""
    found, known = contents(folder), {CARD, RUN, ".lock", *read_card(folder)["files"]}
    differ = [key for key in wanted if not same(found[key], wanted[key])]
    names = [file.name for file in folder.iterdir() if not file.name.startswith(EVENTS)]
    differ += [name for name in sorted(names) if name not in known]
    assert not differ, f"it ends in something else: {differ}"


def curves(folder: Path) -> dict[str, list[tuple[int, Any]]]:
    """Return the contents of TensorBoard by tag: steps with values, or with pictures' lengths."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tb_logging

    tb_logging.get_logger().setLevel("ERROR")  # it warns of every training that was resumed
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "images": 0})
    events.Reload()
    tags = events.Tags()
    found: dict[str, list[tuple[int, Any]]] = {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in tags["scalars"]
        if not tag.startswith("time/") and not tag.endswith(("/hparam", "_hparams_"))
    }
    for tag in tags["images"]:
        found[tag] = [(event.step, len(event.encoded_image_string)) for event in events.Images(tag)]
    return found


FAMILIES = {  # a function of a case's number, its random numbers and an empty folder
    "kills": (kills, 9),  # and how many cases the short form has
    "calls": (calls, 24),
}


def main(args: list[str]) -> int:
    """Run the requested families and print their figures; return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=float, default=60.0, help="shared among the families")
    length.add_argument("--short", action="store_true", help="as many cases on every machine")
    length.add_argument("--case", type=int, help="run this one case again")
    parser.add_argument("--seed", type=int, help="of all cases; left out: a new one, printed")
    given = parser.parse_args(args)
    names = given.families or list(FAMILIES)
    if set(names) - set(FAMILIES) or (given.case is not None and len(names) != 1):
        parser.error(f"known families are {', '.join(FAMILIES)}; --case is of one of them")
    seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    print(f"campaign      --seed {seed}", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the folders are removed
    near = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tttenv-campaign-", dir=near) as folder:
        for name in NAMES:  # load and compile what trainings need, so that forks start at once
            for steps in (1, 2):
                trained(name, Path(folder) / name, steps, resume=steps > 1)
            tttenv.player(f"{folder}/{name}/")
        for family in names:
            case, short = FAMILIES[family]
            start, done, before = time.monotonic(), 0, failed
            for number in itertools.count() if given.case is None else [given.case]:
                place = Path(folder, f"{family}{number}")
                place.mkdir()
                try:
                    case(number, random.Random(f"{seed} {family} {number}"), place)
                except Exception as error:  # whatever a case raises is its failure
                    failed += 1
                    shown = " ".join(f"{type(error).__name__}: {error}".split())[:400]
                    again = f"python -m tests.campaign {family} --seed {seed} --case {number}"
                    print(f"  FAILED {shown}\n    {again}", flush=True)
                shutil.rmtree(place, ignore_errors=True)
                done += 1
                seconds = time.monotonic() - start
                if done == short if given.short else seconds > given.seconds / len(names):
                    break
            print(f"{family:<14}{failed - before:,} failed  {done:,} cases  ({seconds:.0f} s)")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
