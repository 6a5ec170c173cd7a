"""The filled rows as tables: for a terminal, all of them, and as markdown, the main ones."""

from typing import Any

import text_tables
from text_tables import Column

from sources import SOURCES
from sources.rows import spelled

Filled = dict[str, Any]
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
    """Print a table for each source, and under it the notes."""
    missing: list[str] = []
    for source, (_, title) in SOURCES.items():
        own = [row for row in rows if row["source"] == source]
        if not own:
            continue
        print(f"\n{title}")
        table = [[row["id"], row["what"], *cells(row)] for row in own]
        missing += text_tables.show(COLUMNS, table, wide)
        for row in own:
            if row["note"]:
                text_tables.say(f" {row['id']}: {row['note']}", "   ")
    text_tables.tell_left_out(missing, "--wide shows them, and reproduce.json has all numbers")


def cells(row: Filled) -> list[str]:
    """A row's cells after the first."""
    budget = "-" if row["budget"] is None else row["budget"]
    if row["budget"] is not None and row["budget"] != row["budget_claimed"]:
        budget += f" / {row['budget_claimed']}"
    verdict = {True: "yes", False: "NO", None: "-"}[row["holds"]]
    claimed = spelled(row["claimed"], row["unit"])
    if row["expected"] and not row["claimed"]:
        claimed = f"({spelled(row['expected'], row['unit'])})"
    numbers = [claimed, *(spelled(row[key], row["unit"]) for key in ("published", "repaired"))]
    return [*numbers, budget, row["tolerance"], verdict]


def verdict(rows: list[Filled]) -> str:
    """How many rows hold, in one sentence."""
    judged = [row["holds"] for row in rows if row["holds"] is not None]
    missing = len(rows) - len(judged)
    return (
        f"{sum(judged)} of {len(judged)} rows hold within their tolerance, {missing} are not judged"
    )


def markdown(rows: list[Filled]) -> str:
    """The main rows of all sources as one table, and the verdict on all rows."""
    lines = ["| number | " + " | ".join(HEADS) + " |", "|-|" + "-|" * len(HEADS)]
    for source, (_, title) in SOURCES.items():
        own = [row for row in rows if row["source"] == source and row["main"]]
        if own:
            lines.append(f"| **{title}** |" + " |" * len(HEADS))
        for row in own:
            note = f" ({row['note']})" if row["note"] else ""
            lines.append(f"| {row['what']}{note} | " + " | ".join(cells(row)) + " |")
    return "\n".join([*lines, "", verdict(rows) + "."])
