"""The exact certificate of any player: `python scripts/certify.py minimax`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from tttenv.cli import console, text_tables, workers
from tttenv.cli.console import AllWorkers
from tttenv.cli.text_tables import Column, say
from tttenv.cli.workers import HERE

PROG = "certify.py"
WEIGHING = "playing out every game"
DOING = {  # what a search does in each phase
    "attacking": "attacking",
    "shortening": "shortening a lost game",
    "following": "following every reply",
}


@dataclass(frozen=True)
class Arguments:
    """Certify a player: how it fares from both seats, exactly.

    A player is a name with options, like minimax:ties=first, a trained player like selfplay, or
    the folder of a checkpoint; quote it where it has parentheses. With --against it is measured
    against one other player instead.

    Up to 15 cells this is computed over all positions. On larger boards it follows the player's own
    moves and every reply: whether it never loses, always wins, or loses and how. A player that can
    reach more than --positions in a seat is undecided there; --sampled plays games instead.
    With --method all it takes all positions, up to 16 cells, with every probability, which may
    take minutes.
    """

    player: console.Player  # name[:option=value,...] or a checkpoint's folder
    rules: str | None = None  # m,n,k; 3,3,3 or what the checkpoint was trained for
    against: str | None = None  # another player: the exact results of all games between the two
    method: Literal["all", "reachable"] | None = None  # left out: by the board's size
    positions: int = 20_000_000  # of the reachable ones: how many each seat may take
    json: bool = False  # print the certificate as JSON
    sampled: bool = False  # play games against random and tactical instead
    games: int = 1000  # with --sampled: how many from each seat
    seed: int = 0  # with --sampled: of all dice
    workers: AllWorkers = HERE  # ask a player that searches in many processes, or on a cluster


def main(args: list[str], prog: str = PROG) -> None:
    """Certify and print.

    Args:
        args: what was typed after the command's name.
        prog: the command's name, for its help and messages.
    """
    given = console.parse(Arguments, prog, args, description=console.with_players(Arguments))
    console.check_seed(given.seed)
    if not given.sampled and given.games != Arguments.games:
        raise ValueError("--games go with --sampled: certificates need none")
    if given.method is not None and (given.sampled or given.against is not None):
        raise ValueError("--method goes without --sampled and --against")
    if given.workers != HERE and (given.sampled or given.against is not None):
        raise ValueError("--jobs, --ray and their like go without --sampled and --against")
    workers.check(given.workers)
    if given.positions < 1:
        raise ValueError(f"--positions is at least 1, not {given.positions}")
    if given.against is not None:
        if given.sampled:
            raise ValueError("--against is exact: it goes without --sampled")
        meet(given)
        return
    from tttenv import Rules, player
    from tttenv.opponents import rules_of

    with console.hinting(given.player):
        rules = Rules.of(given.rules) if given.rules else rules_of(given.player)
        policy = player(given.player, rules)
    if given.sampled:
        from tttenv.metrics.arena import measure

        numbers = measure(rules, policy, given.games, given.seed)
        if given.json:
            print(json.dumps({"player": given.player, "rules": str(rules), **numbers}, indent=2))
        else:
            print(f"{given.player} on {rules}, {given.games} games from each seat:")
            print(console.sampled(numbers))
        return
    with asked_by_workers(given, rules, policy) as shared:
        certificate = certified(given, rules, shared)
    hidden = getattr(policy, "illegal_mass", None)
    if given.json:
        more = {} if hidden is None else {"illegal_mass": hidden}
        print(json.dumps({"player": given.player, **certificate.to_dict(), **more}, indent=2))
        return
    print_certificate(given.player, certificate)
    if hidden is not None:
        say(f"without a mask it puts {console.share(hidden)} % of its chances on taken cells")


@contextmanager
def asked_by_workers(given: Arguments, rules: Any, policy: Any) -> Iterator[Any]:
    """The same player, asked by the workers that the options name if that is worth its while."""
    from tttenv.metrics.worker_player import WorkerPlayer, worth_sharing

    if given.workers == HERE or not worth_sharing(policy):
        yield policy
        return
    with workers.backend(given.workers) as backend:
        yield WorkerPlayer(backend, rules, given.player, policy)


def certified(given: Arguments, rules: Any, policy: Any) -> Any:
    """The certificate of a player; a bar shows how far it is."""
    from tttenv import certify
    from tttenv.exact import Tabulated, enumerable
    from tttenv.exact.certificate import ALL_POSITIONS, REACHABLE

    method = given.method
    if method is None:
        method = "all" if enumerable(rules) or isinstance(policy, Tabulated) else "reachable"
    if method == "all":
        with watched(policy, given.player, rules, given.json) as asked:
            return certify(rules, asked, method=ALL_POSITIONS)
    with rounds(given.json) as watch:
        about: dict[str, Any] = {"method": REACHABLE, "name": given.player, "watch": watch}
        return certify(rules, policy, given.positions, **about)


@contextmanager
def rounds(quiet: bool) -> Iterator[Any]:
    """What shows the rounds of a search on the terminal's error output, to be called with each."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = SpinnerColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True), disable=quiet, transient=True) as bar:
        task = bar.add_task("beginning", total=None)
        yield lambda found: bar.update(task, description=progress(found))


