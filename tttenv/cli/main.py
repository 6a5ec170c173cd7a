"""The command `tttenv` and its table of subcommands."""

import sys
from typing import Any

import tttenv
from tttenv.cli import console
from tttenv.cli.text_tables import say
from tttenv.utils.registry import Row, Table

PROG = "tttenv"
WIDTH = 12  # of the column of names

# To add a command, write a function `main(args, prog)` and add a row here: `args` are the arguments
# after the command's name, `prog` is its name in help and messages.
COMMANDS: Table[Any] = Table(
    "command",
    {
        "play": Row("tttenv.cli.play.main:main", "play a player, in a terminal or a window"),
        "analyze": Row("tttenv.cli.analyze:main", "why a player chooses a move, move by move"),
        "certify": Row("tttenv.cli.certify:main", "the exact strength of any player"),
        "prove": Row("tttenv.cli.prove:main", "the value of a game, proved and checked"),
        "gomocup": Row("tttenv.cli.gomocup:main", "a player as an engine for Gomocup's managers"),
        "league": Row("tttenv.cli.league:main", "every player against every other, and ratings"),
        "train": Row("learners.cli.train:main", "train a learner, certified as it learns"),
        "benchmark": Row("learners.cli.benchmark:main", "train and certify every learner"),
        "sweep": Row("learners.cli.sweep:main", "train with many settings and seeds, compared"),
        "report": Row("tttenv.cli.report:main", "one page to play on, with exact values"),
        "doctor": Row("tttenv.cli.doctor:main", "find the mistakes in a training setup of yours"),
        "push": Row("tttenv.cli.push:main", "a trained player to the Hugging Face Hub"),
        "pull": Row("tttenv.cli.pull:main", "a trained player from the Hugging Face Hub"),
        "export": Row("tttenv.cli.export:main", "solved positions as a table, or games of players"),
        "compile": Row("tttenv.cli.compile:main", "compile everything, once on a machine"),
    },
)
GROUPS = {  # the order of the overview
    "play and look": ("play", "analyze", "report"),
    "measure": ("certify", "league", "prove", "doctor"),
    "train": ("train", "benchmark", "sweep"),
    "share": ("push", "pull"),
    "other": ("export", "gomocup", "compile"),
}


def main() -> None:
    """Run the subcommand named by the first argument."""
    name, *rest = sys.argv[1:] or [""]
    if name in COMMANDS.rows:
        prog = f"{PROG} {name}"
        console.run(lambda args: COMMANDS.load(name)(args, prog), prog, rest)
    else:
        console.run(_without_a_command, PROG)


def _without_a_command(args: list[str]) -> None:
    """Print the overview or the version, or reject an unknown command.

    Raises:
        ValueError: for an unknown command, with the closest one and all others.
    """
    if args and args[0] not in ("-h", "--help", "--version"):
        COMMANDS.load(args[0])
    if args == ["--version"]:
        print(f"{PROG} {tttenv.__version__}")
        return
    print(f"usage: {PROG} COMMAND [OPTIONS]\n")
    print("Play, train and certify players of m,n,k-games, every strength exact.")
    for group, names in GROUPS.items():
        print(f"\n{group}:")
        for name in names:
            say(f"  {name:<{WIDTH}}{COMMANDS.rows[name].about}", " " * (WIDTH + 2))
    print(f"\n`{PROG} COMMAND --help` lists its options; `{PROG} --version` prints the version.")
    if not args:
        sys.exit(2)
