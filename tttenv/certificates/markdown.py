"""Certificates as Markdown, for TensorBoard, other loggers and model cards."""

from typing import Any

from tttenv.certificates import phrases
from tttenv.certificates.certificate import Certificate
from tttenv.exact import SEATS
from tttenv.game.rules import Rules


def certificate_table(certificate: Certificate) -> str:
    """Return a certificate as Markdown tables: one column per seat, then the rest."""
    rules = Rules.of(certificate.rules)
    optimal, reached = certificate.optimal_moves, certificate.reached
    by_seat: dict[str, dict[str, Any]] = {
        "never loses": certificate.never_loses,
        "worst case: 0 is a draw, -1 a certain loss": {
            seat: None if worst is None else phrases.value(worst)
            for seat, worst in certificate.worst_case.items()
        },
        "win / draw / loss against random moves, %": {
            seat: odds and phrases.odds(odds) for seat, odds in certificate.vs_random.items()
        },
        "win / draw / loss against perfect play, %": {
            seat: odds and phrases.odds(odds) for seat, odds in certificate.vs_perfect.items()
        },
        "a game that it loses": {
            seat: _lost_game(rules, line, certificate.never_loses[seat])
            for seat, line in certificate.losing_line.items()
        },
    }
    if reached is not None:
        by_seat["positions that it reaches"] = {seat: f"{n:,}" for seat, n in reached.items()}
    for_both = {
        "the game's value for X under perfect play": certificate.value,
        "unbeatable": certificate.unbeatable,
        "positions where it gives value away": certificate.blunders,
        "optimal moves, all positions, %": _share(optimal["all"]),
        "optimal moves where a mistake is possible, %": _share(optimal["critical"]),
        "optimal moves on positions it reaches, %": _share(optimal["reached"]),
        "method": certificate.method,
    }
    if certificate.illegal_mass is not None:
        for_both |= {
            "probability on taken cells without a mask, %": _share(certificate.illegal_mass),
            "positions with all of it there, played at random, %": _share(certificate.only_illegal),
        }
    lines = [f"| {rules} | as X | as O |", "|-|-|-|"]
    for name, told in by_seat.items():
        lines.append(f"| {name} | {' | '.join(_told(told[seat]) for seat in SEATS)} |")
    lines += ["", "| both seats | |", "|-|-|"]
    lines += [f"| {name} | {_told(value)} |" for name, value in for_both.items()]
    return "\n".join(lines)


def _lost_game(rules: Rules, line: list[int] | None, never_loses: bool | None) -> str:
    """Return a lost game in coordinates or, if none is known, whether one may exist."""
    if line is not None:
        return phrases.lost_game(rules, line)
    return "none exists" if never_loses else "none known"


def _share(number: float | None) -> str | None:
    return None if number is None else phrases.share(number)


def _told(value: Any) -> str:
    """Format a value of a certificate."""
    if value is None:
        return "not known"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
