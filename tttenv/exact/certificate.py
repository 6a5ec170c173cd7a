"""The certificate: a player's exact strength over every position, with games to check it by."""

from dataclasses import asdict, dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.exact import (
    SEATS,
    Mixture,
    Positions,
    Solution,
    Tabulated,
    positions,
    require_solvable,
    score,
    solve,
    worst_case,
)
from tttenv.exact.purity import called, tabulated
from tttenv.game.rules import Rules
from tttenv.kernels.types import Mask, Probs
from tttenv.opponents.resolve import given
from tttenv.policy import Policy

TINY = 1e-6  # a move with less probability is no blunder
EXACT = 1e-9  # values this near are the same


@dataclass(frozen=True)
class Certificate:
    """What a player is worth, exactly; anyone who has the player can compute it again."""

    rules: str  # "m,n,k"
    value: int  # the game's value for X under perfect play
    vs_random: dict[str, list[float]]  # by seat: win, draw, loss against uniform random moves
    vs_perfect: dict[str, list[float]]  # the same against evenly mixed value-optimal moves
    worst_case: dict[str, float]  # by seat: this player's value against a best response
    unbeatable: bool  # the worst case is the game's value in both seats
    optimal_moves: dict[str, float]  # probability on value-optimal moves: all, critical, reached
    blunders: int  # positions where it plays a value-losing move with p > 1e-6
    losing_line: dict[str, list[int] | None]  # by seat: the shortest game it loses, cell by cell

    def to_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold."""
        return asdict(self)


def certify(rules: Rules, policy: Policy | str | Any) -> Certificate:
    """Compute the exact certificate of `policy` on `rules`.

    The policy is asked once about each undecided position, about some 100,000 at a time; each row
    of its answer is divided by its sum. Then it is asked again about some 20 of them, in another
    order and alone: a player that draws its move, remembers or adds noise has no certificate.

    Args:
        rules: the game.
        policy: a player, its name, or a model of Stable-Baselines3; for other networks and
            functions over observations see `tttenv.policy.from_observations`.

    Raises:
        ValueError: if the game has more than 16 cells, the policy's moves depend on a clock,
            its answers break the laws of a policy, or it answers otherwise when it is asked
            again; for something that is no player or no rules.
    """
    require_solvable(rules)
    handed = given(rules, policy)
    require_pure(handed)
    player = tabulated(rules, handed, called(policy))
    if player not in _MADE:
        _MADE[player] = _certificate(rules, player)
    return _MADE[player]


# A table never changes, so neither does its certificate.
_MADE: WeakKeyDictionary[Tabulated, Certificate] = WeakKeyDictionary()


def _certificate(rules: Rules, player: Tabulated) -> Certificate:
    game, solution = positions(rules), solve(rules)
    worst = worst_case(rules, player)
    return Certificate(
        rules=str(rules),
        value=solution.value,
        vs_random=_both_seats(rules, player, policies.uniform),
        vs_perfect=_both_seats(rules, player, perfect_player(rules)),
        worst_case=worst,
        unbeatable=worst["X"] >= solution.value - EXACT and worst["O"] >= -solution.value - EXACT,
        optimal_moves=optimal_moves(game, solution, player.table),
        blunders=int(blunders(solution, player.table).sum()),
        losing_line=losing_lines(game, player.table, TINY),
    )


def require_pure(policy: Policy) -> None:
    """Let a policy pass unless it says that its moves depend on the time it is given.

    Raises:
        ValueError: naming what to limit instead.
    """
    limit = getattr(policy, "impure", None)
    if limit:
        raise ValueError(f"a player limited by {limit} cannot be certified; {IMPURE}")


IMPURE = "limit its iterations or nodes instead, so that it always answers alike"


def perfect_player(rules: Rules) -> Policy:
    """The player that mixes evenly among all value-optimal moves."""
    return Mixture(rules, solve(rules).optimal)


def optimal_moves(game: Positions, solution: Solution, table: Probs) -> dict[str, float]:
    """The mean probability put on value-optimal moves.

    Args:
        game: the positions.
        solution: the solved game.
        table: the player's probabilities, (positions, cells).

    Returns:
        "all": over all positions with a move; "critical": over those where some legal move loses
        value; "reached": over those that the player's own moves and any replies lead to, from
        both seats.
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
    """The positions that the player's own moves in `seat` and any replies lead to."""
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
    """The positions where the player may play a move that loses value, (positions,)."""
    found = np.empty(len(table), np.bool_)
    for rows in solution.positions.blocks():
        found[rows] = ((table[rows] > TINY) & ~solution.optimal[rows]).any(axis=1)
    return found


def _both_seats(rules: Rules, player: Policy, other: Policy) -> dict[str, list[float]]:
    as_x = score(rules, player, other)
    as_o = score(rules, other, player)
    return {"X": list(as_x), "O": list(reversed(as_o))}


NEVER = np.iinfo(np.int16).max // 2  # more plies than any game has


def losing_lines(game: Positions, table: Probs, tiny: float) -> dict[str, list[int] | None]:
    """The shortest game the player loses, by seat, as the cells of both sides; None if none.

    The player uses its moves with probability above `tiny`, or any it ever makes if those never
    lose; the opponent plays anything. Of the shortest games the likeliest is given, of the
    likeliest the one whose cells come first.

    Args:
        game: the positions.
        table: the player's probabilities, (positions, cells).
        tiny: moves up to this probability count only where nothing else loses.
    """
    return {
        name: losing_line(game, table, seat, tiny) or losing_line(game, table, seat, 0.0)
        for seat, name in enumerate("XO")
    }


def losing_line(game: Positions, table: Probs, seat: int, least: float) -> list[int] | None:
    """The shortest game lost in `seat` (0 is X) by moves with probability above `least`."""
    length = np.full(len(game), NEVER, np.int16)
    length[game.lost & (game.seats == seat)] = 0
    chance = np.where(length == 0, 1.0, 0.0)
    choice = np.full(len(game), -1, np.int8)
    for stones in reversed(range(len(game.plies) - 1)):
        ply = game.ply(stones)
        own = stones % 2 == seat
        for rows in game.blocks(ply):
            after, probs = game.successors[rows], table[rows] if own else None
            moves = after >= 0 if probs is None else (after >= 0) & (probs > least)
            lengths = np.where(moves, length[after] + 1, NEVER)
            chances = np.where(moves, chance[after] * (1.0 if probs is None else probs), 0.0)
            cells = _best(lengths, chances)
            each, loses = np.arange(len(cells)), lengths.min(axis=1) < NEVER
            length[rows] = np.where(loses, lengths[each, cells], length[rows])
            chance[rows] = np.where(loses, chances[each, cells], chance[rows])
            choice[rows] = np.where(loses, cells, -1)
    return _walk(game, choice) if length[0] < NEVER else None


def _best(lengths: NDArray[np.int16], chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """In each row the first cell of the likeliest among the shortest; near ties count as ties."""
    shortest = lengths == lengths.min(axis=1, keepdims=True)
    likely = np.where(shortest, chances, -1.0)
    best: NDArray[np.int64] = (likely >= likely.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(1)
    return best


def _walk(game: Positions, choice: NDArray[np.int8]) -> list[int]:
    line, at = [], 0
    while choice[at] >= 0:
        line.append(int(choice[at]))
        at = int(game.successors[at, choice[at]])
    return line
