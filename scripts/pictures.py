"""Make the pictures and tables of README, docs/ and checkpoints/ from the trained players."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.cli import console

PROG = "pictures.py"
ROOT = Path(__file__).resolve().parents[1]
IMAGES = Path(".github/images")
README = "checkpoints/README.md"
Files = dict[Path, bytes]  # by their place in the repository
Pictures = dict[tuple[str, str], bytes]  # by file name and scheme, "light" or "dark"


@dataclass(frozen=True)
class Arguments:
    """Make the pictures, in light and dark, and the tables of checkpoints/README.md.

    They show the trained players in checkpoints/, so run it again when these change; a test
    compares both. All parts take minutes. The page needs the extra `dev` and Chromium; learning
    trains.
    """

    only: tuple[str, ...] = ("tables", "curves", "terminal", "page", "learning")  # which parts
    seed: int = 0  # of the training that is shown
    out: Path = ROOT  # the folder in which all files are written


def main(args: list[str]) -> None:
    """Make the requested parts, and print the size of each file."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    for name in given.only:
        if name not in PARTS:
            raise ValueError(f"unknown part {name!r}; known are {', '.join(PARTS)}")
    from tttenv.utils.files import write

    for name in given.only:
        with console.stage(f"making {name}"):
            made = made_by(name, given.seed)
        for place, data in made.items():
            write(given.out / place, data)
            print(f"{place}  {len(data) / 1000:.0f} kB")


def made_by(part: str, seed: int) -> Files:
    """Return the files of a part; pictures are named by scheme: learning.gif, learning-dark.gif."""
    if part == "tables":
        return {Path(README): written().encode()}
    return {IMAGES / named(*key): data for key, data in PARTS[part](seed).items()}


def named(name: str, scheme: str) -> str:
    """Return the file name of a picture in a scheme."""
    stem, dot, ending = name.rpartition(".")
    return name if scheme == "light" else f"{stem}-{scheme}{dot}{ending}"


def curves(seed: int) -> Pictures:
    """Draw the learning curves of all trained players whose cards contain one, as SVG."""
    from tttenv.certificates.curve import exact_curve, larger_curve
    from tttenv.players.stored.checkpoint import read_card
    from tttenv.report import charts

    drawn = {}
    for card in sorted((ROOT / "checkpoints").glob("*/card.json")):
        found = exact_curve.from_card(read_card(card.parent))
        if found is None:
            raise ValueError(f"{card.parent.name} has no curve")
        drawn[f"curve-{card.parent.name}.svg"] = charts.curve_chart(found, "seconds")
    for card in sorted((ROOT / "checkpoints/larger").glob("*/card.json")):
        grown = larger_curve.from_card(read_card(card.parent))
        if grown is not None and len(grown.steps) > 1:
            drawn[f"curve-{card.parent.name}.svg"] = charts.larger_chart(grown)
    return {
        (name, scheme): chart.file(scheme == "dark")
        for name, chart in drawn.items()
        for scheme in ("light", "dark")
    }


def terminal(seed: int) -> Pictures:
    """Draw the output of commands, as SVG."""
    from scripts.lib.terminal_pictures import pictures

    return pictures()


def page(seed: int) -> Pictures:
    """Take screenshots of the report, as PNG."""
    from scripts.lib.page_pictures import pictures

    return pictures()


def learning(seed: int) -> Pictures:
    """Train a policy, and show how it changes, as a GIF."""
    from scripts.lib.learning_gif import pictures

    return pictures(seed)


PARTS: dict[str, Callable[[int], Pictures]] = {
    "tables": lambda seed: {},  # no pictures: see `made_by`
    "curves": curves,
    "terminal": terminal,
    "page": page,
    "learning": learning,
}


def written() -> str:
    """Return checkpoints/README.md with its tables made from the files beside it."""
    from learners.cli import benchmark

    text = (ROOT / README).read_text(encoding="utf-8")
    for name, block in blocks(benchmark.named_players()).items():
        text = benchmark.replaced(text, name, block)
    return text


def blocks(players: list[dict[str, Any]]) -> dict[str, str]:
    """Return the tables by the names of their markers, given the certificates of all players."""
    from learners.cli import benchmark
    from scripts.reproduction import tables

    home = ROOT / "checkpoints"
    results = benchmark.shipped_results(home, players)
    published = json.loads((home / "published.json").read_text(encoding="utf-8"))
    return {
        "players": benchmark.players(home),
        "table": f"```text\n{benchmark.text(results)}\n```",
        "published": tables.markdown(published["rows"]),
    }


if __name__ == "__main__":
    console.run(main, PROG)
