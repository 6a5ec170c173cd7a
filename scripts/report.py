"""Write a single HTML page to play on and explore: `python scripts/report.py`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("report", "report.py")
