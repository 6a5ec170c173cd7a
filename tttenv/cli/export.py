"""Export solved positions as a table: `tttenv export positions.csv`."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Literal

from tttenv.cli import console
from tttenv.cli.options import File, Flag, RulesText
from tttenv.utils.files import write

EXAMPLES = """
tttenv export positions.csv
tttenv export positions.csv --rules 3,4,3 --rows position
"""


@dataclass(frozen=True)
class Arguments:
    """Write the solved positions of a game as a table.

    Each row is a position with a move to make: one of each class of mirror images and turns, or all
    of them. Values are those for the side to move: 1 a win, 0 a draw, -1 a loss. The column split
    says train or test; a class is never in both.
    """

    out: File  # the output file, a .csv
    rules: RulesText = "3,3,3"  # the game
    rows: Literal["class", "position"] = "class"  # one position of each class, or all
    json: Flag = False  # print a summary as JSON


def main(args: list[str], prog: str = "tttenv export") -> None:
    """Write the file, and print its size."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if given.out.suffix.lower() != ".csv":
        raise ValueError(f"the file must end in .csv, not {given.out}")
    if given.out.is_dir():
        raise ValueError(f"{given.out} is a folder; give the name of a file")
    with console.stage(f"solving {given.rules}", given.json):
        from tttenv.exact.dataset import solved_positions
        from tttenv.game.rules import Rules

        table = solved_positions(Rules.of(given.rules), given.rows)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    content = text.getvalue().encode()
    write(given.out, content)
    rows, test = len(table["split"]), int((table["split"] == "test").sum())
    if given.json:
        summary = {"file": str(given.out), "rows": rows, "test": test, "bytes": len(content)}
        print(json.dumps(summary, indent=2))
    else:
        print(f"{rows:,} rows, {test:,} of them for testing: {given.out}")
