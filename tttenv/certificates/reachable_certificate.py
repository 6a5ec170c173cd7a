"""Certificates based on reachable positions, for boards too large to enumerate.

The results of both seats are combined by five facts. A player's worst case is at most the game's
value for its seat. A player that never loses has a worst case of at least 0; one that always wins
has 1; one that loses a game by moves that it always makes has -1. And the second player cannot
force a win in any m,n,k-game, so the value for X is 1 or 0.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tttenv.certificates import reachability, refutation
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.certificates.reachability import SeatResults, Watch
from tttenv.exact.enumeration import arrangements
from tttenv.exact.evaluation import SEATS, TOLERANCE, keeps_value
from tttenv.game.rules import Rules
from tttenv.policy import Player, ask
from tttenv.proofs.prover import known_value

if TYPE_CHECKING:
    from tttenv.certificates.search_checkpoint import SearchCheckpoint

BY_SEAT = ("vs_random", "losing_line", "never_loses", "shortest")  # fields of a certificate
ATTACKED = 20_000  # positions per seat of the best-first attack, before the full search

ValueOf: TypeAlias = Callable[[Rules], int | None]  # the game's value for X, None if unknown


def measure(
    rules: Rules,
    policy: Player,
    name: str,
    *,
    positions: int,
    value_of: ValueOf | None,
    images: bool,
    watch: Watch | None,
    checkpoint: "SearchCheckpoint | None",
) -> dict[str, Any]:
    """Compute the fields of a certificate based on reachable positions; see `certify`.

    If the limit is at least the number of positions the game may have, every reply is followed. On
    larger boards a best-first attack of up to 20,000 positions first searches for a lost game; if
    it finds one, the seat is done.
    """
    value = (value_of or known_value)(rules)
    found: dict[str, SeatResults] = {} if checkpoint is None else dict(checkpoint.finished)
    for seat in SEATS:
        if seat not in found:
            worth = None if value is None else value if seat == "X" else -value
            player = SeatedPlayer(rules, policy, seat, name)
            found[seat] = _seat(player, worth, positions, images, watch, checkpoint)
            if checkpoint is not None:
                checkpoint.finish(found[seat])
        proved = proved_value(found["X"], found.get("O"))
        value = proved if value is None else value
    x, o = found["X"], found["O"]
    return {
        "rules": str(rules),
        "value": value,
        "vs_perfect": dict.fromkeys(SEATS),
        "worst_case": worst_cases(x, o, value),
        "unbeatable": unbeatable(x, o, value),
        "optimal_moves": dict.fromkeys(("all", "critical", "reached")),
        "blunders": None,
        "reached": {seat: found[seat].positions for seat in SEATS},
        **{name: {seat: getattr(found[seat], name) for seat in SEATS} for name in BY_SEAT},
        "symmetry": x.symmetry or o.symmetry,
        "queried_twice": x.queried_twice + o.queried_twice,
        "pairing": {seat: found[seat].pairing for seat in SEATS} if policy.traits.pairs else None,
    }


def _seat(
    player: SeatedPlayer,
    worth: int | None,
    positions: int,
    images: bool,
    watch: Watch | None,
    checkpoint: "SearchCheckpoint | None",
) -> SeatResults:
    """Compute the results for a seat whose game value under perfect play is `worth`."""
    too_many, attacked = arrangements(player.rules) > positions, 0
    start = None if checkpoint is None else checkpoint.state
    if too_many and start is None:  # else the attack has found nothing
        # If the other side can force a win, any lost game will do.
        attack = refutation.search(player, min(ATTACKED, positions), watch, shorten=worth != -1)
        attacked = attack.positions
        if attack.losing_line is not None:
            return replace(attack, loss_chance=_chance(player, attack.losing_line))
    if too_many and worth == -1:  # the other side can force a win, though no game was found
        return SeatResults(attacked, never_loses=False, always_wins=False)
    options = reachability.SearchOptions(
        positions,
        followed=reachability.FOLLOWED if too_many else positions,
        may_always_win=worth is None or worth == 1,
        images=images,
    )
    keep = None if checkpoint is None else checkpoint.keep
    found = reachability.search(player, options, watch, start, keep)
    line = found.losing_line
    return found if line is None else replace(found, loss_chance=_chance(player, line))


def _chance(player: SeatedPlayer, line: list[int]) -> float:
    """Return the probability with which the player plays its moves of a game."""
    boards, own = player.own_moves(line)
    probs = ask(boards, player.policy)[: len(own)]
    certain = np.count_nonzero(probs, axis=1) == 1  # up to rounding
    return float(np.where(certain, 1.0, probs[range(len(own)), own]).prod())


def proved_value(x: SeatResults, o: SeatResults | None) -> int | None:
    """Return the game's value for X if the results prove it; `o` is None if not yet searched."""
    if x.always_wins:
        return 1
    return 0 if o is not None and o.never_loses else None


def worst_cases(x: SeatResults, o: SeatResults, value: int | None) -> dict[str, float | None]:
    """Return the value against a best response by seat, if known, from the game's value for X."""
    return {"X": _worst_case(x, value), "O": _worst_case(o, None if value is None else -value)}


def _worst_case(result: SeatResults, worth: int | None) -> float | None:
    """Return the value against a best response, if known; `worth` is the game's for the seat."""
    if result.always_wins:
        return 1.0
    if result.loss_chance == 1 or worth == -1:
        return -1.0
    if result.never_loses and (worth == 0 or (result.one_move and result.always_wins is False)):
        return 0.0
    return None


def unbeatable(x: SeatResults, o: SeatResults, value: int | None) -> bool | None:
    """Return whether the worst case is the game's value in both seats; None if unknown."""
    possible = set()
    for each in (0, 1) if value is None else (value,):
        worst = worst_cases(x, o, each)
        if each == 1 and x.loss_chance > TOLERANCE:  # the lost game bounds the worst case
            worst["X"] = 1 - 2 * x.loss_chance
        possible.add(keeps_value(each, worst))
    return possible.pop() if len(possible) == 1 else None
