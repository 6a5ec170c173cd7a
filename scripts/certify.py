"""Compute the exact certificate of any player: `python scripts/certify.py minimax`."""

from tttenv.cli import console
from tttenv.cli.certify import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
