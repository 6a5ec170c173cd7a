"""Tables of filled rows: all rows for a terminal, the main rows as Markdown."""

from scripts.reproduction import SOURCES
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column
from tttenv.report.published_rows import TITLES, Filled, cells

HEADS = ["claimed", "as published", "repaired", "run / claimed budget", "tolerance", "holds"]


SHARES = 22  # characters of three shares in parentheses
COLUMNS = [
    Column("id", left=True),
    Column("number", left=True, rank=4, below=True, labelled=False),
    Column("claimed", limit=SHARES),
    Column("as published", limit=SHARES),
    Column("repaired", limit=SHARES, rank=1, below=True),
    Column("run / claimed budget", limit=SHARES, rank=3),
    Column("tolerance", limit=SHARES, rank=2),
    Column("holds"),
]


def show(rows: list[Filled], wide: bool = False) -> None:
    """Print a table for each source, followed by its notes."""
    missing: list[str] = []
    for source in SOURCES:
        missing += show_source(source, [row for row in rows if row["source"] == source], wide)
    print_dropped_columns(missing)


def show_source(source: str, rows: list[Filled], wide: bool = False) -> list[str]:
    """Print the table of one source, followed by its notes.

    Returns:
        The names of the columns that were left out.
    """
    if not rows:
        return []
    print(f"\n{TITLES[source]}")
    table = [[row["id"], row["what"], *cells(row)] for row in rows]
    missing = text_tables.show(COLUMNS, table, wide)
    for row in rows:
        if row["note"]:
            text_tables.say(f" {row['id']}: {row['note']}", "   ")
    return missing


def print_dropped_columns(missing: list[str]) -> None:
    """Print which columns were left out, if any."""
    text_tables.print_dropped_columns(
        missing, "--wide shows them, and reproduce.json has all numbers"
    )


def verdict(rows: list[Filled]) -> str:
    """Return a sentence that says how many rows hold."""
    judged = [row["holds"] for row in rows if row["holds"] is not None]
    missing = len(rows) - len(judged)
    return (
        f"{sum(judged)} of {len(judged)} rows hold within their tolerance, {missing} are not judged"
    )


def markdown(rows: list[Filled]) -> str:
    """Return the main rows of all sources as one Markdown table, and the verdict on all rows."""
    lines = ["| number | " + " | ".join(HEADS) + " |", "|-|" + "-|" * len(HEADS)]
    for source, title in TITLES.items():
        own = [row for row in rows if row["source"] == source and row["main"]]
        if own:
            lines.append(f"| **{title}** |" + " |" * len(HEADS))
        for row in own:
            note = f" ({row['note']})" if row["note"] else ""
            lines.append(f"| {row['what']}{note} | " + " | ".join(cells(row)) + " |")
    return "\n".join([*lines, "", verdict(rows) + "."])
