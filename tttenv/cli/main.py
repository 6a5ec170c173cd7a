"""The command `tttenv` and its table of subcommands."""

import sys
from collections.abc import Sequence
from typing import Any

import tttenv
from tttenv.cli import console
from tttenv.cli.text_tables import say
from tttenv.utils.registry import Row, Table

PROG = "tttenv"
WIDTH = 12  # of the column of names

# To add a command, write a function `main(args, prog)` and add a row here: `args` are the arguments
# after the command's name, `prog` is its name in help and messages.
GROUPS: dict[str, dict[str, Row]] = {
    "play and look": {
        "play": Row(
            "tttenv.cli.play.main:main", "play against a player, in a terminal or a window"
        ),
        "analyze": Row("tttenv.cli.analyze:main", "explain why a player chooses a move"),
        "report": Row("tttenv.cli.report:main", "write a page to play on, with exact values"),
    },
    "measure": {
        "certify": Row("tttenv.cli.certify:main", "measure the exact strength of any player"),
        "match": Row("tttenv.cli.match:main", "play two players against each other"),
        "league": Row("tttenv.cli.league:main", "play every pair of players, and rate them"),
        "prove": Row("tttenv.cli.prove:main", "prove the value of a game, and check the proof"),
        "doctor": Row("tttenv.cli.doctor:main", "find mistakes in your training setup"),
    },
    "train": {
        "train": Row("learners.cli.train:main", "train a learner, certifying it as it learns"),
        "benchmark": Row("learners.cli.benchmark:main", "train and certify every learner"),
        "sweep": Row(
            "learners.cli.sweep:main", "compare training runs with many settings and seeds"
        ),
    },
    "share": {
        "push": Row("tttenv.cli.push:main", "upload a trained player to the Hugging Face Hub"),
        "pull": Row("tttenv.cli.pull:main", "download a trained player from the Hugging Face Hub"),
    },
    "other": {
        "export": Row("tttenv.cli.export:main", "export solved positions as a table"),
        "gomocup": Row("tttenv.cli.gomocup:main", "run a player as a Gomocup engine"),
        "compile": Row("tttenv.cli.compile:main", "compile everything once on this machine"),
    },
}
COMMANDS: Table[Any] = Table(
    "command", {name: row for rows in GROUPS.values() for name, row in rows.items()}
)


def main() -> None:
    """Run the subcommand named by the first argument."""
    name, *rest = sys.argv[1:] or [""]
    if name in COMMANDS.rows:
        run_command(name, f"{PROG} {name}", rest)
    else:
        console.run(_without_a_command, PROG)


def run_command(name: str, prog: str, args: Sequence[str] | None = None) -> None:
    """Run a command, and exit as `console.run` says.

    Args:
        name: the command's name in the table.
        prog: its name in help and messages.
        args: its arguments; if omitted, those of the process.
    """
    console.run(lambda given: COMMANDS.load(name)(given, prog), prog, args)


def _without_a_command(args: list[str]) -> None:
    """Print the overview or the version, or reject an unknown command."""
    if args and args[0] not in ("-h", "--help", "--version"):
        COMMANDS.load(args[0])
    if args == ["--version"]:
        print(f"{PROG} {tttenv.__version__}")
        return
    print(f"usage: {PROG} COMMAND [OPTIONS]\n")
    say("Play, train and certify players of m,n,k-games, every strength exact.")
    for group, rows in GROUPS.items():
        print(f"\n{group}:")
        for name, row in rows.items():
            say(f"  {name:<{WIDTH}}{row.about}", " " * (WIDTH + 2))
    print()
    say(f"`{PROG} COMMAND --help` lists options; `{PROG} --version` prints the version.")
    if not args:
        sys.exit(2)
