"""The exact certificate of any player: `python scripts/certify.py minimax`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tttenv.cli import console, text_tables
from tttenv.cli.text_tables import Column, say

PROG = "certify.py"
WEIGHING = "playing out every game"


@dataclass(frozen=True)
class Arguments:
    """Certify a player: how it fares from both seats, exactly, over all positions.

    A player is a name with options, like minimax:ties=first, a trained player like selfplay, or
    the folder of a checkpoint; quote it where it has parentheses. With --against it is measured
    against one other player instead.

    On boards too large for that, --sampled plays games instead.
    """

    player: console.Player  # name[:option=value,...] or a checkpoint's folder
    rules: str | None = None  # m,n,k; 3,3,3 or what the checkpoint was trained for
    against: str | None = None  # another player: the exact results of all games between the two
    json: bool = False  # print the certificate as JSON
    sampled: bool = False  # play games against random and tactical instead
    games: int = 1000  # with --sampled: how many from each seat
    seed: int = 0  # with --sampled: of all dice


def main(args: list[str], prog: str = PROG) -> None:
    """Certify and print.

    Args:
        args: what was typed after the command's name.
        prog: the command's name, for its help and messages.
    """
    given = console.parse(Arguments, prog, args, description=_description())
    console.check_seed(given.seed)
    if not given.sampled and given.games != Arguments.games:
        raise ValueError("--games go with --sampled: certificates need none")
    if given.against is not None:
        if given.sampled:
            raise ValueError("--against is exact: it goes without --sampled")
        meet(given)
        return
    from tttenv import Rules, certify, player
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
    with watched(policy, given.player, rules, given.json) as asked:
        certificate = certify(rules, asked)
    hidden = getattr(policy, "illegal_mass", None)
    if given.json:
        more = {} if hidden is None else {"illegal_mass": hidden}
        print(json.dumps({"player": given.player, **certificate.to_dict(), **more}, indent=2))
        return
    print_certificate(given.player, certificate)
    if hidden is not None:
        say(f"without a mask it puts {console.share(hidden)} % of its chances on taken cells")


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


def _description() -> str:
    from inspect import cleandoc

    from tttenv import shipped
    from tttenv.opponents import FOREIGN, OPPONENTS

    rows = OPPONENTS.rows | FOREIGN.rows
    known = "\n".join(f"  {name:<12}{row.about}" for name, row in rows.items())
    trained = f"Trained players: {', '.join(shipped.names())}."
    return f"{cleandoc(Arguments.__doc__ or '')}\n\nPlayers by name:\n{known}\n\n{trained}"


def print_certificate(name: str, certificate: Any) -> None:
    """The certificate for people."""
    columns = [
        Column("", left=True),
        *(Column(head) for head in ("win %", "draw %", "loss %", "worst case")),
        Column("losing line", left=True, rank=1, below=True),
    ]
    rows = []
    for seat in ("X", "O"):
        line = certificate.losing_line[seat]
        losing = "nothing" if line is None else " ".join(map(str, line))
        worst = console.value(certificate.worst_case[seat])
        shares = map(console.share, certificate.vs_random[seat])
        rows.append([f"{seat} vs random", *shares, worst, losing])
        shares = map(console.share, certificate.vs_perfect[seat])
        rows.append([f"{seat} vs perfect", *shares, "", ""])
    verdict = "UNBEATABLE in both seats" if certificate.unbeatable else "can be beaten"
    say(f"{name} on {certificate.rules}: {verdict}")
    text_tables.show(columns, rows)
    parts = {group: console.share(part) for group, part in certificate.optimal_moves.items()}
    say(
        f"optimal moves {parts['all']} % of all positions, {parts['critical']} % of the critical"
        f" ones, {parts['reached']} % of those it reaches; blunders in {certificate.blunders}"
        f" positions; value of the game {certificate.value}"
    )
