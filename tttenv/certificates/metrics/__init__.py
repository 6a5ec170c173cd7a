"""Metrics of a player, shown in TensorBoard and cards; each has one file and one table row.

A metric is a function (rules, policy) -> numbers by tag. The tags of exact metrics begin with
`exact/`, like `exact/worst_case_O`; those of sampled metrics begin with `sampled/` and come with
the half width of their confidence interval. Metrics of an attack are exact counts too, but over
only some of the positions that a player can reach.
"""

from collections.abc import Callable

from tttenv.exact import enumerable, tabulate
from tttenv.game.rules import Rules
from tttenv.policy import Policy
from tttenv.utils.registry import Row, Table

# To add a metric, write a file with a function `measure` here and add a row to one of these.
EXACT: Table[Callable[[Rules, Policy], dict[str, float]]] = Table(
    "metric",
    {
        "certificate": Row(
            "tttenv.certificates.metrics.certificate:measure", "the certificate, as numbers"
        ),
        "versus": Row(
            "tttenv.certificates.metrics.versus:measure", "exact results against named players"
        ),
        "accuracy": Row(
            "tttenv.certificates.metrics.accuracy:measure", "optimal-move share, ply by ply"
        ),
    },
)
SAMPLED: Table[Callable[[Rules, Policy], dict[str, float]]] = Table(
    "metric",
    {
        "arena": Row(
            "tttenv.certificates.metrics.arena:measure",
            "sampled games, for boards too large to solve",
        )
    },
)
ATTACKED: Table[Callable[[Rules, Policy], dict[str, float]]] = Table(
    "metric",
    {
        "attack": Row(
            "tttenv.certificates.metrics.attack:measure",
            "lost positions among the first of an attack",
        )
    },
)


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """Compute all exact metrics if the game is enumerable, else all sampled and attack metrics."""
    small = enumerable(rules)
    tables, asked = ([EXACT], tabulate(rules, policy)) if small else ([SAMPLED, ATTACKED], policy)
    found: dict[str, float] = {}
    for table in tables:
        for name in table:
            found |= table.load(name)(rules, asked)
    return found
