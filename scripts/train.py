"""Train one learner: `python scripts/train.py selfplay`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("train", "train.py")
