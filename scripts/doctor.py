"""Find the classic mistakes in a training setup: `doctor.py my_module:make_env`."""

from tttenv.cli.main import run_command

if __name__ == "__main__":
    run_command("doctor", "doctor.py")
