"""The published numbers beside ours: what `reproduce.py --summary` wrote, as HTML tables."""

from html import escape
from pathlib import Path
from typing import Any

from sources import SOURCES
from sources.tables import cells

from page import given

NEEDED = (
    *("source", "what", "main", "note", "unit", "claimed", "expected", "published", "repaired"),
    *("budget", "budget_claimed", "tolerance", "holds"),
)
HEADS = ("Number", "Claimed", "As published", "Repaired", "Note")


def read(file: Path) -> list[dict[str, Any]]:
    """The rows of the file; none if there is no such file.

    Raises:
        ValueError: if it holds something else.
    """
    if not file.is_file():
        return []
    rows = given.rows(file, "rows", "published numbers", NEEDED)
    for number, row in enumerate(rows, start=1):
        try:
            html([row])
        except (ValueError, KeyError, TypeError, AttributeError):
            wrong = f"entry {number} has values of other kinds than reproduce.py writes"
            raise ValueError(f"{file} holds no published numbers: {wrong}") from None
    return rows


def html(rows: list[dict[str, Any]]) -> str:
    """The main rows as a table, and all of them in another that opens."""
    main = [row for row in rows if row["main"]]
    if len(main) in (0, len(rows)):
        return _table(rows, "Published numbers")
    whole = _table(rows, "All published numbers")
    more = f"<details><summary>All {len(rows)} numbers</summary>{whole}</details>"
    return _table(main, "Main published numbers") + more


def _table(rows: list[dict[str, Any]], label: str) -> str:
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    parts = []
    for source in dict.fromkeys(row["source"] for row in rows):
        title = SOURCES[source][1] if source in SOURCES else source
        own = "".join(_row(row) for row in rows if row["source"] == source)
        head = f'<tr><th scope="rowgroup" colspan="{len(HEADS)}">{escape(title)}</th></tr>'
        parts.append(f"<tbody>{head}{own}</tbody>")
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
        f'<table class="words"><thead><tr>{heads}</tr></thead>{"".join(parts)}</table></div>'
    )


def _row(row: dict[str, Any]) -> str:
    texts = [*cells(row)[:3], row["note"]]
    data = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return f'<tr><th scope="row">{escape(row["what"])}</th>{data}</tr>'
