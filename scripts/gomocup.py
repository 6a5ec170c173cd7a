"""Run a player as a Gomocup engine: `python scripts/gomocup.py alphabeta:time=10`."""

from tttenv.cli import console
from tttenv.cli.gomocup import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
