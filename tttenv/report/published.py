"""HTML tables that compare published numbers with ours."""

import re
from pathlib import Path
from typing import Any, TypedDict, cast

from tttenv.certificates import phrases
from tttenv.report.charts import MINUS, axis, minus
from tttenv.report.markup import Markup, element, joined, scrolling, table
from tttenv.utils import schema
from tttenv.utils.schema import Number


class PublishedRow(TypedDict):
    """A row of the file of published numbers."""

    source: str
    what: str
    note: str
    unit: str  # "%", "value", "weight" or "s"; else a count
    claimed: list[Number]  # empty: the source prints none
    expected: list[Number]  # what is known instead; empty: what is claimed
    published: list[Number]
    repaired: list[Number]
    budget: str
    player: str  # whose worst cases as X and as O they are; empty: they are others
    holds: bool | None


class PublishedNumbers(TypedDict):
    """The contents of the file of published numbers."""

    rows: list[PublishedRow]


Filled = dict[str, Any]  # a PublishedRow
TITLES = {  # titles of the sources of published numbers
    "S0": "S0  LMS, seven features",
    "S1": "S1  minimax with a cache, Q-table, MCTS, network",
    "S2": "S2  lecture notes: searches, TD(0), genetic algorithm",
    "S3": "S3  supervised classifier of best replies",
    "S4": "S4  masked one-hot MLPs, self-play",
}
CITED = {  # what the sources are, and where, if they are public
    "S0": (
        "an article on a learner after Mitchell, Machine Learning (1997), section 1.2",
        "https://www.cs.cmu.edu/~tom/mlbook.html",
    ),
    "S1": ("nestedsoftware, tictac (Python)", "https://github.com/nestedsoftware/tictac"),
    "S2": ("lecture notes of a university, Tic-tac-toe experiment platform (2018)", None),
    "S3": (
        "McClure, TensorFlow Machine Learning Cookbook (2017), chapter 6",
        "https://github.com/nfmcclure/tensorflow_cookbook",
    ),
    "S4": ("hanayashiki, TicTacToe (Keras)", "https://github.com/hanayashiki/TicTacToe"),
}
LEAD = (
    "What each player gets as O against the opponent that hurts it most: what the source claims,"
    " what its experiment gives when it is run again as published, and what our repaired learner"
    " gets."
)
ABOUT = (
    "In parentheses stands what a source does not print, but is known."
    " Several numbers in a cell are what the row's name lists, in its order. Where it"
    " lists nothing, three are win, draw and loss in per cent (in S1: wins of X, wins of O,"
    " draws), and two are those as X and as O or, for a net's loss and accuracy, a range."
)
PARTS = {"claimed": "Claimed", "published": "As published", "repaired": "Repaired"}
HEADS = ("Number", "Claimed", "As published", "Repaired", "Note")


def read(file: Path) -> list[Filled]:
    """Read the rows of the file; return an empty list if the file does not exist.

    Raises:
        ValueError: if its contents are invalid.
    """
    if not file.exists():
        return []
    return cast("list[Filled]", schema.read(file, PublishedNumbers, "published numbers")["rows"])


def html(rows: list[Filled]) -> Markup:
    """Return a figure of the worst cases as O, followed by a collapsed table of all numbers."""
    known = [source for source in CITED if any(row["source"] == source for row in rows)]
    cited = [element("p", "The sources:")] if known else []
    cited += [element("ul", *map(_source, known), class_="sources")] if known else []
    label = f"All {len(rows)} numbers"
    about = element("p", ABOUT, class_="quiet")
    folded = element("details", element("summary", label), about, _table(rows, label))
    return joined([_figure(rows), *cited, folded])


def _source(name: str) -> Markup:
    words, address = CITED[name]
    about = words if address is None else element("a", words, href=address)
    return element("li", f"{name}: ", about)


def worst_as_o(rows: list[Filled]) -> list[tuple[str, dict[str, float]]]:
    """Return the learners with their worst cases as O: claimed, published and repaired."""
    found = []
    for row in rows:
        values = {
            key: row[key][1] for key in PARTS if len(row[key]) == 2 and -1 <= row[key][1] <= 0
        }
        if row["player"] and values:
            found.append((f"{row['player']} ({row['source']})", values))
    return found


def _figure(rows: list[Filled]) -> Markup:
    """Draw the worst cases on an axis from -1 to 0, one row per learner, if there are any."""
    found = worst_as_o(rows)
    if not found:
        return joined([])
    body = []
    for name, values in found:
        drawn = axis([(value, key) for key, value in values.items()])
        numbers = [
            element("td", minus(phrases.value(values[key])) if key in values else "\u2013")
            for key in PARTS
        ]
        body.append(element("tr", element("th", name, scope="row"), element("td", drawn), *numbers))
    marks = [
        element("th", element("span", class_=f"mark {key}"), f" {words}", scope="col")
        for key, words in PARTS.items()
    ]
    words = element("div", element("span", minus("-1 a certain loss")), element("span", "0 a draw"))
    ends = element("th", words, scope="col", class_="ends")
    head = element("tr", element("th", "Learner", scope="col"), ends, *marks)
    drawn = element("table", element("thead", head), element("tbody", *body), class_="worsts")
    label = "Worst cases as O, as claimed, as published and repaired"
    caption = element("figcaption", element("h3", "Worst case as O"), LEAD)
    return element("figure", caption, scrolling(drawn, label), class_="worst-figure")


def _table(rows: list[Filled], label: str) -> Markup:
    parts = []
    for source in dict.fromkeys(row["source"] for row in rows):
        title = TITLES.get(source, source)
        own = [_row(row) for row in rows if row["source"] == source]
        head = element("tr", element("th", title, scope="rowgroup", colspan=len(HEADS)))
        parts.append(element("tbody", head, *own))
    return scrolling(table(HEADS, *parts, class_="words"), label)


def _row(row: Filled) -> Markup:
    numbers = [cell if cell == "-" else minus(cell) for cell in cells(row)]
    note = re.sub(r"(?<![\w-])-(?=\.?\d)", MINUS, row["note"])  # not within words
    data = [element("td", text) for text in (*numbers, note)]
    return element("tr", element("th", row["what"], scope="row"), *data)


def cells(row: Filled) -> list[str]:
    """Return the numbers of a row as text: claimed, as published and repaired."""
    claimed = spelled(row["claimed"], row["unit"])
    if row["expected"] and not row["claimed"]:
        claimed = f"({spelled(row['expected'], row['unit'])})"
    return [claimed, *(spelled(row[key], row["unit"]) for key in ("published", "repaired"))]


def spelled(numbers: list[Number], unit: str) -> str:
    """Format numbers for a table cell."""
    return " / ".join(_spell(number, unit) for number in numbers) or "-"


def _spell(number: float, unit: str) -> str:
    if unit == "%":
        return phrases.share(number)
    if unit == "value":
        return phrases.value(number)
    if unit == "weight":
        return f"{number:.6f}"
    if unit == "s":
        return f"{number:.3g}"
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.4g}"
