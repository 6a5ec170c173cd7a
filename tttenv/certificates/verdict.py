"""What a certificate says, as one value that is shown as text, Markdown and HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tttenv.certificates import phrases
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.metric_table import METRICS
from tttenv.exact import SEATS
from tttenv.game.rules import Rules

UNKNOWN = "not known"
ABSENT = "does not play"  # in a seat that is not the player's
UNDECIDED = (
    "undecided: its next moves would reach more positions than --positions allows; allow more, let"
    " a trained player answer by pairs (pairing=true), or play games (--sampled)"
)
NO_ODDS = {  # why they are unknown, by whether the player never loses
    None: "the search ended at the limit of positions",
    True: "the search passed over positions that cannot be lost",
    False: "the search for a lost game went no further",
}
NO_WORST_CASE = {
    None: NO_ODDS[None],
    True: "the search did not decide whether it always wins",
    False: "the moves that it mixes were followed without weighing",
}


@dataclass(frozen=True)
class Verdict:
    """What a certificate says."""

    rules: Rules
    headline: str  # whether and how the player can be beaten, in a few words
    good: bool  # whether it cannot, as far as the game allows
    by_seat: list[tuple[str, str | None, str | None]]  # title, text as X and as O; None: unknown
    games: dict[str, str]  # by seat, a game that it loses or whether one exists
    overall: list[tuple[str, str | None]]  # title and text; None: unknown
    notes: list[str]  # sentences on how the results were found
    unknown: list[str]  # sentences on what is not known, and why


def verdict(certificate: Certificate) -> Verdict:
    """Return what a certificate says."""
    rules = Rules.of(certificate.rules)
    value = None if certificate.value is None else str(certificate.value)
    by_seat: list[Any] = []
    overall: list[Any] = [("value of the game for X", value)]
    for metric in (metric for metric in METRICS if metric.title):
        found = [metric.of(certificate, seat) for seat in metric.seats]
        texts = [None if number is None else metric.write(number) for number in found]
        if any(texts) or not metric.if_known:
            (overall if metric.seats == ("",) else by_seat).append((metric.title, *texts))
    games = {seat: _lost_game(certificate, rules, seat) for seat in SEATS}
    notes, unknown = [*_notes(certificate)], [*_unknown(certificate)]
    return Verdict(rules, *_headline(certificate, rules), by_seat, games, overall, notes, unknown)


def _headline(certificate: Certificate, rules: Rules) -> tuple[str, bool]:
    """Summarize a certificate, and return whether it is good; if X wins, O is not judged."""
    never = certificate.never_loses
    by_seat = ", ".join(f"{of_seat(certificate, seat)} as {seat}" for seat in SEATS)
    if ABSENT in by_seat:
        return by_seat, False not in never.values()
    if of_seat(certificate, "X") == "always wins":
        return "ALWAYS WINS as X, who wins this game under perfect play", True
    if certificate.reached is None:
        if certificate.unbeatable:
            return "UNBEATABLE in both seats", True
    elif never["X"] and never["O"]:
        return "NEVER LOSES in both seats", True
    elif None in never.values():
        return by_seat, False
    lost_anyway = {1: "O", -1: "X"}.get(certificate.value or 0)
    beaten = [seat for seat in SEATS if not never[seat] and seat != lost_anyway]
    if not beaten:
        return "does not always win a game that X wins", False
    parts = []
    for seat in beaten:
        if (line := certificate.losing_line[seat]) is None:
            parts.append(f"as {seat}")
            continue
        how = "by no legal answer after" if phrases.forfeited(rules, line) else "in"
        parts.append(f"as {seat} {how} {len(line)} stone{'s' * (len(line) != 1)}")
    return f"can be beaten: {', '.join(parts)}", False


def of_seat(certificate: Certificate, seat: str) -> str:
    """Return the verdict of a certificate on one seat."""
    never, worst = certificate.never_loses[seat], certificate.worst_case[seat]
    if never is None:
        positions = (certificate.reached or {}).get(seat, 0)
        return f"undecided after {positions:,} positions" if positions else ABSENT
    if never:
        return "always wins" if (worst or 0) > 1 - phrases.ROUNDING else "never loses"
    return "loses by force" if certificate.losing_line[seat] is None else "loses"


def _lost_game(certificate: Certificate, rules: Rules, seat: str) -> str:
    """Return a lost game in coordinates or, if none is known, whether one may exist."""
    line = certificate.losing_line[seat]
    if of_seat(certificate, seat) == ABSENT:
        return f"none, it does not play {seat}"
    if line is None:
        return "none exists" if certificate.never_loses[seat] else "none known"
    longer = "" if certificate.shortest[seat] is not False else " (perhaps not the shortest)"
    return phrases.lost_game(rules, line) + longer


def _notes(certificate: Certificate) -> Iterator[str]:
    never, line = certificate.never_loses, certificate.losing_line
    if certificate.reached is not None:
        yield "by reachable positions: its own moves and every reply"
        if certificate.symmetry is not None:
            yield certificate.symmetry
        if any("undecided" in of_seat(certificate, seat) for seat in SEATS):
            yield UNDECIDED
        if any(never[seat] is False and line[seat] is None for seat in SEATS):
            yield "no lost game was found, but by the value of the game there is one"
    elif certificate.blunders and certificate.unbeatable:
        reached = (certificate.optimal_moves["reached"] or 0) <= 1 - phrases.ROUNDING
        after = "reach one only after a mistake of the other side" if reached else "never reach one"
        yield f"blunders: its own moves {after}"
    if certificate.pairing and any(certificate.pairing.values()):
        yield "positions from which it answers by pairs were not followed: it cannot lose there"
    if certificate.queried_twice:
        again = f"{certificate.queried_twice:,} boards"
        yield f"{again} were queried twice, in different batches, and answered the same way"


def _unknown(certificate: Certificate) -> Iterator[str]:
    if certificate.reached is not None:
        yield "results against perfect play, optimal moves and blunders, which need all positions"
    for what, found, reasons in (
        ("results against random play", certificate.vs_random, NO_ODDS),
        ("the worst case", certificate.worst_case, NO_WORST_CASE),
    ):
        for never, why in reasons.items():
            seats = [s for s in SEATS if found[s] is None and certificate.never_loses[s] is never]
            seats = [s for s in seats if of_seat(certificate, s) != ABSENT]
            if seats:
                yield f"{what} as {' and '.join(seats)}, because {why}"


def certificate_table(certificate: Certificate) -> str:
    """Return a certificate as Markdown tables: one column per seat, then the rest."""
    found = verdict(certificate)
    by_seat = [*found.by_seat, ("a game that it loses", *found.games.values())]
    overall = [*found.overall, ("method", certificate.method)]
    lines = [f"| {found.rules} | as X | as O |", "|-|-|-|"]
    for title, *texts in by_seat:
        lines.append(f"| {title} | {' | '.join(text or UNKNOWN for text in texts)} |")
    lines += ["", "| both seats | |", "|-|-|"]
    lines += [f"| {title} | {text or UNKNOWN} |" for title, text in overall]
    return "\n".join(lines)
