"""Train every learner, certify every player, and report all exact strengths."""

from learners.cli.benchmark import PROG, main
from tttenv.cli import console

if __name__ == "__main__":
    console.run(main, PROG)
