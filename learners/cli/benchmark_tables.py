"""The benchmark's results as tables: on the terminal, in the README, beside the shipped players."""

from pathlib import Path
from typing import Any

from tttenv.cli import console, text_tables
from tttenv.cli.text_tables import Column

NUMBERS = """
Beside the players stand numbers: `published.json`, what `python scripts/reproduce.py` found of the
published experiments, and `seven.json`, what is proved of the seven published LMS features;
`python scripts/seven.py` checks it. In `larger/` stands `reinforce_444`, a network for 4,4,4 that
is unbeatable there.
"""
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
    """Print the results as tables, in a narrow terminal without some columns unless `wide`."""
    print(_title(result))
    missing = text_tables.show(COLUMNS, _rows(result), wide)
    text_tables.tell_left_out(missing, "--wide shows them, and benchmark.json has all numbers")
    text_tables.say(" ".join(LEGEND))
    for found in result["learners"]:
        text_tables.say(_sentence(found), "  ")


def text(result: dict[str, Any]) -> str:
    """The results as tables with all columns, as a README shows them."""
    sentences = [_sentence(found) for found in result["learners"]]
    table = text_tables.lines(COLUMNS, _rows(result))
    return "\n".join([_title(result), *table, *LEGEND, *sentences])


def _title(result: dict[str, Any]) -> str:
    return f"exact strengths on {result['rules']}"


def _rows(result: dict[str, Any]) -> list[list[str]]:
    """Two rows of cells for each player, a seat each."""
    return [_cells(entry, seat) for entry in result["players"] for seat in ("X", "O")]


def ship(trainings: list[dict[str, Any]], seed: int, out: Path) -> None:
    """Copy the players of `seed` without what only training needs, and list them in a README."""
    from tttenv.checkpoint import POLICY, WEIGHTS, commit, read_data
    from tttenv.files import write

    rows = []
    for training in trainings:
        if training["seed"] != seed:
            continue
        about, data = read_data(Path(training["folder"]), WEIGHTS, POLICY)
        commit(out / training["learner"], about, data)
        card, name = training["certificate"], training["learner"]
        wins = [console.share(card["vs_random"][seat][0]) for seat in "XO"]
        worst = [console.value(card["worst_case"][seat]) for seat in "XO"]
        rows.append(
            f"| `{name}` | {worst[0]} / {worst[1]} | {wins[0]} / {wins[1]} | {training['steps']} |"
        )
    head = "| player | worst case X / O | wins vs random X / O, % | steps |\n|-|-|-|-|\n"
    title = "# Trained players\n\nCertify one again, from any folder: `tttenv certify NAME`.\n\n"
    write(out / "README.md", title + head + "\n".join(rows) + "\n" + NUMBERS)


def _cells(entry: dict[str, Any], seat: str) -> list[str]:
    """One row of the table: what holds for both seats stands in X's."""
    seconds = "" if entry["seconds"] is None else f"{entry['seconds']:.1f}"
    unbeatable = "yes" if entry["unbeatable"] else "no"
    optimal = console.share(entry["optimal_moves"]["all"])
    left, right = [entry["player"], seconds], [optimal, str(entry["blunders"]), unbeatable]
    if seat == "O":
        left, right = ["", ""], ["", "", ""]
    shares = [*entry["vs_random"][seat], *entry["vs_perfect"][seat]]
    worst = console.value(entry["worst_case"][seat])
    return [*left, seat, *map(console.share, shares), worst, *right]


def _sentence(found: dict[str, Any]) -> str:
    sentence = f"{found['learner']}: {found['unbeatable']} of {found['seeds']} seeds unbeatable"
    if found["unbeatable"]:
        sentence += (
            f", median {found['median_steps']:.0f} steps in {found['median_seconds']:.1f} s,"
            f" slowest {found['slowest_seconds']:.1f} s"
        )
    return sentence
