"""One HTML file to play, look and understand: `python scripts/report.py`."""

from learners.cli.report import PROG, main
from tttenv.cli import console

if __name__ == "__main__":
    console.run(main, PROG)
