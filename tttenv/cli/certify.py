"""Print the exact certificate of any player: `tttenv certify minimax`."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tttenv.certificates import phrases
from tttenv.cli import compile, console, text_tables, workers
from tttenv.cli.options import (
    AddressOrNone,
    FileOrNone,
    Flag,
    MethodOrNone,
    NumberOrNone,
    Player,
    RulesOrNone,
)
from tttenv.cli.text_tables import Column, say
from tttenv.utils.untrusted import file_name

EXAMPLES = """
tttenv certify selfplay
tttenv certify runs/dqn-0 --json
tttenv certify alphazero_554
tttenv certify mcts:iterations=200
"""
SEARCH = "reachable positions"  # compiled in the background
FOLDER = Path("results/certificates")  # of unfinished certificates
LONGEST = 1e9  # seconds left that are shown; a file to resume may state any number


@dataclass(frozen=True)
class Arguments:
    """Compute a player's exact strength in both seats.

    A player is a name with options, like minimax:ties=first, a trained player like selfplay, or
    the folder of a checkpoint; quote it if it has parentheses.

    Up to 15 cells the certificate covers all positions. On larger boards it follows the player's
    own moves and every reply: whether it never loses, always wins, or loses and how. A player that
    can reach more than --positions in a seat is undecided there; --sampled plays games instead.
    This can take hours. Ctrl-C stops it, and --resume continues it.
    With --method all it covers all positions of up to 16 cells, with exact probabilities, which may
    take minutes.
    """

    player: Player  # name[:option=value,...] or a checkpoint's folder
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    method: MethodOrNone = None  # if omitted, chosen by the board's size
    positions: int = 20_000_000  # maximum number of reachable positions per seat
    explain: Flag = False  # also print what the certificate leaves unknown, and why
    json: Flag = False  # print the certificate as JSON
    sampled: Flag = False  # play games against random and tactical instead
    games: int = 1000  # with --sampled: games per seat
    seed: int = 0  # with --sampled: random seed
    resume: Flag = False  # continue an interrupted certificate
    jobs: NumberOrNone = None  # processes that answer the player's boards; if omitted, this one
    ray: AddressOrNone = None  # Ray cluster that answers them; auto: RAY_ADDRESS or local
    picture: FileOrNone = None  # draw all its games on 3,3,3 as an SVG file


def main(args: list[str], prog: str = "tttenv certify") -> None:
    """Certify a player, and print the result."""
    given = console.parse(Arguments, prog, args, console.with_players(Arguments), EXAMPLES)
    _check(given)

    rules = console.rules_for(given.rules, given.player)
    policy = console.load_player(given.player, rules, given.json)
    if given.sampled:
        from tttenv.certificates.metrics.arena import measure

        with console.stage(f"playing {given.games:,} games from each seat", given.json):
            numbers = measure(rules, policy, given.games, given.seed)
        if given.json:
            print(json.dumps({"player": given.player, "rules": str(rules), **numbers}, indent=2))
        else:
            print(f"{given.player} on {rules}, {given.games:,} games from each seat:")
            print(phrases.sampled(numbers))
        return
    if given.picture:
        from tttenv import draw_games
        from tttenv.utils.files import write

        picture = draw_games(rules, policy, name=given.player)
    with workers.crew("jobs", given.jobs, given.ray) as crew:
        asked = policy
        if crew is not None:
            from tttenv.players.answered import answered

            asked = answered(given.player, policy, crew)
        certificate = certified(given, rules, asked)
    if given.picture:
        write(given.picture, picture)
        print(f"all its games are drawn in {given.picture}", file=sys.stderr)
    if given.json:
        fields = {**certificate.to_dict(), **policy.particulars()}
        print(json.dumps({"player": given.player, **fields}, indent=2))
        return
    print_certificate(given.player, certificate, given.explain)
    if summary := policy.summary():
        say(summary)


def _check(given: Arguments) -> None:
    if given.positions < 1:
        raise ValueError(f"--positions must be at least 1, not {given.positions}")
    if not given.sampled and given.games != Arguments.games:
        raise ValueError("--games needs --sampled: certificates play no games")
    if given.sampled and (given.method or given.resume or given.picture or given.jobs or given.ray):
        raise ValueError(
            "--method, --resume, --picture, --jobs and --ray cannot be combined with --sampled"
        )
    if given.picture and given.picture.suffix != ".svg":
        raise ValueError("--picture writes an SVG file: its name must end in .svg")


def certified(given: Arguments, rules: Any, policy: Any) -> Any:
    """Compute the certificate of a player, showing its progress.

    Raises:
        ValueError: if the player cannot be certified, or the options do not suit the method.
    """
    from tttenv import certify
    from tttenv.certificates.certificate import ALL_POSITIONS, REACHABLE, default_method
    from tttenv.exact import Tabulated

    named = {"all": ALL_POSITIONS, "reachable": REACHABLE, None: default_method(policy)}
    if named[given.method] == ALL_POSITIONS:
        if given.resume:
            raise ValueError("--resume: a certificate over all positions is never saved unfinished")
        with console.stage(f"certifying {given.player} on {rules}", given.json) as tell:
            slow = policy.traits.one_by_one and not isinstance(policy, Tabulated)
            return certify(rules, counted(policy, tell) if slow else policy, method=ALL_POSITIONS)
    with (
        console.stage(f"certifying {given.player} on {rules}", given.json) as tell,
        compile.compiling(SEARCH),  # while the game is being solved
    ):
        about: dict[str, Any] = {"method": REACHABLE, "name": given.player}
        about["watch"] = lambda found: tell(progress(found))
        with saved(given, rules) as about["checkpoint"]:
            return certify(rules, policy, given.positions, **about)


def counted(policy: Any, tell: Callable[[str], None]) -> Any:
    """Return the player; report the number of boards on which it has been queried so far."""
    from tttenv.exact import positions
    from tttenv.policy import Wrapped

    total = len(positions(policy.rules).decisions)

    class Counted(Wrapped):
        count = 0

        def __call__(self, boards: Any) -> Any:
            again = self.count >= total  # to check that it is a function of the board
            number = self.count - total * again
            tell(f"{policy.name}: {number:,} of {total:,} boards queried{' again' * again}")
            self.count += len(boards)
            return policy(boards)

    return Counted(policy)


@contextmanager
def saved(given: Arguments, rules: Any) -> Iterator[Any]:
    """Yield the checkpoint of a long search, which is saved if the search is interrupted."""
    from tttenv.certificates.reachable_certificate import SearchCheckpoint
    from tttenv.players.digests import digests

    name = file_name(f"{given.player}-{rules.m}-{rules.n}-{rules.k}")
    file = FOLDER / f"{name}.search.safetensors"
    files = digests(given.player)

    def about() -> dict[str, Any]:
        from tttenv.parallel.tasks import code_version
        from tttenv.utils.compile_time import processor

        return {
            "player": given.player,
            "version of the player's files": files,
            "version of the program": code_version("tttenv"),
            "processor": list(processor()),
        }

    console.check_unfinished(file, given.resume, "certificate")
    checkpoint = SearchCheckpoint(file, rules, given.positions, about)
    if given.resume:
        checkpoint.load()
        print(f"resumed {position_of(checkpoint)}", file=sys.stderr)

    def save() -> str | None:
        saved = f"the search ({position_of(checkpoint)}) is saved in {file}"
        return saved if checkpoint.save() else None

    with console.saved_if_interrupted(save):
        yield checkpoint


def position_of(checkpoint: Any) -> str:
    """Describe how far a search has come."""
    rounds = f", round {len(checkpoint.state.rounds)}" if checkpoint.state else ""
    return f"as {checkpoint.seat}{rounds}: {checkpoint.queried:,} positions queried"


def progress(found: Any) -> str:
    """Describe the progress of the search in one line."""
    left = ""
    if found.phase == "following" and found.positions:
        seconds = min(found.waiting * found.seconds / found.positions, LONGEST)
        left = f" ({timedelta(seconds=round(seconds))} left)"
    return (
        f"as {found.seat}, {found.phase}, round {found.number + 1}{left}:"
        f" {found.positions:,} positions, {found.waiting:,} waiting"
    )


def print_certificate(name: str, certificate: Any, explain: bool = False) -> None:
    """Print a certificate; with `explain`, also print what it leaves unknown and why."""
    from tttenv.certificates.verdict import verdict

    found = verdict(certificate)
    headline = f"{name} on {found.rules}: {found.headline}"
    say(headline, style="good" if found.good else "bad")
    columns = [Column("", left=True), Column("as X"), Column("as O")]
    rows = [[title, x or "-", o or "-"] for title, x, o in found.by_seat if x or o]
    text_tables.show(columns, rows)
    for seat, game in found.games.items():
        say(f"a game that it loses as {seat}: {game}", "  ")
    for title, text in found.overall:
        if text is not None:
            say(f"{title}: {text}")
    for note in found.notes:
        say(note)
    if explain and found.unknown:
        say(f"not known: {'; '.join(found.unknown)}")
    if explain and certificate.queried_twice == 0:
        say("no board was queried twice: tables and built-in networks always answer the same way")
