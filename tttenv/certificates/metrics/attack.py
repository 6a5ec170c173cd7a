"""How often a player has lost among the first positions of an attack, on boards of any size."""

from tttenv.certificates.refutation import losing_leaves
from tttenv.exact import SEATS
from tttenv.game.rules import Rules
from tttenv.policy import Policy

POSITIONS = 500  # of each seat


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """The lost positions among the first 500 of an attack on each seat: `exact/losing_leaves_X`.

    What is counted are positions with the player to move in which a move that it makes lets the
    opponent win with the next stone. They are counted among the first 500 positions that the search
    of `tttenv.refute` asks about, best attack first; it goes on at a lost game, but not below a
    lost position. So the number is exact, but it depends on the order of the search, and is not the
    number of all lost positions: 0 does not prove that the player never loses. That the player
    loses a game is certain wherever it is above 0.

    Players that depend on the time have no such number.
    """
    if getattr(policy, "impure", None):
        return {}
    counts = {seat: losing_leaves(rules, policy, seat, POSITIONS)[0] for seat in SEATS}
    return {f"exact/losing_leaves_{seat}": float(count) for seat, count in counts.items()}
