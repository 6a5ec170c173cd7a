"""Certificates over all positions, of games of up to 16 cells and of players in tables."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.exact.enumeration import Positions
from tttenv.exact.evaluation import SEATS, keeps_value, worst_case_of
from tttenv.exact.solution import Solution, solve
from tttenv.exact.tabular import Mixture, Tabulated
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.types import Mask, Probs

TINY = 1e-6  # a value-losing move counts as a blunder if its probability is above this


def measure(player: Tabulated) -> dict[str, Any]:
    """Return the fields of a player's certificate by name; see `Certificate`.

    Args:
        player: the player's table over all positions of its game.
    """
    from tttenv.certificates.metric_table import stated, versus

    rules, solution = player.rules, solve(player.rules)
    game, table = solution.positions, player.table
    worst = worst_case_of(player)
    lines = {
        name: losing_line(game, table, seat, TINY) or losing_line(game, table, seat, 0.0)
        for seat, name in enumerate(SEATS)
    }
    vs_random, vs_perfect = (
        {seat: list(odds) for seat, odds in versus(rules, player, other).items()}
        for other in (policies.Uniform(rules), Mixture(rules, solution.optimal))
    )
    wrong = blunders(solution, table)
    if seat := player.traits.seat:
        wrong &= game.seats == SEATS.index(seat)
    return {
        "rules": str(rules),
        "value": solution.value,
        "vs_random": vs_random,
        "vs_perfect": vs_perfect,
        "worst_case": worst,
        "unbeatable": keeps_value(solution.value, worst),
        "optimal_moves": optimal_moves(game, solution, table),
        "blunders": int(wrong.sum()),
        "losing_line": lines,
        "never_loses": {seat: line is None for seat, line in lines.items()},
        "shortest": {seat: None if line is None else True for seat, line in lines.items()},
        "queried_twice": player.queried_twice,
        "illegal_mass": player.illegal_mass,
        "only_illegal": player.only_illegal,
        "more": stated(rules, player),
    }


def optimal_moves(game: Positions, solution: Solution, table: Probs) -> dict[str, float]:
    """Compute the mean of a player's probabilities on value-optimal moves; see `Certificate`.

    Args:
        game: all positions.
        solution: of the game.
        table: the player's probabilities (positions, cells).

    Returns:
        The means over all undecided positions, over the critical ones, where a move can lose value,
        and over those that the player reaches; 1 over none.
    """
    share, critical = np.empty(len(game)), np.empty(len(game), np.bool_)
    for rows in game.blocks():
        optimal = solution.optimal[rows]
        share[rows] = (table[rows] * optimal).sum(axis=1)
        critical[rows] = ((game.successors[rows] >= 0) & ~optimal).any(axis=1)
    reached: Mask = np.zeros(len(game), np.bool_)
    for seat in range(len(SEATS)):
        reached[reachable(game, table, seat) & (game.seats == seat)] = True
    groups = {"all": ~game.over, "critical": critical, "reached": reached & ~game.over}
    return {name: float(share[rows].mean()) if rows.any() else 1.0 for name, rows in groups.items()}


def reachable(game: Positions, table: Probs, seat: int) -> Mask:
    """Return a mask (positions,) of the positions that the player can reach in `seat`.

    Args:
        game: all positions.
        table: the player's probabilities (positions, cells).
        seat: 0 for X, 1 for O.
    """
    found = np.zeros(len(game), np.bool_)
    found[0] = True
    for stones in range(len(game.plies) - 1):
        ply = game.ply(stones)
        moves: Mask = game.successors[ply] >= 0
        if stones % 2 == seat:
            moves = moves & (table[ply] > 0)
        found[game.successors[ply][moves & found[ply][:, None]]] = True
    return found


def blunders(solution: Solution, table: Probs) -> NDArray[np.bool_]:
    """Return a mask of the positions where the player may lose value, by a move or a forfeit.

    Args:
        solution: of the game.
        table: the player's probabilities (positions, cells); moves of at most 1e-6 do not count.
    """
    found = np.empty(len(table), np.bool_)
    game = solution.positions
    for rows in game.blocks():
        played = table[rows] > 0
        forfeited = ~played.any(axis=1) & ~game.over[rows] & (solution.values[rows] > -1)
        found[rows] = ((table[rows] > TINY) & ~solution.optimal[rows]).any(axis=1) | forfeited
    return found


NEVER = np.iinfo(np.int16).max // 2  # more plies than any game has


def losing_line(game: Positions, table: Probs, seat: int, least: float) -> list[int] | None:
    """Find the shortest game lost in `seat` (0 is X) by moves with probability above `least`.

    Among these the likeliest is chosen, then the one whose cells come first. If the player
    forfeits, the game ends before its move.

    Args:
        game: all positions.
        table: the player's probabilities (positions, cells).
        seat: 0 for X, 1 for O.
        least: the probability that its moves have to exceed.

    Returns:
        The cells of both sides in turn; None if the player never loses by such moves.
    """
    length = np.full(len(game), NEVER, np.int16)
    lost = np.where(game.seats == seat, Outcome.LOSS, Outcome.WIN)  # for the side to move
    forfeited = (game.seats == seat) & ~game.over & ~table.any(axis=1)
    length[(game.outcomes == lost) | forfeited] = 0
    chance = np.where(length == 0, 1.0, 0.0)
    choice = np.full(len(game), -1, np.int8)
    for stones in reversed(range(len(game.plies) - 1)):
        ply = game.ply(stones)
        own = stones % 2 == seat
        for rows in game.blocks(ply):
            after, probs = game.successors[rows], table[rows] if own else np.float64(1)
            moves = (after >= 0) & (probs > least)
            lengths = np.where(moves, length[after] + 1, NEVER)
            chances = np.where(moves, chance[after] * probs, 0.0)
            shortest = lengths == lengths.min(axis=1, keepdims=True)
            likely = np.where(shortest, chances, -1.0)
            # Probabilities that differ by less than one part in 10**9 count as equal.
            cells = (likely >= likely.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
            each, loses = np.arange(len(cells)), lengths.min(axis=1) < NEVER
            length[rows] = np.where(loses, lengths[each, cells], length[rows])
            chance[rows] = np.where(loses, chances[each, cells], chance[rows])
            choice[rows] = np.where(loses, cells, -1)
    line, at = [], 0
    while choice[at] >= 0:
        line.append(int(choice[at]))
        at = int(game.successors[at, choice[at]])
    return line if length[0] < NEVER else None
