"""Metrics of a player, shown in certificates, TensorBoard and cards: one row each, of any board.

The tags of exact metrics begin with `exact/`, like `exact/worst_case_O`; those of sampled metrics
begin with `sampled/`. A row of `METRICS` is all that a new metric needs: one with a title and a
function `measure` is a part of every certificate over all positions: of its JSON, its tables, the
report's leaderboard and, with its description, TensorBoard.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tttenv.certificates import phrases
from tttenv.exact import SEATS, Score, Tabulated, positions, score, solve, tabulate
from tttenv.game.rewards import RESULTS
from tttenv.game.rules import Rules
from tttenv.policy import Policy, player_for

POSITIONS = 500  # of an attack, per seat
EXACT = "Exact: over all positions, not sampled."
YES = ("no", "yes")
PLACES = {"seat": "[XO]", "result": "win|draw|loss", "ply": r"\d+", "other": r"\w+"}


@dataclass(frozen=True)
class Metric:
    """A metric: how it is measured and shown."""

    tag: str  # `{seat}`, `{result}`, `{ply}` and `{other}` stand for several values
    about: str  # what it is; it may name the places of the tag
    title: str = ""  # the head of its row in a certificate; empty if it has none
    field: str = "more"  # of a certificate; after a dot the key, else it is by seat or alone
    write: Callable[[Any], str] = "{:,}".format  # formats the field
    # Computes it from the rules and a player (a table, if enumerable): a number or, for tags with
    # places, numbers by tag.
    measure: Callable[[Rules, Any], float | dict[str, float]] | None = None
    larger: bool = False  # only measured on boards too large to enumerate
    reachable: bool = False  # only known from a certificate over reachable positions
    if_known: bool = False  # left out of tables where it is unknown

    def of(self, certificate: Any, seat: str = "") -> Any:
        """Return the field of a certificate; None if unknown."""
        name, _, key = self.field.partition(".")
        found = getattr(certificate, name)
        if name == "more":
            return (found or {}).get(self.tag.format(seat=seat))
        return found[key or seat] if isinstance(found, dict) else found

    @property
    def seats(self) -> Sequence[str]:
        """The seats that have a number each, or an empty string."""
        return SEATS if "{seat}" in self.tag else ("",)

    def measured(self, rules: Rules, policy: Any) -> dict[str, float]:
        """Return the numbers that its function computes, by tag."""
        found = {} if self.measure is None else self.measure(rules, policy)
        return found if isinstance(found, dict) else {self.tag: float(found)}


def versus(rules: Rules, policy: Policy, other: Policy) -> dict[str, Score]:
    """Compute the exact results of `policy` against `other`, by the seat of `policy`.

    Args:
        rules: a game of up to 16 cells.
        policy: a player, or a function of boards (batch, cells).
        other: the same of the other side.

    Returns:
        The probabilities of a win, a draw and a loss of `policy`, as "X" and as "O".
    """
    as_o = score(rules, other, policy)
    return {"X": score(rules, policy, other), "O": Score(as_o.loss, as_o.draw, as_o.win)}


def accuracy(rules: Rules, policy: Policy) -> dict[str, float]:
    """Compute the mean probability on optimal moves by ply: `exact/optimal_moves_ply_4` etc.

    Args:
        rules: a game of up to 16 cells.
        policy: a player, or a function of boards (batch, cells).

    Returns:
        A number by tag for each ply with undecided positions.
    """
    game, table = positions(rules), tabulate(rules, policy).table
    share = (table * solve(rules).optimal).sum(axis=1)
    stones = np.count_nonzero(game.boards, axis=1)
    return {
        f"exact/optimal_moves_ply_{ply}": float(np.mean(share[(stones == ply) & ~game.over]))
        for ply in np.unique(stones[game.decisions]).tolist()
    }


def losing_leaves(rules: Rules, policy: Policy) -> dict[str, float]:
    """Count lost positions among an attack's first 500, unless the player is limited by time.

    Args:
        rules: any game that is won by lines.
        policy: a player, or a function of boards (batch, cells).

    Returns:
        The count by tag for each seat; none for a player that depends on time or sampling.
    """
    from tttenv.certificates import refutation

    player = player_for(rules, policy)
    seats = SEATS if player.traits.depends_on is None else ()
    counts = {seat: refutation.losing_leaves(rules, player, seat, POSITIONS)[0] for seat in seats}
    return {f"exact/losing_leaves_{seat}": float(count) for seat, count in counts.items()}


def _sampled_games(rules: Rules, policy: Policy) -> dict[str, float]:
    from tttenv.certificates.metrics import arena

    return arena.measure(rules, policy)


METRICS = (
    Metric(
        "exact/unbeatable",
        f"1 if the worst case of both seats is the game's value. {EXACT}",
        *("unbeatable", "unbeatable", YES.__getitem__),
    ),
    Metric(
        "exact/worst_case_{seat}",
        "The value as {seat} against the opponent that hurts most: 0 is a draw, -1 a certain loss."
        f" {EXACT}",
        *("worst case (-1: always beaten)", "worst_case", phrases.value),
    ),
    Metric(
        "exact/never_loses_{seat}",
        "1 if no replies beat it as {seat}, 0 if some do; no point where that is undecided.",
        *("never loses", "never_loses", YES.__getitem__),
        reachable=True,
    ),
    Metric(
        "exact/{result}_vs_random_{seat}",
        f"The probability of a {{result}} as {{seat}} against uniform random moves. {EXACT}",
        *("win / draw / loss vs random, %", "vs_random", phrases.odds),
    ),
    Metric(
        "exact/{result}_vs_perfect_{seat}",
        f"The probability of a {{result}} as {{seat}} against evenly mixed perfect moves. {EXACT}",
        *("win / draw / loss vs perfect, %", "vs_perfect", phrases.odds),
    ),
    Metric(
        "exact/reached_{seat}",
        "Positions in which it had to move as {seat} for the certificate.",
        # 0 for a seat that it does not play, and where a proof takes the place of the search.
        *("positions that it reaches", "reached", lambda count: f"{count:,}" if count else ""),
        reachable=True,
        if_known=True,
    ),
    Metric(
        "exact/losing_line_{seat}",
        "The stones of a game that it loses as {seat}.",
        field="losing_line",
        reachable=True,
    ),
    Metric(
        "exact/blunders",
        f"Positions in which it may give a win or a draw away. {EXACT}",
        *("positions where it gives value away", "blunders"),
    ),
    Metric(
        "exact/optimal_moves",
        f"The mean probability of its optimal moves, all positions. {EXACT}",
        *("optimal moves, all positions, %", "optimal_moves.all", phrases.share),
    ),
    Metric(
        "exact/optimal_moves_critical",
        "The same over the positions in which a move can lose value.",
        *("optimal moves where a mistake is possible, %", "optimal_moves.critical", phrases.share),
    ),
    Metric(
        "exact/optimal_moves_reached",
        "The same over the positions that it gets into, whatever the other side plays.",
        *("optimal moves on positions it reaches, %", "optimal_moves.reached", phrases.share),
    ),
    Metric(
        "exact/illegal_mass",
        "The mean probability on taken cells without a mask.",
        *("probability on taken cells without a mask, %", "illegal_mass", phrases.share),
        if_known=True,
    ),
    Metric(
        "exact/only_illegal",
        "The share of positions on which all of it is on taken cells, so that it plays at random.",
        *("positions with all of it there, played at random, %", "only_illegal", phrases.share),
        if_known=True,
    ),
    Metric(
        "exact/optimal_moves_ply_{ply}",
        "The mean probability of its optimal moves over the positions with {ply} stones.",
        measure=accuracy,
    ),
    Metric(
        "exact/losing_leaves_{seat}",
        "Lost games among the first 500 positions of an attack on it as {seat}.",
        measure=losing_leaves,
        larger=True,
    ),
    Metric(
        "sampled/value_vs_{other}_{seat}",
        "The mean result as {seat} against the player {other}, in sampled games.",
        measure=_sampled_games,
        larger=True,
    ),
    Metric(
        "sampled/margin_vs_{other}_{seat}",
        "Half the width of the 95 % confidence interval of the value as {seat} against the player"
        " {other}.",  # measured with the value
    ),
)


def stated(rules: Rules, table: Tabulated) -> dict[str, float] | None:
    """Compute the numbers of a certificate that are none of its fields, by tag, if any.

    Args:
        rules: a game of up to 16 cells.
        table: the player.

    Returns:
        The numbers by tag; None if there are none.
    """
    found: dict[str, float] = {}
    for metric in (metric for metric in METRICS if metric.title):
        found |= metric.measured(rules, table)
    return found or None


def flat(certificate: Any) -> dict[str, float]:
    """Return a certificate's known numbers by tag: `exact/worst_case_O` etc."""
    tags: dict[str, float | None] = {}
    for metric in METRICS:
        if metric.field == "more" or (metric.reachable and certificate.reached is None):
            continue
        for seat in metric.seats:
            found = metric.of(certificate, seat)
            if "{result}" in metric.tag:
                for result, share in zip(RESULTS, found or [None] * 3, strict=True):
                    tags[metric.tag.format(result=result, seat=seat)] = share
            else:
                number = len(found) if isinstance(found, list) else found  # stones of a game
                tags[metric.tag.format(seat=seat)] = number
    more = {tag: number for tag, number in (certificate.more or {}).items() if description(tag)}
    return more | {tag: float(number) for tag, number in tags.items() if number is not None}


def description(tag: str) -> str:
    """Return what the number under a tag is, or an empty string for an unknown tag."""
    for metric in METRICS:
        pattern = metric.tag.format(**{name: f"(?P<{name}>{p})" for name, p in PLACES.items()})
        if found := re.fullmatch(pattern, tag):
            return metric.about.format(**found.groupdict())
    return ""


def more_of(certificate: Mapping[str, Any]) -> list[tuple[str, str, float]]:
    """Return the title, text and number of what a certificate's JSON has besides its fields."""
    more = certificate.get("more", {})
    found = []
    for metric in (metric for metric in METRICS if metric.title and metric.field == "more"):
        for seat in metric.seats:
            if (number := more.get(metric.tag.format(seat=seat))) is not None:
                found.append((f"{metric.title} {seat}".strip(), metric.write(number), number))
    return found
