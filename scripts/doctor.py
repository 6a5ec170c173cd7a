"""Find the classic mistakes in a training setup: `doctor.py my_module:make_env`."""

from tttenv.cli import console
from tttenv.cli.doctor import PROG, main

if __name__ == "__main__":
    console.run(main, PROG)
