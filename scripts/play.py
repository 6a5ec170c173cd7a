"""Play against any player, in a terminal or a window: `python scripts/play.py`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("play", "play.py")
