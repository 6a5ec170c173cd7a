"""One HTML file to play, look and understand: `python scripts/report.py`."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tttenv.cli import console
from tttenv.players import bundled

PROG = "report.py"
PUBLISHED = bundled.home() / "published.json"


@dataclass(frozen=True)
class Arguments:
    """Make the report: one file with a board to play on, exact numbers, curves and all positions.

    It needs no server and no network. It shows the players of the benchmark's results or, where
    there are none, the trained ones that come with the package and all players by name; or the
    players you name. Trained players for other boards than 3,3,3 have a table of their own;
    networks of alphazero for boards of up to 49 cells can be played, too.
    """

    players: console.Players = ()  # names or checkpoints' folders instead
    results: Path = Path("results/benchmark.json")  # of the benchmark
    published: Path = PUBLISHED  # published numbers beside ours
    league: Path | None = None  # results of a league, as results/league.json: shown besides
    url: str | None = None  # where it will be published, preview.png beside it; for its head
    sweep: Path | None = None  # results of a sweep, as results/sweep.json: shown besides
    out: Path = Path("results/report.html")  # where the report goes
    json: bool = False  # print what was made as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Make the report and say where it is.

    Args:
        args: what was typed after the command's name.
        prog: the command's name, for its help and messages.
    """
    given = console.parse(Arguments, prog, args)
    contents = Contents(
        results=given.results,
        published=given.published,
        specs=given.players,
        league=given.league,
        sweep=given.sweep,
    )
    with console.stage("making the report", given.json) as tell:
        told = make(given.out, contents, given.url, prog, tell)
    print(json.dumps(told, indent=2) if given.json else f"report    {address(given.out)}")


def address(file: Path) -> str:
    """A file's address, which terminals open at a click and browsers take."""
    return file.resolve().as_uri()


@dataclass(frozen=True)
class Contents:
    """The files and players that a report shows."""

    results: Path  # of the benchmark; need not be there
    published: Path = PUBLISHED  # of the reproductions; need not be there
    # The players to show instead of those in `results`; those for larger boards are shown instead
    # of the ones that come with the package.
    specs: Sequence[str] = ()
    # A folder of trained players that `results` may name, besides the current folder and its own.
    runs: Path | None = None
    league: Path | None = None  # results of a league
    sweep: Path | None = None  # results of a sweep


def make(
    out: Path,
    contents: Contents,
    url: str | None = None,
    prog: str = PROG,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Write the report.

    Args:
        out: the file.
        contents: what it shows.
        url: where the report will be published, for its head; None if that is not known.
        prog: what a message about a player's curve begins with.
        tell: called with what is done next.

    Returns:
        Its path, its size in bytes, and the names of the players it shows.

    Raises:
        ValueError: for players that are unknown, damaged or of other boards, files that hold
            something else, or an `out` that cannot be written.
    """
    if out.is_dir() or any(above.is_file() for above in out.parents):
        raise ValueError(f"the report is a file, which {out} cannot be: name another with --out")
    from tttenv.league import league_file
    from tttenv.report import endings, larger, load_players
    from tttenv.report import published as numbers
    from tttenv.report.build import checked_url, html
    from tttenv.utils.files import write

    address = None if url is None else checked_url(url)
    played = None if contents.league is None else league_file.read(contents.league)
    swept = [] if contents.sweep is None else endings.of_sweep(contents.sweep)
    named, others = larger.split(list(contents.specs) or larger.usual())
    if named or not contents.results.exists():
        players = load_players.from_specs(named or load_players.usual(), tell)
        trainings = load_players.endings_of(players)
    else:
        benchmark = load_players.from_benchmark(contents.results, contents.runs, tell)
        players, trainings = benchmark.players, benchmark.trainings
    for player in players:
        if player.complaint:
            what = "no curve" if player.no_curve else "the curve"
            told = console.visible(f"{what} of {player.name}: {player.complaint}")
            print(f"{prog}: {told}", file=sys.stderr)
    on_larger = larger.from_specs(others, tell=tell)
    tell(f"writing {out}")
    text = html(
        players, numbers.read(contents.published), on_larger, played, trainings, swept, address
    )
    try:
        write(out, text)
    except OSError as error:  # which names a temporary file
        raise ValueError(f"cannot write {out}: {error.strerror}") from None
    names = [*(player.name for player in players), *(player.name for player in on_larger)]
    return {"report": str(out), "bytes": len(text.encode()), "players": names}
