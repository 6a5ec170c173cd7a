"""Numbers of a certificate, by tag."""

from tttenv.certificates.certificate import Certificate, certify
from tttenv.game.rewards import RESULTS
from tttenv.game.rules import Rules
from tttenv.policy import Policy


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """Return the numbers of the certificate of `policy` by tag."""
    return flat(certify(rules, policy))


def flat(certificate: Certificate) -> dict[str, float]:
    """Return a certificate's numbers by tag: `exact/worst_case_O`, `exact/win_vs_random_X` etc.

    Unknown numbers have no tag. By reachable positions there are also `exact/reached_X`,
    `exact/never_loses_X` and `exact/losing_line_X`, the length of the lost game.
    """
    tags: dict[str, float | None] = {
        "exact/unbeatable": certificate.unbeatable,
        "exact/blunders": certificate.blunders,
        "exact/illegal_mass": certificate.illegal_mass,
        "exact/only_illegal": certificate.only_illegal,
    }
    for seat, value in certificate.worst_case.items():
        tags[f"exact/worst_case_{seat}"] = value
    for other in ("random", "perfect"):
        for seat, odds in getattr(certificate, f"vs_{other}").items():
            for result, share in zip(RESULTS, odds or [None] * 3, strict=True):
                tags[f"exact/{result}_vs_{other}_{seat}"] = share
    for group, share in certificate.optimal_moves.items():
        tags["exact/optimal_moves" + ("" if group == "all" else f"_{group}")] = share
    for seat, reached in (certificate.reached or {}).items():
        line = certificate.losing_line[seat]
        tags[f"exact/reached_{seat}"] = reached
        tags[f"exact/never_loses_{seat}"] = certificate.never_loses[seat]
        tags[f"exact/losing_line_{seat}"] = None if line is None else len(line)
    return {tag: float(number) for tag, number in tags.items() if number is not None}
