"""The order of models by their certificates, and the certificate of the best one in a folder."""

from pathlib import Path

from tttenv.certificates.certificate import Certificate
from tttenv.exact import SEATS
from tttenv.game.rules import Rules
from tttenv.utils.untrusted import read_json, shown

MODEL, CERTIFICATE = "best.zip", "best.json"
UNDECIDED = -0.5  # the worst case that a seat counts for in which nothing is known


def rank(certificate: Certificate) -> tuple[float, float, float]:
    """A key to compare players of one game by: the worst case of the weaker seat, of both, a third.

    The third is the share of optimal moves. By reachable positions it is not known: there it is the
    number of stones of the games that the player loses, as a share of all cells, a seat without
    such a game counting 1; and a worst case that is not known is 0 if the player never loses, else
    half way from a loss to a draw.
    """
    x, o = (_worst(certificate, seat) for seat in SEATS)
    value = certificate.value or 0
    third = certificate.optimal_moves["all"]
    if third is None:
        cells = Rules.of(certificate.rules).cells
        lines = [certificate.losing_line[seat] for seat in SEATS]
        third = sum(1 if line is None else len(line) / cells for line in lines) / len(lines)
    return min(x - value, o + value), x + o, third


def _worst(certificate: Certificate, seat: str) -> float:
    known = certificate.worst_case[seat]
    if known is not None:
        return known
    return 0.0 if certificate.never_loses[seat] else UNDECIDED


def stored_certificate(folder: Path, rules: Rules) -> Certificate | None:
    """The certificate of the best model stored in `folder`; None if there is none.

    Raises:
        ValueError: if it cannot be read or is of another game.
    """
    file = folder / CERTIFICATE
    if not file.exists():
        return None
    try:
        found = Certificate.from_dict(read_json(file)["certificate"])
        rank(found)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise ValueError(f"{file} is not the certificate of a kept model: {shown(error)}") from None
    if found.rules != str(rules):
        raise ValueError(f"{folder} keeps a player of {shown(found.rules, 60)}, not {rules}")
    return found
