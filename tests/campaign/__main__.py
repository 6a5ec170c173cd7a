"""Run the campaign: `python -m tests.campaign [FAMILY ...] --seconds 60`."""

import argparse
import os
import random
import signal
import sys
import tempfile
from pathlib import Path

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"  # forked from here: no thread may run in this process

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2])]  # tests/, and scripts beside it

from .calls import Calls  # noqa: E402  # after the number of threads is set
from .kills import Kills  # noqa: E402
from .running import Order, run  # noqa: E402
from .trainings import warm_up  # noqa: E402

FAMILIES = {  # a class that satisfies `running.Family`, and the cases of the short form
    "kills": (Kills, 9),  # trainings killed at random moments and resumed
    "calls": (Calls, 16),  # a training's n-th file-system call fails or kills
}


def main(args: list[str]) -> int:
    """Run the requested families and print their figures; return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=float, default=60.0, help="shared among the families")
    length.add_argument("--short", action="store_true", help="as many cases on every machine")
    length.add_argument("--case", type=int, help="run this one case again, in this process")
    parser.add_argument("--seed", type=int, help="of all cases; left out: a new one, printed")
    given = parser.parse_args(args)
    names = given.families or list(FAMILIES)
    if set(names) - set(FAMILIES) or (given.case is not None and len(names) != 1):
        parser.error(f"known families are {', '.join(FAMILIES)}; --case is of one of them")
    seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    print(f"campaign      --seed {seed}", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the folder is removed
    warm_up()
    near = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    failed = 0
    with tempfile.TemporaryDirectory(
        prefix="tttenv-campaign-", dir=near, ignore_cleanup_errors=True
    ) as folder:
        for name in names:
            family, short = FAMILIES[name]
            count = short if given.short else None
            place = Path(folder, name)
            place.mkdir()
            seconds = given.seconds / len(names)
            failed += run(Order(name, seed, seconds, count, given.case), family, place)
    print(f"campaign      {failed:,} failed" if failed else "campaign      nothing failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
