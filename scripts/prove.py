"""Prove the value of a game: `python scripts/prove.py 5,5,4`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("prove", "prove.py")
