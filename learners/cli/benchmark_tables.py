"""Benchmark results as tables, for the terminal and for README files."""

import json
from pathlib import Path
from typing import Any

from learners.registry import LEARNERS
from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column

SHIPPED = """# Trained players

Certify one again, from any folder: `tttenv certify NAME`.

<!-- players: begin -->
<!-- players: end -->
"""  # the README of a folder of players that has none yet
SUMMARY = "benchmark.json"  # next to the trained players: what all seeds of each learner took
COLUMNS = [
    Column("player", left=True),
    Column("seconds", rank=3),
    Column("as"),
    Column("win %", group="random"),
    Column("draw %", group="random", rank=4),
    Column("loss %", group="random"),
    Column("win %", group="minimax", rank=7),
    Column("draw %", group="minimax", rank=6),
    Column("loss %", group="minimax", rank=5),
    Column("worst\ncase"),
    Column("optimal\nmoves %", rank=2),
    Column("blunders", rank=1),
    Column("unbeatable"),
]
LEGEND = [
    "seconds: of one core, to the first unbeatable certificate; worst case: value against a best",
    "response, 0 unbeatable, -1 always beaten; blunders: positions where it gives away value",
]


def show(result: dict[str, Any], wide: bool = False) -> None:
    """Print the results as tables; on narrow terminals some columns are omitted unless `wide`."""
    print(f"exact strengths on {result['rules']}")
    missing = text_tables.show(COLUMNS, _rows(result), wide)
    text_tables.print_dropped_columns(
        missing, "--wide shows them, and benchmark.json has all numbers"
    )
    text_tables.say(" ".join(LEGEND))
    for found in result["learners"]:
        text_tables.say(_sentence(found), "  ")


def text(result: dict[str, Any]) -> str:
    """Return the results as tables with all columns, for a README."""
    table = text_tables.lines(COLUMNS, _rows(result))
    title, sentences = f"exact strengths on {result['rules']}", map(_sentence, result["learners"])
    return "\n".join([title, *table, *LEGEND, *sentences])


def ship(result: dict[str, Any], seed: int, out: Path) -> None:
    """Copy the players of `seed` without their training state, and list them in `out`'s README.

    The list goes between the README's markers `players`; the rest of the README is unchanged. The
    results of all seeds go to `out/benchmark.json`, which keeps those of other learners.
    """
    from tttenv.players.stored import checkpoint
    from tttenv.utils.files import write

    for training in result["trainings"]:
        if training["seed"] == seed:
            folder, roles = Path(training["folder"]), [checkpoint.WEIGHTS, checkpoint.POLICY]
            if checkpoint.file_of(checkpoint.read_card(folder), checkpoint.SNAPSHOTS):
                roles.append(checkpoint.SNAPSHOTS)
            checkpoint.commit(out / training["learner"], *checkpoint.read_data(folder, *roles))
    write(out / "README.md", shipping_list(out))
    before = measured(out) if (out / SUMMARY).exists() else []
    found = {row["learner"]: row for row in before + result["learners"]}
    rows = [found[name] for name in LEARNERS if name in found]
    write(out / SUMMARY, json.dumps({"learners": rows}, indent=1) + "\n")


def shipping_list(out: Path) -> str:
    """Return the README of a folder of players with its list of them updated.

    Raises:
        ValueError: if it has no markers for the list.
    """
    readme = out / "README.md"
    given = readme.read_text(encoding="utf-8") if readme.exists() else SHIPPED
    return replaced(given, "players", players(out), str(readme))


def replaced(text: str, name: str, block: str, where: str = "the text") -> str:
    """Return a README's text with the block between the markers `name` replaced.

    Raises:
        ValueError: if the text has no such markers.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, ends, after = rest.partition(end)
    if not (found and ends):
        raise ValueError(f"{where} has no markers {begin.strip()} and {end}")
    return f"{before}{begin}{block}\n{end}{after}"


def shipped_cards(folder: Path) -> list[dict[str, Any]]:
    """Return the cards of the trained players in a folder, in the order of the learners."""
    from tttenv.players.stored.checkpoint import CARD, read_card

    return [read_card(folder / name) for name in LEARNERS if (folder / name / CARD).exists()]


def players(folder: Path) -> str:
    """Return a Markdown table of the trained players in a folder, from their cards."""
    rows = ["| player | worst case X / O | wins vs random X / O, % | steps |", "|-|-|-|-|"]
    for card in shipped_cards(folder):
        found = card["certificate"]
        wins = [phrases.share(found["vs_random"][seat][0]) for seat in "XO"]
        worst = [phrases.value(found["worst_case"][seat]) for seat in "XO"]
        ends = f"{worst[0]} / {worst[1]} | {wins[0]} / {wins[1]} | {card['steps']}"
        rows.append(f"| `{card['learner']}` | {ends} |")
    return "\n".join(rows)


def shipped_results(folder: Path, named: list[dict[str, Any]]) -> dict[str, Any]:
    """Return results for `text`: the named players, then the trained ones in a folder."""
    from tttenv.certificates.curve import exact_curve

    trained = []
    for card in shipped_cards(folder):
        curve = exact_curve.from_card(card)
        reached = curve.unbeatable_at if curve else None
        about: dict[str, Any] = {"player": f"{card['learner']} {card['config']['seed']}"}
        about["seconds"] = reached[1] if reached else card["seconds"]
        trained.append(about | card["certificate"])
    return {"rules": "3,3,3", "players": [*named, *trained], "learners": measured(folder)}


def measured(folder: Path) -> list[dict[str, Any]]:
    """Load each learner's summary over all seeds, stored beside the bundled players."""
    found: list[dict[str, Any]] = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))[
        "learners"
    ]
    return found


def _rows(result: dict[str, Any]) -> list[list[str]]:
    """Return the table's cells, two rows per player, one per seat."""
    return [_cells(entry, seat) for entry in result["players"] for seat in ("X", "O")]


def _cells(entry: dict[str, Any], seat: str) -> list[str]:
    """Return the row of one seat; values common to both seats are in X's row."""
    seconds = "" if entry["seconds"] is None else f"{entry['seconds']:.1f}"
    unbeatable = "yes" if entry["unbeatable"] else "no"
    optimal = phrases.share(entry["optimal_moves"]["all"])
    left, right = [entry["player"], seconds], [optimal, str(entry["blunders"]), unbeatable]
    if seat == "O":
        left, right = ["", ""], ["", "", ""]
    shares = [*entry["vs_random"][seat], *entry["vs_perfect"][seat]]
    worst = phrases.value(entry["worst_case"][seat])
    return [*left, seat, *map(phrases.share, shares), worst, *right]


def _sentence(found: dict[str, Any]) -> str:
    sentence = f"{found['learner']}: {found['unbeatable']} of {found['seeds']} seeds unbeatable"
    if found["unbeatable"]:
        sentence += (
            f", median {found['median_steps']:.0f} steps in {found['median_seconds']:.1f} s,"
            f" slowest {found['slowest_seconds']:.1f} s"
        )
    return sentence
