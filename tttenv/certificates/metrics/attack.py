"""Number of lost positions among the first that an attack queries, on boards of any size."""

from tttenv.certificates.refutation import losing_leaves
from tttenv.exact import SEATS
from tttenv.game.rules import Rules
from tttenv.policy import Policy, player_for

POSITIONS = 500  # per seat


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """Count lost positions among an attack's first 500: `exact/losing_leaves_X` and `_O`.

    A position counts as lost if it is the player's turn and one of its moves lets the opponent win
    with the next stone. The 500 positions are the first that the search of `tttenv.refute` queries,
    best attack first; it continues after a lost game, but not below a lost position. The number is
    exact but depends on the order of the search, and is not the number of all lost positions: 0
    does not prove that the player never loses. Any number above 0 proves that it loses a game.

    It is not defined for players limited by time.
    """
    player = player_for(rules, policy)
    if player.traits.depends_on is not None:
        return {}
    counts = {seat: losing_leaves(rules, player, seat, POSITIONS)[0] for seat in SEATS}
    return {f"exact/losing_leaves_{seat}": float(count) for seat, count in counts.items()}
