"""Play a round-robin league: `tttenv league random tactical minimax`."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tttenv.certificates import phrases
from tttenv.certificates.phrases import hundredths
from tttenv.cli import console, text_tables, workers
from tttenv.cli.options import Flag, Players, RulesOrNone
from tttenv.cli.text_tables import Column, say
from tttenv.cli.workers import HERE, AllWorkers
from tttenv.parallel.tasks import TaskResult
from tttenv.players import of_folders

if TYPE_CHECKING:
    from tttenv.league.league import LeagueSettings, Result

EXAMPLES = """
tttenv league
tttenv league random tactical mcts:iterations=200 selfplay
tttenv league alphabeta alphazero_664 --rules 6,6,4 --games 20
"""
FAILED = 1  # the exit status if a pair has no result
LISTED = 10  # failed pairs or cycles to print
LADDER = (  # from weak to strong, on all boards
    *("random", "first", "tactical", "mcts:iterations=50", "mcts:iterations=500"),
    *("gumbel:simulations=32", "alphabeta:depth=2,ties=first", "alphabeta:nodes=20000,ties=first"),
)


@dataclass(frozen=True)
class Arguments:
    """Play every player against every other, from all openings, in both colours, and rate them.

    The openings are all boards with --openings stones, one per symmetry class: 33 on 4x4, 846 on
    9x9. A pair's result is exact if both players are functions of the board and few enough
    positions can be reached; otherwise --games are played. By default the players range from
    random to the strongest, and include the trained players for the board.

    Results are stored in a folder next to --out: after an interruption the same command continues
    where it stopped.
    """

    players: Players = ()  # names with options, checkpoint folders, or folders of these
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the first checkpoint's
    openings: int = 2  # number of stones on the board at the start of a game
    games: int = 400  # games per pair without an exact result, half in each colour
    seed: int = 0  # random seed of these games
    positions: int = 2_500_000  # maximum number of positions for an exact result
    searches: int = 20_000  # the same for a player that searches
    workers: AllWorkers = HERE
    out: Path = Path("results/league.json")  # output file
    json: Flag = False  # print the results as JSON


def main(args: list[str], prog: str = "tttenv league") -> None:
    """Play all pairs and rate the players; write the results and print them."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    given = replace(given, players=tuple(of_folders(given.players)))
    _check(given)
    from tttenv.game.openings import opening_classes
    from tttenv.league import league
    from tttenv.utils.files import write

    rules = console.rules_for(given.rules, *given.players)
    opening_classes(rules, given.openings)  # refuses impossible ones before any game
    players = list(given.players) or usual(rules)
    settings = league.LeagueSettings(
        str(rules), given.openings, given.games, given.seed, given.positions, given.searches
    )
    kept = given.out.with_suffix(".kept")  # the folder of stored results
    console.check_folder(kept)
    with console.stage(f"loading {len(players)} players", given.json) as tell:
        pairs = league.pairs_of(_slow(players, rules, tell))
    whole = league.assembled(settings, players, _played(settings, pairs, given, kept))
    text = league.text(whole)
    write(given.out, text)
    found = json.loads(text)
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)
        say(f"results   {given.out}")
    failed = whole.failed()
    lines = [f"no result of {first} and {second}: {why}" for first, second, why in failed]
    if len(failed) > LISTED:
        lines[LISTED:] = [f"and {len(failed) - LISTED:,} more pairs"]
    for line in lines:
        print(f"{prog}: {console.visible(line)}", file=sys.stderr)
    if failed:
        sys.exit(FAILED)


def _check(given: Arguments) -> None:
    """Check the arguments, as far as possible without loading the players."""
    workers.check(given.workers)
    check_numbers(given.games, given.positions, given.searches)
    if given.out.is_dir() or not given.out.suffix:
        raise ValueError(f"--out must be a file such as results/league.json, not {given.out}")
    for spec in given.players:
        if given.players.count(spec) > 1:
            raise ValueError(
                f"{spec} is named twice; give one of them other options to enter it again"
            )
    if len(given.players) == 1:
        raise ValueError("a league has at least two players; name none for the default ones")


def check_numbers(games: int, positions: int, searches: int) -> None:
    """Raise ValueError for an odd number of games, or limits below 0."""
    if games < 2 or games % 2:
        raise ValueError(f"--games must be even, half for each colour, not {games}")
    for name, limit in (("positions", positions), ("searches", searches)):
        if limit < 0:
            raise ValueError(f"--{name} must be at least 0, not {limit}")


def usual(rules: Any) -> list[str]:
    """Return the default players of a league, from weak to strong."""
    from tttenv.exact import enumerable
    from tttenv.players import bundled, rules_of

    small = enumerable(rules)
    trained = [name for name in bundled.names() if rules_of(name) == rules]
    known = trained if small or find_spec("torch") is not None else []
    return [*LADDER, *(["minimax"] if small else []), *known]


def _slow(players: Sequence[str], rules: Any, tell: Callable[[str], None]) -> dict[str, bool]:
    """Check that each player can be created, and return whether it is slow to query."""
    found: dict[str, bool] = {}
    for spec in players:
        tell(f"loading player {len(found) + 1} of {len(players)}, {spec}")
        traits = console.load_player(spec, rules, quiet=True).traits
        found[spec] = traits.searches or traits.depends_on is not None
    return found


