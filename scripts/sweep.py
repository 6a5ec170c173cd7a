"""Compare many training runs by exact certificates: `python scripts/sweep.py dqn --seeds 20`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("sweep", "sweep.py")
