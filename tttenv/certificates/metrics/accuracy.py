"""The share of a player's moves that are optimal, ply by ply."""

from tttenv.exact import positions, solve, tabulate
from tttenv.game.rules import Rules
from tttenv.policy import Policy


def measure(rules: Rules, policy: Policy) -> dict[str, float]:
    """`exact/optimal_moves_ply_4`: the mean probability on optimal moves with 4 stones set."""
    return {f"exact/optimal_moves_ply_{ply}": share for ply, share in by_ply(rules, policy).items()}


def by_ply(rules: Rules, policy: Policy) -> dict[int, float]:
    """The mean probability on value-optimal moves over the positions with a move, by stones.

    Raises:
        ValueError: if the game is too large to enumerate.
    """
    game, table = positions(rules), tabulate(rules, policy).table
    share = (table * solve(rules).optimal).sum(axis=1)
    going = ~game.over
    plies = {stones: game.ply(stones) for stones in range(len(game.plies) - 1)}
    return {s: float(share[p][going[p]].mean()) for s, p in plies.items() if going[p].any()}