def _played(
    settings: "LeagueSettings", pairs: Sequence[tuple[str, str]], given: Arguments, folder: Path
) -> dict[tuple[str, str], "Result"]:
    """Return the result of each pair, playing only those without a stored result."""
    from tttenv.league import league

    tasks = league.tasks(settings, pairs, given.workers.cores_per_task)
    found: dict[tuple[str, str], Result] = {}

    def tell(outcome: TaskResult) -> None:
        found[pairs[outcome.number]] = league.result_of(outcome)

    try:
        workers.run_all(tasks, given.workers, folder, given.json, tell, "pairs")
    except KeyboardInterrupt:
        stored = sum(not isinstance(result, str) for result in found.values())
        raise KeyboardInterrupt(
            f"{stored:,} of {len(pairs):,} pairs are stored in {folder}: the same command continues"
        ) from None
    return found


def show(found: dict[str, Any]) -> None:
    """Print the results in a league file."""
    settings, rows = found["settings"], found["players"]
    methods = [pair["method"] for pair in found["pairs"]]
    parts = [f"{methods.count('exact'):,} exact", phrases.counted(len(methods), "pair")]
    failed = methods.count("failed")
    say(
        f"{len(rows)} players on {settings['rules']}, {openings(found)}, both colours:"
        f" {', '.join(reversed(parts))}{f', {failed:,} without a result' if failed else ''}"
    )
    sampled = "sampled" in methods
    columns = [
        Column("", rank=5),
        Column("player", left=True),
        Column("Elo"),
        *([Column("+-", rank=4)] if sampled else []),
        Column("score %"),
        *(Column(head, group="mean", rank=3 - i) for i, head in enumerate(("win %", "draw %"))),
        Column("loss %", group="mean", rank=2),
    ]
    cells = [_row(number, row, sampled) for number, row in enumerate(rows, start=1)]
    text_tables.show(columns, cells)
    if sampled:
        say("+-: of the 95 % interval by the sampled games")
    if swept := [row["player"] for row in rows if 1.0 in (row["win"], row["loss"])]:
        say(
            f"{' and '.join(swept)} won or lost every game: such an Elo says only the direction,"
            " its size comes from the two games that each player is given against a rating of 0"
        )
    if text := forced(found):
        say(text)
    _show_matrix(found)
    if found["cycles"]:
        say("")
        say("cycles of three players, each beating the next:")
    for cycle in found["cycles"][:LISTED]:
        say("  " + " > ".join(rows[number]["player"] for number in (*cycle, cycle[0])), "    ")


def openings(found: dict[str, Any]) -> str:
    """Describe the openings in a file of a league or match."""
    stones, count = found["settings"]["stones"], len(found["openings"])
    if not stones:
        return "from the empty board"
    return f"{phrases.counted(count, 'opening')} of {phrases.counted(stones, 'stone')}"


def forced(found: dict[str, Any]) -> str:
    """Say why a player that cannot be beaten loses games from the openings in a file, or ""."""
    import numpy as np

    from tttenv import Rules, solve
    from tttenv.exact import enumerable, positions

    if not found["settings"]["stones"]:
        return ""
    rules, which = Rules.of(found["settings"]["rules"]), "and may change the value of the game"
    if enumerable(rules):
        boards = np.array([rules.parse(text) for text in found["openings"]])
        solution = solve(rules)
        of_x = solution.values[positions(rules).index(boards)] * (1 - 2 * rules.seat(boards))
        count = int((of_x != solution.value).sum())
        which = f"and {count:,} of {len(boards):,} change the value of the game"
        if not count:
            return ""
    return (
        f"The stones of an opening are forced, {which}: a player that is certified unbeatable from"
        " the empty board can lose games from such openings"
    )


def _row(number: int, row: dict[str, Any], sampled: bool) -> list[str]:
    from tttenv.certificates.metrics.arena import SIGMAS

    if row["elo"] is None:
        return [str(number), row["player"], *["-"] * (5 + sampled)]
    error = "-" if 1.0 in (row["win"], row["loss"]) else f"{SIGMAS * row['elo_error']:.0f}"
    shares = score_cells(row["win"], row["draw"], row["loss"])
    return [str(number), row["player"], f"{row['elo']:+.0f}", *[error] * sampled, *shares]


def score_cells(win: float, draw: float, loss: float) -> list[str]:
    """Format the score, wins, draws and losses of a player for a table, in percent."""
    return [phrases.share(share) for share in (win + draw / 2, win, draw, loss)]


def _show_matrix(found: dict[str, Any]) -> None:
    """Print the expected result of every player against every other."""
    pairs = [pair for pair in found["pairs"] if pair["method"] == "sampled"]
    errors = {frozenset((pair["first"], pair["second"])): pair["error"] for pair in pairs}
    say("")
    say("row against column: +100 = always wins, 0 = even, -100 = always loses")
    names, matrix = [row["player"] for row in found["players"]], enumerate(found["matrix"])
    columns = [Column(""), Column("", left=True)]
    columns += [Column(str(number), rank=number) for number in range(1, len(names) + 1)]
    cells = [
        [str(i + 1), names[i]]
        + [
            hundredths(v, frozenset((i, j)) in errors) if i != j else ""
            for j, v in enumerate(values)
        ]
        for i, values in matrix
    ]
    text_tables.show(columns, cells, "the file")
    if errors:
        error = ceil(1000 * max(errors.values())) / 10
        say(f"~ {found['settings']['games']:,} sampled games; standard error at most {error:.1f}")
