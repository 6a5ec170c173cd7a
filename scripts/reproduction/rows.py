"""Rows of published numbers, what finds them, and their tables.

published.json has the claims of each source, and how near a run has to come. A row there is

- `what` is counted, in which `unit`: "%" (stored as a fraction), "value", "weight", "s" or a count;
- `claimed`: the numbers that the source prints; `expected`: what the run has to give, if not these;
- `within`: how far off it may be, by default 1e-9, null if it is not judged; or `band`: the least
  and most of each number, for what is trained or timed;
- `measure`: for a number of a certificate, its name in `strength`; `ours`: our player in its place;
- `budget`: what is run, and what the source ran if that is more, by default all positions;
- `player`: whose worst case it is; and a `note`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import tttenv
from learners.registry import LEARNERS
from tttenv import Rules, certify
from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column
from tttenv.policy import Policy

RULES = Rules()
Numbers = Sequence[float]
Row = dict[str, Any]  # as reproduce.json has it
VERDICTS = {True: "yes", False: "NO", None: "-"}
SOURCES: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
TITLES = {source: about["title"] for source, about in SOURCES.items()}
CLAIMS: dict[str, Row] = {
    id: row for about in SOURCES.values() for id, row in about["rows"].items()
}
FIELDS: Row = {  # of a row, in order, and what they are if neither a claim nor a run says it
    **{"what": "", "published": (), "claimed": (), "expected": (), "unit": "", "repaired": ()},
    **{"budget": "all positions", "player": "", "note": ""},
}
COLUMNS = [
    Column("id", left=True),
    Column("number", left=True, rank=3),
    Column("claimed", left=True),
    Column("as published", left=True),
    Column("repaired", left=True, rank=1),
    Column("run / claimed budget", left=True, rank=2),
    Column("holds"),
]


def holds(claim: Row, published: Numbers) -> bool | None:
    """Return whether the numbers are near enough to a claim; None if they are not judged."""
    near, wanted = claim.get("within", 1e-9), claim.get("expected") or claim.get("claimed", ())
    ends = claim.get("band") or (near is not None and [(n - near, n + near) for n in wanted])
    if not ends:
        return None
    return all(low <= number <= high for number, (low, high) in zip(published, ends, strict=True))


def row(id: str, published: Numbers, judged: bool = True, **budget: int) -> Row:
    """Return the row of what a published form gives when it is run again.

    Args:
        id: of the row, in published.json.
        published: the numbers.
        judged: False if the budget is too small.
        budget: what the text of the row's budget names.
    """
    claim = dict(CLAIMS[id])
    for key in claim.keys() & {"claimed", "expected"}:
        claim[key] = [float(Fraction(number)) for number in claim[key]]
    found: Row = {"id": id} | {key: claim.get(key, usual) for key, usual in FIELDS.items()}
    found |= {"published": published, "budget": found["budget"].format(**budget)}
    if "ours" in claim:
        found["repaired"] = ours(claim["ours"])[claim["measure"]]
    for key in (key for key, usual in FIELDS.items() if usual == ()):
        found[key] = [int(n) if float(n).is_integer() else float(n) for n in found[key]]
    passed = holds(claim, published) if judged else None
    return found | {"source": id.partition(".")[0], "holds": passed}


def strength(player: Policy | str) -> dict[str, Numbers]:
    """Certify a player, and return the numbers of its certificate by measure.

    Returns:
        `x`, `o`: wins, draws and losses against random moves, as X and as O; `mean`: the same, both
        seats together; `wins`: both seats' wins; `worst`: the values against best responses, as X
        and as O; `drawn`: the fractions of draws against perfect play; `optimal`: the fraction of
        optimal moves.
    """
    found: Any = certify(RULES, player)  # on 3,3,3 no field is unknown
    x, o = (found.vs_random[seat] for seat in "XO")
    return {
        "x": x,
        "o": o,
        "mean": [(a + b) / 2 for a, b in zip(x, o, strict=True)],
        "wins": (x[0], o[0]),
        "worst": [found.worst_case[seat] for seat in "XO"],
        "drawn": [found.vs_perfect[seat][1] for seat in "XO"],
        "optimal": (found.optimal_moves["all"],),
    }


@cache
def ours(name: str) -> dict[str, Numbers]:
    """Certify one of our own players, shipped or a search, by its name; see `strength`."""
    return strength(tttenv.player(name))


def measured(player: Policy | str, *ids: str, judged: bool = True, **budget: int) -> list[Row]:
    """Return the rows of numbers of a player's certificate; see `row`."""
    found = strength(player)
    return [row(id, found[CLAIMS[id]["measure"]], judged, **budget) for id in ids]


@dataclass(frozen=True)
class Run:
    """Budget and seed of the experiments of a source."""

    quick: bool  # with small budgets
    seed: int

    def train(
        self, name: str, steps: int, preset: str = "published", seed: int = 0, **changes: Any
    ) -> tuple[Any, list[dict[str, float]]]:
        """Train a learner with a preset; return it and the metrics of each step."""
        kind = LEARNERS.load(name)
        learner = kind(replace(kind.presets[preset], seed=self.seed + seed, **changes), RULES)
        return learner, [learner.step() for _ in range(steps)]


def show(source: str, rows: list[Row]) -> None:
    """Print the table of a source, followed by its notes."""
    print(f"\n{TITLES[source]}")
    table = [[row["id"], row["what"], *_cells(row)] for row in rows]
    text_tables.show(COLUMNS, table, "reproduce.json")
    for row in rows:
        if row["note"]:
            text_tables.say(f" {row['id']}: {row['note']}", "   ")


def verdict(rows: list[Row]) -> str:
    """Return a sentence that says how many rows hold."""
    judged = [row["holds"] for row in rows if row["holds"] is not None]
    missing = len(rows) - len(judged)
    return (
        f"{sum(judged)} of {len(judged)} rows hold within their tolerance, {missing} are not judged"
    )


def markdown(rows: list[Row]) -> str:
    """Return all rows as one Markdown table, and the verdict on them."""
    heads = ["number", *(column.name for column in COLUMNS[2:])]
    lines = ["| " + " | ".join(heads) + " |", "|-" * len(heads) + "|"]
    for source, title in TITLES.items():
        lines.append(f"| **{title}** |" + " |" * (len(heads) - 1))
        for row in (row for row in rows if row["source"] == source):
            note = f" ({row['note']})" if row["note"] else ""
            lines.append(f"| {row['what']}{note} | " + " | ".join(_cells(row)) + " |")
    return "\n".join([*lines, "", verdict(rows) + "."])


def _cells(row: Row) -> list[str]:
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
