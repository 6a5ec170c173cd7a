"""The certificate as numbers by tag."""

from tttenv.exact.certificate import Certificate, certify
from tttenv.game.rules import Rules
from tttenv.policy import Policy

OUTCOMES = ("win", "draw", "loss")


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """The numbers of the certificate of `policy` by tag."""
    return flat(certify(rules, policy))


def flat(certificate: Certificate) -> dict[str, float]:
    """A certificate's numbers by tag, such as `exact/worst_case_O` or `exact/win_vs_random_X`."""
    tags: dict[str, float] = {
        "exact/unbeatable": float(certificate.unbeatable),
        "exact/blunders": float(certificate.blunders),
    }
    for seat, value in certificate.worst_case.items():
        tags[f"exact/worst_case_{seat}"] = value
    for other in ("random", "perfect"):
        for seat, odds in getattr(certificate, f"vs_{other}").items():
            for outcome, share in zip(OUTCOMES, odds, strict=True):
                tags[f"exact/{outcome}_vs_{other}_{seat}"] = share
    for group, share in certificate.optimal_moves.items():
        tags["exact/optimal_moves" + ("" if group == "all" else f"_{group}")] = share
    return tags
