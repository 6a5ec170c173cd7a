"""Play against any player, in a terminal or a window: `python scripts/play.py`."""

from tttenv.cli import console
from tttenv.cli.play.main import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
