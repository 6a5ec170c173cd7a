"""Certificates stated in untrusted checkpoint cards."""

from collections.abc import Mapping
from typing import Any

from tttenv.certificates.certificate import METHODS, REACHABLE, Certificate
from tttenv.exact import SEATS
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules
from tttenv.utils import schema

ROUNDING = 1e-9  # of a mean of probabilities


def stated_certificate(card: Mapping[str, Any], rules: Rules) -> Certificate | None:
    """Return the certificate of an untrusted card, or None if it has no valid one."""
    try:
        schema.checked(Certificate, card["certificate"])
        found = Certificate.from_dict(dict(card["certificate"]))
        return found if _is_usual(found, rules) else None
    except (TypeError, ValueError, AttributeError, KeyError):  # invalid contents
        return None


def _is_usual(found: Certificate, rules: Rules) -> bool:
    """Return whether a certificate has values in the right ranges and valid lost games."""
    by_seat: list[Any] = [found.vs_random, found.vs_perfect, found.worst_case, found.losing_line]
    by_seat += [found.never_loses, found.shortest]
    by_seat += [found.reached] if found.method == REACHABLE or found.reached is not None else []
    optimal = found.optimal_moves
    shares = (*optimal.values(), found.illegal_mass, found.only_illegal)
    return (
        found.rules == str(rules)
        and found.method in METHODS
        and (found.value is None or found.value in (-1, 0, 1))
        and (found.blunders is None or _within(found.blunders, 0, schema.LARGEST))
        and set(optimal) == {"all", "critical", "reached"}
        and all(share is None or _within(share, 0, 1 + ROUNDING) for share in shares)
        and all(set(part) == set(SEATS) for part in by_seat)
        and all(_seat_is_usual(found, seat, rules) for seat in SEATS)
    )


def _seat_is_usual(found: Certificate, seat: str, rules: Rules) -> bool:
    never, line = found.never_loses[seat], found.losing_line[seat]
    worst, reached = found.worst_case[seat], (found.reached or {}).get(seat, 0)
    return (
        (line is None or (never is False and _is_lost(rules, seat, line)))
        and all(_are_odds(part[seat]) for part in (found.vs_random, found.vs_perfect))
        and (worst is None or _within(worst, -1, 1))
        and _within(reached, 0, schema.LARGEST)
    )


def _are_odds(odds: list[float] | None) -> bool:
    return odds is None or (len(odds) == 3 and all(_within(part, 0, 1) for part in odds))


def _within(number: object, least: float, most: float) -> bool:
    return isinstance(number, int | float) and least <= number <= most


def _is_lost(rules: Rules, seat: str, line: list[int]) -> bool:
    """Return whether `line`, played from the empty board, is a legal game that `seat` loses."""
    board = rules.start()
    for cell in line:
        numbered = isinstance(cell, int) and not isinstance(cell, bool) and 0 <= cell < rules.cells
        if not numbered or bool(rules.over(board)) or not bool(rules.legal(board)[cell]):
            return False
        board = rules.play(board, cell)
    lost = Outcome.LOSS if SEATS[len(line) % 2] == seat else Outcome.WIN  # for the side to move
    return bool(rules.outcomes(board) == lost)
