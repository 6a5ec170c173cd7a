"""Tables and sentences on standard output, fitted to the terminal or to a pipe's 120 columns.

If a terminal is too narrow for a table, long cells move below their row; then columns are
moved to lines below the rows or dropped, in a fixed order; then the first column is wrapped. In
a pipe nothing is dropped: columns beyond the 120th character are moved below the rows.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TextIO

GAP = 2  # spaces between columns; half as many before the first
KEPT = "\u00a0"  # a non-breaking space
NOTHING = ("", "-")  # cells that need no line of their own
PIPED = 120  # columns of a table in a pipe or file
STYLES = {  # as ANSI codes
    **{"good": "1;32", "bad": "1;31", "weak": "1;33", "faint": "2"},
    **{"X": "94", "O": "33", "last": "1;4", "+": "32", "-": "31"},  # of boards and hints
}
NARROWEST = 12  # minimum characters of a wrapped first column


@dataclass(frozen=True)
class Column:
    """A column of a table, with its layout on narrow terminals."""

    head: str  # may contain a newline
    group: str = ""  # shown above the first visible column of the group
    left: bool = False  # left-aligned; numbers are right-aligned
    limit: int | None = None  # longer cells move to a line below the row
    rank: int = 0  # the highest is removed first; 0: never
    below: bool = False  # moves to lines below the rows instead of being dropped
    labelled: bool = True  # whether lines below start with the head

    @property
    def name(self) -> str:
        """Full name of the column, including its group heading."""
        return " ".join(f"{self.group} {self.head}".split())


Rows = Sequence[Sequence[str]]  # one cell per column


def room(stream: TextIO | None = None) -> int | None:
    """Return the width of a stream's terminal in characters, or None for a pipe or file.

    The environment variable COLUMNS overrides it, as usual.
    """
    if not (stream or sys.stdout).isatty():
        return None
    return max(shutil.get_terminal_size().columns, 1)


def say(text: str, hang: str = "") -> None:
    """Print a sentence, wrapped between words on a terminal."""
    print("\n".join(wrapped(text, room(), hang)))


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


def show(columns: Sequence[Column], rows: Rows, wide: bool = False) -> list[str]:
    """Print a table; with `wide`, never narrow it: every row is one line with all columns.

    Returns:
        The names of the columns that were dropped.
    """
    width = None if wide else room()
    if not wide and width is None:
        columns, width = [replace(column, below=True) for column in columns], PIPED
    print("\n".join(lines(columns, rows, width)))
    shown = fitted(columns, rows, width).shown
    return [c.name for i, c in enumerate(columns) if i not in shown and not c.below]


def print_dropped_columns(names: Iterable[str], more: str) -> None:
    """Print which columns were dropped, if any, and how to see them."""
    kept = ", ".join(name.replace(" ", KEPT) for name in dict.fromkeys(names))
    if kept:
        note = wrapped(f"left out for want of room: {kept}; {more}", room())
        print("\n".join(note).replace(KEPT, " "))


def lines(columns: Sequence[Column], rows: Rows, width: int | None = None) -> list[str]:
    """Format a table as lines, headings first, fitted to `width` characters if given."""
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
    """The layout of a table within a given width."""

    shown: list[int]  # indices of the columns side by side
    sizes: list[int]  # their widths in characters
    limited: bool  # whether cells above their column's limit move below the row

    @property
    def width(self) -> int:
        """Width of a full line."""
        return GAP // 2 + sum(self.sizes) + GAP * (len(self.sizes) - 1)


def fitted(columns: Sequence[Column], rows: Rows, width: int | None) -> Fit:
    """Lay out as much of a table as fits into a width, or all of it if there is no width."""
    fit = _fit(columns, rows, list(range(len(columns))), limited=False)
    if width is None or fit.width <= width:
        return fit
    fit = _fit(columns, rows, fit.shown, limited=True)
    while fit.width > width:
        ranked = [i for i in fit.shown if columns[i].rank]
        if not ranked:  # wrap the first column
            first = max(fit.sizes[0] - (fit.width - width), NARROWEST)
            return fit._replace(sizes=[min(first, fit.sizes[0]), *fit.sizes[1:]])
        last = max(ranked, key=lambda i: columns[i].rank)
        fit = _fit(columns, rows, [i for i in fit.shown if i != last], limited=True)
    return fit


def _fit(columns: Sequence[Column], rows: Rows, shown: list[int], limited: bool) -> Fit:
    """Lay out the given columns side by side, as wide as necessary."""
    heads = _heads(columns, shown)
    sizes = []
    for head, i in zip(heads, shown, strict=True):
        cells = [_beside(columns[i], row[i], limited) for row in rows]
        sizes.append(max(map(len, [*head, *cells])))
    return Fit(shown, sizes, limited)


def _beside(column: Column, cell: str, limited: bool) -> str:
    """Return the text of a cell within its column; empty if it moves below the row."""
    long = limited and column.limit is not None and len(cell) > column.limit
    return "" if long else cell


def _heads(columns: Sequence[Column], shown: list[int]) -> list[list[str]]:
    """Return each column's heading lines, group name on top, all columns with the same number."""
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
    """Return the character of the line under the headings, or "-" if it cannot be encoded."""
    try:
        "─".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"
