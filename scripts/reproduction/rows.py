"""Rows of published numbers, what finds them, and their tables.

What the sources claim, and how near a run has to come, is in published.json: the fields of a `Row`
by its id; for a number of a certificate also which `measure` of `Strength` it is, and which player
is `ours` in its place.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tttenv
from learners.registry import LEARNERS
from tttenv import Rules, certify
from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column
from tttenv.policy import Policy

RULES = Rules()
EXACT = 1e-9
Numbers = Sequence[float]
Filled = dict[str, Any]  # a row as `Row.to_dict` returns it
VERDICTS = {True: "yes", False: "NO", None: "-"}
SOURCES: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
TITLES = {source: about["title"] for source, about in SOURCES.items()}
COLUMNS = [
    Column("id", left=True),
    Column("number", left=True, rank=3),
    Column("claimed", left=True),
    Column("as published", left=True),
    Column("repaired", left=True, rank=1),
    Column("run / claimed budget", left=True, rank=2),
    Column("holds"),
]


class Row(NamedTuple):
    """A published number, or several of one kind; percentages are stored as fractions."""

    id: str  # the same in every run
    what: str
    published: Numbers  # what the published form gives when it is run again
    claimed: Numbers = ()  # as the source prints it; empty: it prints none
    expected: Numbers = ()  # what the run has to give; empty: what is claimed
    within: float | None = EXACT  # how far off it may be; None: not judged, or a band is given
    band: tuple[Numbers, ...] = ()  # least and most of each number, for what is trained or timed
    unit: str = ""  # "%", "value", "weight" or "s"; else a count
    repaired: Numbers = ()  # the same number of our own player
    budget: str = "all positions"  # what was run, and what the source ran if that is more
    player: str = ""  # whose worst case it is
    judged: bool = True  # False: the budget is too small
    note: str = ""

    def holds(self) -> bool | None:
        """Return whether the numbers are near enough; None if they are not judged."""
        ends: Sequence[Numbers] = self.band
        if not ends and self.within is not None:
            wanted = self.expected or self.claimed
            ends = [(number - self.within, number + self.within) for number in wanted]
        if not (ends and self.judged):
            return None
        pairs = zip(self.published, ends, strict=True)
        return all(low <= number <= high for number, (low, high) in pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as reproduce.json has it."""
        found = {**self._asdict(), "source": self.id.partition(".")[0], "holds": self.holds()}
        for key in ("published", "claimed", "expected", "repaired"):
            found[key] = [int(n) if float(n).is_integer() else float(n) for n in found[key]]
        return {key: found[key] for key in found if key not in ("within", "band", "judged")}


class Strength:
    """Numbers of a player's certificate.

    Attributes:
        x, o: wins, draws and losses against random moves, as X and as O.
        mean: the same, both seats together.
        wins: wins against random moves, as X and as O.
        worst: the values against best responses, as X and as O.
        drawn: the fractions of draws against perfect play, as X and as O.
        optimal: the fraction of optimal moves.
    """

    def __init__(self, player: Policy | str) -> None:
        found: Any = certify(RULES, player)  # on 3,3,3 no field is unknown
        self.x, self.o = (found.vs_random[seat] for seat in "XO")
        self.mean = [(a + b) / 2 for a, b in zip(self.x, self.o, strict=True)]
        self.wins = self.x[0], self.o[0]
        self.worst = [found.worst_case[seat] for seat in "XO"]
        self.drawn = [found.vs_perfect[seat][1] for seat in "XO"]
        self.optimal = (found.optimal_moves["all"],)


@cache
def ours(name: str) -> Strength:
    """Certify one of our own players, shipped or a search, by its name."""
    return Strength(tttenv.player(name))


def row(id: str, published: Numbers, judged: bool = True, **budget: int) -> Row:
    """Return the row of what a published form gives when it is run again.

    Args:
        id: of the row, in published.json.
        published: the numbers.
        judged: False if the budget is too small.
        budget: what the text of the row's budget names.
    """
    about = dict(SOURCES[id.partition(".")[0]]["rows"][id])
    for key in about.keys() & {"claimed", "expected"}:
        about[key] = [float(Fraction(number)) for number in about[key]]
    mine, measure = about.pop("ours", ""), about.pop("measure", "")
    repaired = getattr(ours(mine), measure) if mine else ()
    about["budget"] = about.get("budget", "all positions").format(**budget)
    return Row(id, published=published, repaired=repaired, judged=judged, **about)


def measured(player: Policy | str, *ids: str, judged: bool = True, **budget: int) -> list[Row]:
    """Return the rows of numbers of a player's certificate; see `row`."""
    found = Strength(player)
    measures = [SOURCES[id.partition(".")[0]]["rows"][id]["measure"] for id in ids]
    return [
        row(id, getattr(found, measure), judged, **budget)
        for id, measure in zip(ids, measures, strict=True)
    ]


@dataclass(frozen=True)
class Run:
    """How the experiments of a source are run."""

    quick: bool  # with small budgets
    seed: int

    def train(
        self, name: str, steps: int, preset: str = "published", seed: int = 0, **changes: Any
    ) -> tuple[Any, list[dict[str, float]]]:
        """Train a learner with a preset; return it and the metrics of each step."""
        kind = LEARNERS.load(name)
        learner = kind(replace(kind.presets[preset], seed=self.seed + seed, **changes), RULES)
        return learner, [learner.step() for _ in range(steps)]


def show(source: str, rows: list[Filled]) -> None:
    """Print the table of a source, followed by its notes."""
    print(f"\n{TITLES[source]}")
    table = [[row["id"], row["what"], *_cells(row)] for row in rows]
    text_tables.show(COLUMNS, table, "reproduce.json")
    for row in rows:
        if row["note"]:
            text_tables.say(f" {row['id']}: {row['note']}", "   ")


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
    claimed, published, repaired = (
        " / ".join(_spelled(number, row["unit"]) for number in row[key]) or "-"
        for key in ("claimed", "published", "repaired")
    )
    if row["expected"] and not row["claimed"]:  # known, but not printed by the source
        claimed = f"({' / '.join(_spelled(number, row['unit']) for number in row['expected'])})"
    return [claimed, published, repaired, row["budget"], VERDICTS[row["holds"]]]


def _spelled(number: float, unit: str) -> str:
    if unit == "%":
        return phrases.share(number)
    if unit == "value":
        return phrases.value(number)
    if unit == "weight":
        return f"{number:.6f}"
    if unit == "s":
        return f"{number:.3g}"
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.4g}"
