"""Write a report as a single HTML file with a board to play on: `tttenv report`."""

import json
import shlex
import sys
import webbrowser
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tttenv.cli import console
from tttenv.cli.options import AddressOrNone, Flag, FolderOrNone, Players
from tttenv.cli.text_tables import say

RUNS = Path("runs")  # where trainings write by default
LISTED = 3  # folders left out that are named
EXAMPLES = """
tttenv report
tttenv report selfplay runs/dqn-0 --out mine.html
"""


@dataclass(frozen=True)
class Arguments:
    """Write the report: one HTML file with a board to play on, exact numbers, curves and positions.

    It needs no server and no network. It shows the players of the benchmark's results or, without
    results, the trained players of the package and all named players; or only the players you
    name. Trained players for boards other than 3,3,3 have a table of their own; networks of
    alphazero play on the page's boards of up to 15 rows and columns: all that you name, or one of
    the package's for each size of board.
    """

    # names, checkpoint folders, or folders of these such as runs/sweep, to show instead
    players: Players = ()
    results: Path = Path("results/benchmark.json")  # results of the benchmark or of a sweep
    url: AddressOrNone = None  # address of publication, next to preview.png, for metadata
    out: Path = Path("results/report.html")  # output file
    open: Flag = False  # open it in a browser
    json: Flag = False  # print a summary as JSON
    runs: FolderOrNone = None  # where trained players of the results are, too


def main(args: list[str], prog: str = "tttenv report") -> None:
    """Write the report, and print its location."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if given.results != Arguments.results and not given.results.exists():
        raise ValueError(f"there is no file {given.results}")
    with console.stage("making the report", given.json) as tell:
        summary = make(given, prog, tell)
    address = given.out.resolve().as_uri()  # terminals make it clickable
    if given.json:
        print(json.dumps(summary, indent=2))
    else:
        print(f"report    {address}")
        if left := [console.visible(shlex.quote(name)) for name in summary["left_out"]]:
            more = f" and {len(left) - LISTED:,} more" if len(left) > LISTED else ""
            say(f"left out  {', '.join(left[:LISTED])}{more}: to show one, {prog} {left[0]}")
    if given.open and not webbrowser.open(address):
        print(f"{prog}: no browser was found: open the page in one yourself", file=sys.stderr)


def make(
    given: Arguments, prog: str = "tttenv report", tell: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Write the report.

    Args:
        given: the command's arguments.
        prog: the name of the command in complaints about damaged curves.
        tell: reports the progress in one line.

    Returns:
        The page's path, its size in bytes, the names of the players, and the folders in `RUNS`
        that it leaves out, if no players are named.

    Raises:
        ValueError: for an address that is no URL, for players that cannot be certified, and if the
            page cannot be written.
    """
    out = given.out
    if out.is_dir() or any(above.is_file() for above in out.parents):
        raise ValueError(f"cannot write the report to {out}: choose another file with --out")
    from tttenv.players import of_folders
    from tttenv.report import larger, load_players
    from tttenv.report.build import checked_url, html
    from tttenv.utils.files import write

    url = None if given.url is None else checked_url(given.url)
    named, others = larger.split(of_folders(given.players) or larger.usual())
    if named or not given.results.exists():
        players = load_players.from_specs(named or load_players.usual(), tell)
    else:
        players = load_players.from_benchmark(given.results, given.runs, tell)
    for player in players:
        if player.complaint:
            what = "the curve" if player.curve else "no curve"
            text = console.visible(f"{what} of {player.name}: {player.complaint}")
            print(f"{prog}: {text}", file=sys.stderr)
    on_larger = larger.from_specs(others, tell=tell, one_per_size=not given.players)
    tell(f"writing {out}")
    text = html(players, on_larger, url)
    try:
        write(out, text)
    except OSError as error:  # it names a temporary file
        raise ValueError(f"cannot write {out}: {error.strerror}") from None
    names = [*(player.name for player in players), *(player.name for player in on_larger)]
    left = [] if given.players else left_out(player.spec for player in players)
    return {"report": str(out), "bytes": len(text.encode()), "players": names, "left_out": left}


def left_out(shown: Iterable[str]) -> list[str]:
    """Return the folders in `RUNS` that hold trained players, but none of those shown."""
    there = {Path(spec).resolve() for spec in shown}
    found = {}
    for folder in sorted(RUNS.glob("*/")):
        cards = [*folder.glob("card.json"), *folder.glob("*/card.json")]
        found[str(folder)] = {card.parent.resolve() for card in cards}
    return [folder for folder, players in found.items() if players and not players & there]
