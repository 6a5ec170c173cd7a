"""Ranking of models by their certificates, and storage of the best model's certificate."""

from pathlib import Path

from tttenv.certificates.certificate import Certificate
from tttenv.exact import SEATS
from tttenv.game.rules import Rules
from tttenv.utils.untrusted import read_json, shown

MODEL, CERTIFICATE = "best.zip", "best.json"
UNDECIDED = -0.5  # stands in for the unknown worst case of a seat that is undecided or loses a game


def rank(certificate: Certificate) -> tuple[float, float, float]:
    """Return a sort key of three numbers to rank players of the same game.

    They are the worst case of the weaker seat, the sum of both worst cases, and the fraction of
    optimal moves. By reachable positions that fraction is unknown; it is replaced by the mean
    length of the lost games as a fraction of all cells, where a seat without a lost game counts as
    1. An unknown worst case counts as 0 if the player never loses, otherwise as halfway between a
    loss and a draw.
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
    """Load the certificate of the best model in `folder`; return None without one.

    Raises:
        ValueError: if it cannot be read or belongs to another game.
    """
    file = folder / CERTIFICATE
    if not file.exists():
        return None
    try:
        found = Certificate.from_dict(read_json(file)["certificate"])
        rank(found)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"{file} is not the certificate of a saved model: {shown(error)}"
        ) from None
    if found.rules != str(rules):
        raise ValueError(f"{folder} has a model for {shown(found.rules, 60)}, not {rules}")
    return found
