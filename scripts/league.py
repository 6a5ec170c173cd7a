"""Play every player against every other: `python scripts/league.py random minimax`."""

from tttenv.cli import console
from tttenv.cli.league import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
