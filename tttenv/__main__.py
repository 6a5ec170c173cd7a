"""Entry point of `python -m tttenv`, the same as the command `tttenv`."""

from tttenv.cli.main import main

if __name__ == "__main__":
    main()
