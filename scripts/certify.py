"""Compute the exact certificate of any player: `python scripts/certify.py minimax`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("certify", "certify.py")
