"""The benchmark's results as tables, in the terminal and in README files."""

from pathlib import Path
from typing import Any

from learners.cli import readme_blocks
from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column

SHIPPED = """# Trained players

Certify one again, from any folder: `tttenv certify NAME`.

<!-- players: begin -->
<!-- players: end -->
"""  # the README of a folder of players that has none yet
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
    """Return the results as tables with all columns, as a README shows them."""
    sentences = [_sentence(found) for found in result["learners"]]
    table = text_tables.lines(COLUMNS, _rows(result))
    return "\n".join([_title(result), *table, *LEGEND, *sentences])


def _title(result: dict[str, Any]) -> str:
    return f"exact strengths on {result['rules']}"


def _rows(result: dict[str, Any]) -> list[list[str]]:
    """Return two rows of cells for each player, one for each seat."""
    return [_cells(entry, seat) for entry in result["players"] for seat in ("X", "O")]


def ship(trainings: list[dict[str, Any]], seed: int, out: Path) -> None:
    """Copy the players of `seed` without what only training needs, and list them in `out`'s README.

    The list goes between the README's marks `players`; the rest of the README stays as it is.
    """
    from tttenv.players.checkpoint import (
        POLICY,
        SNAPSHOTS,
        WEIGHTS,
        commit,
        file_of,
        read_card,
        read_data,
    )
    from tttenv.utils.files import write

    rows = []
    for training in trainings:
        if training["seed"] != seed:
            continue
        folder = Path(training["folder"])
        curve = [SNAPSHOTS] if file_of(read_card(folder), SNAPSHOTS) else []
        about, data = read_data(folder, WEIGHTS, POLICY, *curve)
        commit(out / training["learner"], about, data)
        card, name = training["certificate"], training["learner"]
        wins = [phrases.share(card["vs_random"][seat][0]) for seat in "XO"]
        worst = [phrases.value(card["worst_case"][seat]) for seat in "XO"]
        rows.append(
            f"| `{name}` | {worst[0]} / {worst[1]} | {wins[0]} / {wins[1]} | {training['steps']} |"
        )
    head = "| player | worst case X / O | wins vs random X / O, % | steps |\n|-|-|-|-|\n"
    readme = out / "README.md"
    if not readme.exists():
        write(readme, SHIPPED)
    readme_blocks.put(readme, "players", head + "\n".join(rows))


def _cells(entry: dict[str, Any], seat: str) -> list[str]:
    """Return one row of the table; what holds for both seats is in X's."""
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
