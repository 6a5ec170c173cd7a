"""Compare many training runs by exact certificates: `python scripts/sweep.py dqn --seeds 20`."""

from learners.cli.sweep import PROG, main
from tttenv.cli import console

if __name__ == "__main__":
    console.run(main, PROG)
