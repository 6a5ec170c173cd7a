"""Tables and sentences on standard output: as wide as they need in a pipe, else as the terminal.

In a terminal that is too narrow for a table, long cells go below their row; then columns give way
in a stated order, to lines below the rows or altogether; then the first column is wrapped. In a
pipe every row is one line with all columns.
"""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TextIO

GAP = 2  # spaces between columns, and half of them before the first
KEPT = "\u00a0"  # a space at which no line is broken
NOTHING = ("", "-")  # cells without a line of their own
NARROWEST = 12  # characters that a wrapped first column keeps


@dataclass(frozen=True)
class Column:
    """One column of a table, and what becomes of it in a terminal that is too narrow."""

    head: str  # a newline in it makes two lines
    group: str = ""  # stands above the first shown one of neighbours that share it
    left: bool = False  # whether cells begin at the left; numbers end at the right
    limit: int | None = None  # longer cells get a line of their own below the row
    rank: int = 0  # the highest gives way first; 0: stays
    below: bool = False  # gives way to lines below the rows; others are left out
    labelled: bool = True  # whether lines below begin with the head

    @property
    def name(self) -> str:
        """What the column is called where there is no head above it."""
        return " ".join(f"{self.group} {self.head}".split())


Rows = Sequence[Sequence[str]]  # cells, one for each column


def room(stream: TextIO | None = None) -> int | None:
    """The width of the terminal that a stream goes to, in characters; None for a pipe or file.

    The variable COLUMNS overrides what the terminal says, as everywhere.

    Args:
        stream: standard output, unless told otherwise.
    """
    if not (stream or sys.stdout).isatty():
        return None
    return max(shutil.get_terminal_size().columns, 1)


def say(text: str, hang: str = "") -> None:
    """Print a sentence; in a terminal, wrapped between words.

    Args:
        text: may begin with spaces.
        hang: what further lines begin with.
    """
    print("\n".join(wrapped(text, room(), hang)))


def wrapped(text: str, width: int | None, hang: str = "") -> list[str]:
    """The lines of a sentence in so many characters; words, such as paths, are never broken."""
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


def show(columns: Sequence[Column], rows: Rows, wide: bool = False) -> list[str]:
    """Print a table.

    Args:
        columns: of the table.
        rows: their cells.
        wide: as in a pipe, however narrow the terminal is.

    Returns:
        The names of the columns that were left out.
    """
    width = None if wide else room()
    print("\n".join(lines(columns, rows, width)))
    shown = fitted(columns, rows, width).shown
    return [c.name for i, c in enumerate(columns) if i not in shown and not c.below]


def tell_left_out(names: Iterable[str], more: str) -> None:
    """Say which columns were left out, if any, and what shows them.

    Args:
        names: of the columns.
        more: like "--wide shows them".
    """
    kept = ", ".join(name.replace(" ", KEPT) for name in dict.fromkeys(names))
    if kept:
        note = wrapped(f"left out for want of room: {kept}; {more}", room())
        print("\n".join(note).replace(KEPT, " "))


def lines(columns: Sequence[Column], rows: Rows, width: int | None = None) -> list[str]:
    """The lines of a table, heads first, in so many characters where a width is given."""
    fit = fitted(columns, rows, width)
    made = [_line(columns, fit, head) for head in zip(*_heads(columns, fit.shown), strict=True)]
    made.append(" " * (GAP // 2) + _rule() * (fit.width - GAP // 2))
    for row in rows:
        cells = [_beside(columns[i], row[i], fit.limited) for i in fit.shown]
        label = wrapped(cells[0], fit.sizes[0], "  ")
        made.append(_line(columns, fit, [label[0], *cells[1:]]))
        made += [" " * (GAP // 2) + text for text in label[1:]]
        for i, column in enumerate(columns):
            moved = column.below if i not in fit.shown else not _beside(column, row[i], fit.limited)
            if moved and row[i] not in NOTHING:
                text = f"{column.name}: {row[i]}" if column.labelled else row[i]
                made += wrapped(" " * (GAP // 2 + 2) + text, width, " " * (GAP // 2 + 4))
    return made


class Fit(NamedTuple):
    """How a table is laid out in the width it has."""

    shown: list[int]  # the columns beside each other, by their numbers
    sizes: list[int]  # how many characters each of them gets
    limited: bool  # whether cells longer than their column's limit go below the row

    @property
    def width(self) -> int:
        """Of a whole line."""
        return GAP // 2 + sum(self.sizes) + GAP * (len(self.sizes) - 1)


def fitted(columns: Sequence[Column], rows: Rows, width: int | None) -> Fit:
    """The most of a table that a width has room for; all of it where there is none."""
    fit = _fit(columns, rows, list(range(len(columns))), limited=False)
    if width is None or fit.width <= width:
        return fit
    fit = _fit(columns, rows, fit.shown, limited=True)
    while fit.width > width:
        ranked = [i for i in fit.shown if columns[i].rank]
        if not ranked:  # the first column is wrapped
            first = max(fit.sizes[0] - (fit.width - width), NARROWEST)
            return fit._replace(sizes=[min(first, fit.sizes[0]), *fit.sizes[1:]])
        last = max(ranked, key=lambda i: columns[i].rank)
        fit = _fit(columns, rows, [i for i in fit.shown if i != last], limited=True)
    return fit


def _fit(columns: Sequence[Column], rows: Rows, shown: list[int], limited: bool) -> Fit:
    """These columns beside each other, in the width they need."""
    heads = _heads(columns, shown)
    sizes = []
    for head, i in zip(heads, shown, strict=True):
        cells = [_beside(columns[i], row[i], limited) for row in rows]
        sizes.append(max(map(len, [*head, *cells])))
    return Fit(shown, sizes, limited)


def _beside(column: Column, cell: str, limited: bool) -> str:
    """A cell as it stands in its column: nothing where it goes below the row."""
    long = limited and column.limit is not None and len(cell) > column.limit
    return "" if long else cell


def _heads(columns: Sequence[Column], shown: list[int]) -> list[list[str]]:
    """For each shown column, the lines of its head, all of one number, its group's name on top."""
    found, before = [], ""
    for i in shown:
        column = columns[i]
        begins = bool(column.group) and column.group != before
        found.append([*[column.group] * begins, *column.head.split("\n")])
        before = column.group
    most = max(map(len, found))
    return [[""] * (most - len(head)) + head for head in found]


def _line(columns: Sequence[Column], fit: Fit, cells: Sequence[str]) -> str:
    padded = [
        cell.ljust(size) if columns[i].left else cell.rjust(size)
        for i, size, cell in zip(fit.shown, fit.sizes, cells, strict=True)
    ]
    return (" " * (GAP // 2) + (" " * GAP).join(padded)).rstrip()


def _rule() -> str:
    """A piece of the line under the heads, in what the output can show."""
    try:
        "─".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"
