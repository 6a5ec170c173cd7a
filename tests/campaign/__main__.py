"""Run the campaign: `python -m tests.campaign [FAMILY ...] --seconds 60`."""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"  # forked from here: no thread may run in this process

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2])]  # tests/, and scripts beside it

from . import FAMILIES  # noqa: E402  # after the number of threads is set
from .running import Order, figures, report_lines, run  # noqa: E402


def main(args: list[str]) -> int:
    """Run the requested families and print their figures; return 1 if anything failed."""
    given = _parse(args)
    names = given.families or list(FAMILIES)
    seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    print(f"campaign      --seed {seed}", flush=True)
    signal.signal(signal.SIGTERM, _end)
    if any(FAMILIES[name].trains for name in names):
        from .trainings import warm_up

        warm_up()
    shm = Path("/dev/shm")
    near = shm if shm.is_dir() and os.access(shm, os.W_OK) else None
    place = Path(tempfile.mkdtemp(prefix="tttenv-campaign-", dir=given.folder or near))
    whole, failed = sum(FAMILIES[name].share for name in names), 0
    try:
        for name in names:
            row = FAMILIES[name]
            seconds = given.seconds and given.seconds * row.share / whole
            count = row.short if given.short else given.count
            order = Order(name, row, seed, seconds, count, given.case, given.workers)
            result = run(order, place)
            failed += len(result.failures)
            print(figures(name, result), flush=True)
            for line in report_lines(name, seed, result):
                print(line, flush=True)
            if result.cut_off:
                print("campaign      ended early", file=sys.stderr)
                return 130
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(f"campaign      {failed:,} failed" if failed else "campaign      nothing failed")
    return 1 if failed else 0


def _end(*_: object) -> None:
    """End the campaign as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the folder is removed whatever comes
    raise KeyboardInterrupt


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
    parser.add_argument("--seconds", type=float, help="shared among the families")
    parser.add_argument("--count", type=int, help="cases of each family, at the most")
    parser.add_argument(
        "--short",
        action="store_true",
        help="the same number of cases on every machine, about two minutes in all",
    )
    parser.add_argument("--seed", type=int, help="of all cases; left out: a new one, printed")
    parser.add_argument("--case", type=int, help="run this one case again")
    parser.add_argument(
        "--workers", type=int, help="processes that share the cases; left out: 2 if --short, else 1"
    )
    parser.add_argument("--folder", help="where to work; left out: in memory, where there is any")
    given = parser.parse_args(args)
    unknown = [name for name in given.families if name not in FAMILIES]
    if unknown:
        parser.error(f"no family {unknown[0]!r}; known are {', '.join(FAMILIES)}")
    if given.case is not None and len(given.families) != 1:
        parser.error("--case is of one family: name it")
    if given.workers is None:
        given.workers = 2 if given.short else 1
    if given.workers < 1:
        parser.error("--workers is at least 1")
    lengths = (given.seconds, given.count, given.case)
    if given.short and lengths != (None, None, None):
        parser.error("--short has its own number of cases: no --seconds, --count or --case with it")
    if not given.short and lengths == (None, None, None):
        given.seconds = 60.0
    return given


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
