"""Play every player against every other: `python scripts/league.py random minimax`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("league", "league.py")