def progress(found: Any) -> str:
    """How far a search is, in a line."""
    done = f"{found.positions:,} positions asked about, {found.waiting:,} waiting"
    where = f"as {found.seat}, {DOING[found.phase]}, round {found.number + 1}"
    return f"{where}: {done}, {found.seconds:.0f} s"


def meet(given: Arguments) -> None:
    """Measure the player against the other one, and print."""
    from tttenv import Rules, player
    from tttenv.cli import head_to_head
    from tttenv.exact.certificate import require_pure
    from tttenv.exact.purity import tabulate_pure
    from tttenv.opponents import is_path, rules_of

    specs = (given.player, str(given.against))
    named = next(filter(is_path, specs), given.player)  # a checkpoint knows its rules
    with console.hinting(named):
        rules = Rules.of(given.rules) if given.rules else rules_of(named)
    head_to_head.require_small(rules)
    tables = []
    for spec in specs:
        with console.hinting(spec):
            policy = player(spec, rules)
        require_pure(policy)
        with watched(policy, spec, rules, given.json) as asked:
            tables.append(tabulate_pure(rules, asked, spec))
    found = head_to_head.measure(rules, *tables)
    if given.json:
        about = {"player": specs[0], "against": specs[1], "rules": str(rules)}
        print(json.dumps({**about, **found}, indent=2))
    else:
        head_to_head.show(*specs, rules, found)


@contextmanager
def watched(policy: Any, name: str, rules: Any, quiet: bool) -> Iterator[Any]:
    """The same player; where asking it, or what follows, takes long, a bar shows how far it is."""
    from tttenv.exact import Tabulated, enumerable, positions, require_solvable
    from tttenv.exact.certificate import require_pure

    one_by_one, large = getattr(policy, "one_by_one", False), not enumerable(rules)
    if not one_by_one and not large:
        yield policy
        return
    require_solvable(rules)
    require_pure(policy)
    with console.bar(quiet) as bar:
        if isinstance(policy, Tabulated):
            bar.add_task(WEIGHING, total=None)
            yield policy
            return
        asking = bar.add_task("asking about all boards", total=None)
        bar.update(asking, total=len(positions(rules).decisions))

        def asked(boards: Any) -> Any:
            import numpy as np

            found, each = [], 1 if one_by_one else len(boards)
            for i in range(0, len(boards), each):
                found.append(policy(boards[i : i + each]))
                if not bar.tasks[0].finished:
                    bar.advance(asking, each)
            if large and bar.tasks[0].finished and len(bar.tasks) == 1:  # some are asked again
                bar.add_task(WEIGHING, total=None)
            return np.concatenate(found)

        asked.__qualname__ = name  # what a complaint calls the player
        yield asked


