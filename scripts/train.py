"""Train one learner: `python scripts/train.py selfplay`."""

from learners.cli.train import PROG, main
from tttenv.cli import console

if __name__ == "__main__":
    console.run(main, PROG)
