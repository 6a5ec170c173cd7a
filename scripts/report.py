"""Write a single HTML page to play on and explore: `python scripts/report.py`."""

from tttenv.cli import console
from tttenv.cli.report import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
