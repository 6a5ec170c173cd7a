"""The order of models by their certificates, and the certificate of the best one in a folder."""

from pathlib import Path

from tttenv.exact.certificate import Certificate
from tttenv.game.rules import Rules
from tttenv.untrusted import read_json, shown

MODEL, CERTIFICATE = "best.zip", "best.json"


def rank(certificate: Certificate) -> tuple[float, float, float]:
    """A key to compare players by: the worst case of the weaker seat, of both, optimal moves.

    Raises:
        ValueError: for a certificate in which one of these is not known.
    """
    worst, value = certificate.worst_case, certificate.value
    x, o, optimal = worst["X"], worst["O"], certificate.optimal_moves["all"]
    if value is None or x is None or o is None or optimal is None:
        raise ValueError("players are compared by certificates over all positions")
    return min(x - value, o + value), x + o, optimal


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
    except (OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise ValueError(f"{file} is not the certificate of a kept model: {shown(error)}") from None
    if found.rules != str(rules):
        raise ValueError(f"{folder} keeps a player of {shown(found.rules, 60)}, not {rules}")
    return found
