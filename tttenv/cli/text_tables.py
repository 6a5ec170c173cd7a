"""Tables and sentences on standard output, fitted to the terminal; in a pipe they are plain.

If a terminal is too narrow for a table, its texts are wrapped and columns are left out, in a fixed
order. In a pipe every row is one line with all columns.
"""

import io
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

GAP = 2  # spaces between columns; half as many before the first
STYLES = {  # as ANSI codes
    **{"good": "1;32", "bad": "1;31", "weak": "1;33", "faint": "2"},
    **{"X": "94", "O": "33", "last": "1;4", "+": "32", "-": "31"},  # of boards and hints
}
NARROWEST = 12  # minimum characters of a wrapped sentence
TEXT = 16  # the same of a column of text; of the first column twice as many
ENDLESS = 10_000  # characters of a line in a pipe


@dataclass(frozen=True)
class Column:
    """A column of a table, with its layout on narrow terminals."""

    head: str  # may contain a newline
    group: str = ""  # shown above the first visible column of the group
    left: bool = False  # text: left-aligned, and wrapped; numbers are right-aligned
    rank: int = 0  # the highest is left out first; 0: never

    @property
    def name(self) -> str:
        """Full name of the column, including its group heading."""
        return " ".join(f"{self.group} {self.head}".split())


Rows = Sequence[Sequence[str]]  # one cell per column


def room(stream: TextIO | None = None) -> int | None:
    """Return the characters of a row of a stream's terminal (or COLUMNS), None for a pipe."""
    if not (stream or sys.stdout).isatty():
        return None
    return max(shutil.get_terminal_size().columns, 1)


def say(text: str, hang: str = "", style: str = "") -> None:
    """Print a sentence, wrapped between words and in one of `STYLES` on a terminal."""
    print(painted("\n".join(wrapped(text, room(), hang)), style))


def painted(text: str, style: str) -> str:
    """Style text with one of `STYLES` on a terminal, unless NO_COLOR is set."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    if plain or style not in STYLES or not sys.stdout.isatty():
        return text
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"


def wrapped(text: str, width: int | None, hang: str = "") -> list[str]:
    """Wrap a sentence to `width` characters without breaking words such as paths."""
    if width is None or len(text) <= width:
        return [text]
    lead = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.strip(),
        max(width, len(hang) + NARROWEST),
        initial_indent=lead,
        subsequent_indent=hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def show(columns: Sequence[Column], rows: Rows, file: str = "") -> None:
    """Print a table, fitted to the terminal.

    Args:
        columns: its columns.
        rows: their cells, row by row.
        file: the name of a file that has all numbers; the columns that are left out are then named.
    """
    print("\n".join(lines(columns, rows, room())))
    shown = fitting(columns, rows, room())
    names = dict.fromkeys(each.name for i, each in enumerate(columns) if i not in shown)
    if file and names:
        say(f"left out for want of room: {', '.join(names)}; {file} has all numbers")


def lines(columns: Sequence[Column], rows: Rows, width: int | None = None) -> list[str]:
    """Format a table as lines, headings first, fitted to `width` characters if given."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False)
    shown = fitting(columns, rows, width)
    heads = _heads([columns[i] for i in shown])
    for i, head in zip(shown, heads, strict=True):
        text = columns[i].left
        justify: Any = "left" if text else "right"
        table.add_column(
            Text(head), justify=justify, vertical="bottom", no_wrap=not text, overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(row[i]) for i in shown))
    page = io.StringIO()
    Console(file=page, width=width or ENDLESS, color_system=None).print(table)
    rule = "─" if (sys.stdout.encoding or "utf-8").lower().startswith("utf") else "-"
    made = [line.rstrip() for line in page.getvalue().replace("─", rule).split("\n")]
    return [line for line in made if line]


def fitting(columns: Sequence[Column], rows: Rows, width: int | None) -> list[int]:
    """Return the indices of the columns that stand side by side in `width` characters.

    Columns of text may be wrapped, down to `TEXT` characters. If that is not enough, columns are
    left out by rank. Without a width all columns are shown.
    """
    sizes, first = [], next((i for i, column in enumerate(columns) if column.left), 0)
    for i, column in enumerate(columns):
        head = max(len(part) for part in (*column.head.split("\n"), column.group))
        size = max([head, *(len(row[i]) for row in rows)])
        sizes.append(min(size, TEXT * (1 + (i == first))) if column.left and width else size)
    shown = list(range(len(columns)))
    while width is not None and sum(sizes[i] + GAP for i in shown) > width:
        ranked = [i for i in shown if columns[i].rank]
        if not ranked:
            break
        shown.remove(max(ranked, key=lambda i: columns[i].rank))
    return shown


def _heads(columns: Sequence[Column]) -> list[str]:
    """Return each column's heading, with the group's name on top of the first of a group."""
    groups = ["", *(column.group for column in columns)]
    return [
        column.head if column.group in ("", before) else f"{column.group}\n{column.head}"
        for before, column in zip(groups, columns, strict=False)
    ]