def print_certificate(name: str, certificate: Any) -> None:
    """The certificate for people."""
    say(f"{name} on {certificate.rules}: {verdict(certificate)}")
    if certificate.reached is not None:
        _print_reached(certificate)
        return
    columns = [
        Column("", left=True),
        *(Column(head) for head in ("win %", "draw %", "loss %", "worst case")),
        Column("losing line", left=True, rank=1, below=True),
    ]
    rows = []
    for seat in ("X", "O"):
        losing = _cells(certificate.losing_line[seat]) or "nothing"
        worst = console.value(certificate.worst_case[seat])
        shares = map(console.share, certificate.vs_random[seat])
        rows.append([f"{seat} vs random", *shares, worst, losing])
        shares = map(console.share, certificate.vs_perfect[seat])
        rows.append([f"{seat} vs perfect", *shares, "", ""])
    text_tables.show(columns, rows)
    parts = {group: console.share(part) for group, part in certificate.optimal_moves.items()}
    say(
        f"optimal moves {parts['all']} % of all positions, {parts['critical']} % of the critical"
        f" ones, {parts['reached']} % of those it reaches; blunders in {certificate.blunders}"
        f" positions; value of the game {certificate.value}"
    )


def verdict(certificate: Any) -> str:
    """What a certificate says in a few words. Nobody is asked to hold a game as O that X wins."""
    never, always = certificate.never_loses, certificate.worst_case["X"] == 1
    if certificate.value == 1 and always:
        return "ALWAYS WINS as X, who wins this game under perfect play"
    if certificate.reached is None:
        return "UNBEATABLE in both seats" if certificate.unbeatable else "can be beaten"
    if never["X"] and never["O"]:
        return "NEVER LOSES in both seats"
    return ", ".join(of_seat(certificate, seat) for seat in ("X", "O"))


def of_seat(certificate: Any, seat: str) -> str:
    """The verdict of one seat, of a certificate by reachable positions."""
    never, reached = certificate.never_loses[seat], certificate.reached[seat]
    if never is None:
        return f"undecided after {reached:,} positions as {seat}"
    if never:
        always = certificate.worst_case[seat] == 1
        return f"{'always wins' if always else 'never loses'} as {seat}"
    if certificate.losing_line[seat] is None:
        return f"the other side wins by force against {seat}"
    return f"loses as {seat}"


def _print_reached(certificate: Any) -> None:
    """What a certificate by reachable positions holds, and what it cannot hold."""
    columns = [
        Column("", left=True),
        *(Column(head, group="vs random") for head in ("win %", "draw %", "loss %")),
        Column("worst case"),
        Column("positions"),
        Column("verdict", left=True, rank=1, below=True),
        Column("lost game", left=True, rank=2, below=True),
    ]
    rows = []
    for seat in ("X", "O"):
        odds, worst = certificate.vs_random[seat], certificate.worst_case[seat]
        shares = ["-"] * 3 if odds is None else [console.share(part) for part in odds]
        line, which = _cells(certificate.losing_line[seat]), certificate.shortest[seat]
        game = f"{line} ({'the shortest' if which else 'not always the shortest'})" if line else ""
        known = "-" if worst is None else console.value(worst)
        reached = f"{certificate.reached[seat]:,}"
        rows.append([seat, *shares, known, reached, of_seat(certificate, seat), game])
    text_tables.show(columns, rows)
    value = "not known" if certificate.value is None else str(certificate.value)
    say(f"by reachable positions: its own moves and every reply; value of the game {value}")
    if certificate.symmetry is not None:
        say(certificate.symmetry)
    say("unknown: results against perfect play, optimal moves, blunders: they need all positions")
    for text in _reasons(certificate):
        say(text)


def _reasons(certificate: Any) -> Iterator[str]:
    """Why fields of a certificate by reachable positions are unknown, a sentence each."""
    never, line = certificate.never_loses, certificate.losing_line
    if None in certificate.vs_random.values():
        yield (
            "unknown (-) vs random: the search ended at a lost game, or passed over positions that"
            " cannot be lost, so that not every reply was followed"
        )
    if any(certificate.worst_case[s] is None and never[s] is not None for s in ("X", "O")):
        yield "unknown (-) worst case: it mixes moves, and all that it may play were followed"
    if None in never.values():
        yield "undecided: the player can reach more positions than --positions allows"
    if any(never[s] is False and line[s] is None for s in ("X", "O")):
        yield "no lost game: none was found, but the value of the game says that there is one"


def _cells(line: list[int] | None) -> str:
    """A game, cell by cell."""
    return " ".join(map(str, line or ()))
