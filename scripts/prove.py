"""Prove the value of a game: `python scripts/prove.py 5,5,4`."""

from tttenv.cli import console
from tttenv.cli.prove import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
