"""The filled rows as tables: for a terminal, all of them, and as markdown, the main ones."""

from typing import Any

from sources import SOURCES
from sources.rows import spelled

Filled = dict[str, Any]
HEADS = ["claimed", "as published", "repaired", "run / claimed budget", "tolerance", "holds"]


def show(rows: list[Filled]) -> None:
    """Print a table for each source, and under it the notes."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    out = Console()
    out.width = max(out.width, 150)
    for source, (_, title) in SOURCES.items():
        own = [row for row in rows if row["source"] == source]
        if not own:
            continue
        table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
        table.add_column("number", max_width=40)
        for head in HEADS:
            table.add_column(head, justify="right", max_width=30)
        for row in own:
            table.add_row(row["what"], *cells(row))
        out.print(table, highlight=False)
        for row in own:
            if row["note"]:
                out.print(f"  {row['id']}: {row['note']}", highlight=False, markup=False)


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
