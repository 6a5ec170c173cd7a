"""What of a certificate can be exact on a board whose positions cannot be listed."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from tttenv.exact import reachability, refutation, seat_results
from tttenv.exact.enumeration import arrangements
from tttenv.exact.evaluation import SEATS
from tttenv.exact.purity import ask
from tttenv.exact.reachability import Round
from tttenv.exact.seat_results import SeatResult
from tttenv.exact.seated_player import SeatedPlayer
from tttenv.game.rules import Rules
from tttenv.policy import Policy

ATTACKED = 20_000  # positions of each seat that are searched attack first, before all others

ValueOf: TypeAlias = Callable[[Rules], int | None]  # the game's value for X, None if unknown
Watch: TypeAlias = Callable[[Round], None]


def measure(
    rules: Rules,
    policy: Policy,
    name: str,
    *,
    positions: int,
    value_of: ValueOf,
    images: bool = True,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """The fields of a certificate by the positions that the player can reach.

    Where as many positions are allowed as the game may have, every reply is followed. On larger
    boards a lost game is first searched attack first; if one is found, the seat is done.

    Args:
        rules: the game.
        policy: the player.
        name: what messages call it.
        positions: how many it may be asked about in each seat.
        value_of: the game's value, where it is known.
        images: as in `reachability.search`.
        watch: called before every question.

    Raises:
        ValueError: as `reachability.search`.
    """
    value = value_of(rules)
    found: dict[str, SeatResult] = {}
    for seat in SEATS:
        worth = None if value is None else value if seat == "X" else -value
        found[seat] = _seat(
            SeatedPlayer(rules, policy, seat, name), worth, positions, images, watch
        )
        proved = seat_results.proved_value(found["X"], found.get("O"))
        value = proved if value is None else value
    x, o = found["X"], found["O"]
    worst = {
        "X": seat_results.worst_case(x, value),
        "O": seat_results.worst_case(o, None if value is None else -value),
    }
    nothing = dict.fromkeys(SEATS)
    return {
        "rules": str(rules),
        "value": value,
        "vs_random": {seat: found[seat].vs_random for seat in SEATS},
        "vs_perfect": nothing,
        "worst_case": worst,
        "unbeatable": seat_results.unbeatable(x, o, value),
        "optimal_moves": dict.fromkeys(("all", "critical", "reached")),
        "blunders": None,
        "losing_line": {seat: found[seat].losing_line for seat in SEATS},
        "reached": {seat: found[seat].reached for seat in SEATS},
        "never_loses": {seat: found[seat].never_loses for seat in SEATS},
        "shortest": {seat: found[seat].shortest for seat in SEATS},
        "symmetry": x.symmetry or o.symmetry,
    }


def _seat(
    player: SeatedPlayer, worth: int | None, positions: int, images: bool, watch: Watch | None
) -> SeatResult:
    """What is known of the player in its seat, which is worth so much under perfect play."""
    past, attacked = arrangements(player.rules) > positions, 0
    if past:
        line, attacked = refutation.search(player, min(ATTACKED, positions))
        if line is not None:
            return SeatResult(
                never_loses=False,
                always_wins=False,
                surely_lost=_always_played(player, line),
                one_move=False,
                reached=attacked,
                losing_line=line,
                shortest=False,
            )
    if past and worth == -1:  # the other side wins by force
        return SeatResult(False, False, surely_lost=True, one_move=False, reached=attacked)
    options = reachability.Options(
        positions=positions,
        followed=reachability.FOLLOWED if past else positions,
        may_always_win=worth is None or worth == 1,
        images=images,
    )
    found = reachability.search(player, options, watch)
    line = found.losing_line
    return SeatResult(
        never_loses=found.never_loses,
        always_wins=found.always_wins,
        surely_lost=line is not None and (found.one_move or _always_played(player, line)),
        one_move=found.one_move,
        reached=found.positions,
        losing_line=line,
        shortest=None if line is None else True,
        vs_random=found.vs_random,
        symmetry=found.symmetry,
    )


def _always_played(player: SeatedPlayer, line: list[int]) -> bool:
    """Whether the player plays its moves of a game with certainty."""
    board, boards = player.rules.start(), []
    for stones, cell in enumerate(line):
        if SEATS[stones % 2] == player.seat:
            boards.append(board)
        board = player.rules.play(board, cell)
    own = line[SEATS.index(player.seat) :: 2]
    probs = ask(np.array(boards), player.policy)
    return bool((np.count_nonzero(probs, axis=1) == 1).all() and probs[range(len(own)), own].all())
