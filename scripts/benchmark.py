"""Train every learner, certify every player, and report all exact strengths."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("benchmark", "benchmark.py")
