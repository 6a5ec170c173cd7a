"""Run the campaign: `python -m tests.campaign [FAMILY ...] --seconds 60`."""

import argparse
import importlib
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

from . import FAMILIES  # noqa: E402  # after the number of threads is set
from .running import Order, run  # noqa: E402
from .trainings import warm_up  # noqa: E402


def main(args: list[str]) -> int:
    """Run the requested families and print their figures; return 1 if anything failed."""
    given = _parse(args)
    names = given.families or list(FAMILIES)
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
            row = FAMILIES[name]
            module, kind = row.target.split(":")
            family = getattr(importlib.import_module(f".{module}", __package__), kind)
            count = row.short if given.short else None
            order = Order(name, seed, given.seconds / len(names), count, given.case)
            place = Path(folder, name)
            place.mkdir()
            failed += run(order, family, place)
    print(f"campaign      {failed:,} failed" if failed else "campaign      nothing failed")
    return 1 if failed else 0


def _parse(args: list[str]) -> argparse.Namespace:
    width = max(map(len, FAMILIES))
    known = "\n".join(f"  {name:<{width}}  {row.about}" for name, row in FAMILIES.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign",
        description="Attack the package with random cases; print one line of figures a family.",
        epilog=f"families:\n{known}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY", help="which families; left out: all"
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=float, default=60.0, help="shared among the families")
    length.add_argument(
        "--short", action="store_true", help="the same number of cases on every machine"
    )
    length.add_argument("--case", type=int, help="run this one case again, in this process")
    parser.add_argument("--seed", type=int, help="of all cases; left out: a new one, printed")
    given = parser.parse_args(args)
    unknown = [name for name in given.families if name not in FAMILIES]
    if unknown:
        parser.error(f"no family {unknown[0]!r}; known are {', '.join(FAMILIES)}")
    if given.case is not None and len(given.families) != 1:
        parser.error("--case is of one family: name it")
    return given


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
