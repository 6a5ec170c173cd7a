"""Explain a player's move in a position: `python scripts/analyze.py alphabeta --moves b2`."""

from tttenv.cli import console
from tttenv.cli.analyze import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
