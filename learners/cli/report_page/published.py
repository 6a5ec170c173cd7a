"""The published numbers beside ours: what `reproduce.py --summary` wrote, as HTML tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from learners.cli.report_page import json_rows
from learners.cli.report_page.markup import Markup, element, joined
from learners.cli.report_page.published_rows import TITLES, cells
from tttenv.untrusted import shown


def _text(value: object) -> bool:
    return isinstance(value, str)


def _numbers(value: object) -> bool:
    return isinstance(value, list) and all(map(json_rows.is_number, value))


def _either(kind: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or kind(value)


def _yes_or_no(value: object) -> bool:
    return isinstance(value, bool)


KINDS: dict[str, Callable[[object], bool]] = {  # what stands under each key of a row
    **dict.fromkeys(["source", "what", "note", "unit", "tolerance"], _text),
    **dict.fromkeys(["claimed", "expected", "published", "repaired"], _either(_numbers)),
    **dict.fromkeys(["budget", "budget_claimed"], _either(_text)),
    "main": _yes_or_no,
    "holds": _either(_yes_or_no),
}
HEADS = ("Number", "Claimed", "As published", "Repaired", "Note")


def read(file: Path) -> list[dict[str, Any]]:
    """The rows of the file; none if there is no such file.

    Raises:
        ValueError: if it holds something else.
    """
    if not file.exists():
        return []
    rows = json_rows.rows(file, "rows", "published numbers", list(KINDS))
    for number, row in enumerate(rows, start=1):
        if not all(fits(row[key]) for key, fits in KINDS.items()):
            wrong = f"entry {number} has values of other kinds than reproduce.py writes"
            raise ValueError(f"{shown(file)} holds no published numbers: {wrong}")
    return rows


def html(rows: list[dict[str, Any]]) -> Markup:
    """The main rows as a table, and all of them in another that opens."""
    main = [row for row in rows if row["main"]]
    if len(main) in (0, len(rows)):
        return _table(rows, "Published numbers")
    whole = _table(rows, "All published numbers")
    more = element("details", element("summary", f"All {len(rows)} numbers"), whole)
    return joined([_table(main, "Main published numbers"), more])


def _table(rows: list[dict[str, Any]], label: str) -> Markup:
    heads = [element("th", head, scope="col") for head in HEADS]
    parts = []
    for source in dict.fromkeys(row["source"] for row in rows):
        title = TITLES.get(source, source)
        own = [_row(row) for row in rows if row["source"] == source]
        head = element("tr", element("th", title, scope="rowgroup", colspan=len(HEADS)))
        parts.append(element("tbody", head, *own))
    table = element("table", element("thead", element("tr", *heads)), *parts, class_="words")
    return element("div", table, class_="scroll", role="region", tabindex=0, aria_label=label)


def _row(row: dict[str, Any]) -> Markup:
    data = [element("td", text) for text in (*cells(row)[:3], row["note"])]
    return element("tr", element("th", row["what"], scope="row"), *data)
