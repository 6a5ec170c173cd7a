"""One HTML file to play, look and understand: `python scripts/report.py`."""

from tttenv.cli import console
from tttenv.cli.report import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
