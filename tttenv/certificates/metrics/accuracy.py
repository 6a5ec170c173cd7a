"""Mean probability that a player assigns to optimal moves, by ply."""

from tttenv.exact import positions, solve, tabulate
from tttenv.game.rules import Rules
from tttenv.policy import Policy


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """Compute the mean probability on optimal moves by ply: `exact/optimal_moves_ply_4` etc."""
    return {f"exact/optimal_moves_ply_{ply}": share for ply, share in by_ply(rules, policy).items()}


def by_ply(rules: Rules, policy: Policy) -> dict[int, float]:
    """Compute the mean probability on value-optimal moves, by number of stones.

    Raises:
        ValueError: if the game is too large to enumerate.
    """
    game, table = positions(rules), tabulate(rules, policy).table
    share = (table * solve(rules).optimal).sum(axis=1)
    going = ~game.over
    plies = {stones: game.ply(stones) for stones in range(len(game.plies) - 1)}
    return {s: float(share[p][going[p]].mean()) for s, p in plies.items() if going[p].any()}
