"""Tables of published numbers: for a terminal, and as Markdown."""

from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column
from tttenv.report.published import TITLES, Filled, cells

VERDICTS = {True: "yes", False: "NO", None: "-"}
COLUMNS = [
    Column("id", left=True),
    Column("number", left=True, rank=3),
    Column("claimed", left=True),
    Column("as published", left=True),
    Column("repaired", left=True, rank=1),
    Column("run / claimed budget", left=True, rank=2),
    Column("holds"),
]


def show(source: str, rows: list[Filled], wide: bool = False) -> None:
    """Print the table of a source, followed by its notes."""
    print(f"\n{TITLES[source]}")
    table = [[row["id"], row["what"], *_cells(row)] for row in rows]
    missing = text_tables.show(COLUMNS, table, wide)
    for row in rows:
        if row["note"]:
            text_tables.say(f" {row['id']}: {row['note']}", "   ")
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
    """Return all rows as one Markdown table, and the verdict on them."""
    heads = ["number", *(column.name for column in COLUMNS[2:])]
    lines = ["| " + " | ".join(heads) + " |", "|-" * len(heads) + "|"]
    for source, title in TITLES.items():
        lines.append(f"| **{title}** |" + " |" * (len(heads) - 1))
        for row in (row for row in rows if row["source"] == source):
            note = f" ({row['note']})" if row["note"] else ""
            lines.append(f"| {row['what']}{note} | " + " | ".join(_cells(row)) + " |")
    return "\n".join([*lines, "", verdict(rows) + "."])


def _cells(row: Filled) -> list[str]:
    return [*cells(row), row["budget"], VERDICTS[row["holds"]]]
