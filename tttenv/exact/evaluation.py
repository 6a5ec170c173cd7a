"""Exact results: one backward pass over all positions says how any two players' games end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.exact.enumeration import (
    Positions,
    positions,
)
from tttenv.exact.purity import require_alike, tabulated
from tttenv.exact.tabular import Mixture, Tabulated
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards, Odds, Probs
from tttenv.policy import Policy

SEATS = ("X", "O")

# How a side picks: boards (batch, cells) and what each move is worth to it (batch, cells, 3).
Chooser: TypeAlias = Callable[[Boards, Odds], Probs]


class Score(NamedTuple):
    """How games end for one side, as probabilities."""

    win: float
    draw: float
    loss: float

    @property
    def value(self) -> float:
        """The expected result, a win counting 1, a draw 0 and a loss -1."""
        return self.win - self.loss


def sweep(rules: Rules, first: Chooser, second: Chooser) -> list[Odds]:
    """One backward pass over all positions, X playing by `first` and O by `second`.

    Returns:
        For each ply, how its positions (positions of the ply, 3) end for the side to move.
    """
    game = positions(rules)
    found: list[Odds] = []
    for stones in reversed(range(len(game.plies) - 1)):
        ply, side = game.ply(stones), (first, second)[stones % 2]
        over = game.over[ply]
        odds = np.zeros((len(over), 3))
        odds[over, np.where(game.lost[ply][over], 2, 1)] = 1
        for rows in game.blocks(ply):
            going = rows.start + np.flatnonzero(~game.over[rows])
            if going.size:
                odds[going - ply.start] = _backed(game, going, stones, found, side)
        found.append(odds)
    return found[::-1]


def _backed(
    game: Positions, going: NDArray[np.int64], stones: int, found: list[Odds], side: Chooser
) -> Odds:
    """How undecided positions of one ply end, from what has been found of the next."""
    boards, after = game.boards[going], game.successors[going]
    legal = after >= 0
    moves = np.zeros((*legal.shape, 3))
    moves[legal] = found[-1][after[legal] - game.plies[stones + 1]][:, ::-1]
    known = side.policy if isinstance(side, Follower) else None
    if isinstance(known, Tabulated | Mixture) and known.rules == game.rules:
        probs = known.at(going)
    else:
        probs = side(boards, moves)
    return np.asarray(np.einsum("bc,bco->bo", probs, moves))


@dataclass(frozen=True)
class Follower:
    """The side that plays by a policy, whatever its moves are worth."""

    policy: Policy

    def __call__(self, boards: Boards, odds: Odds) -> Probs:
        """The policy's answer, if it obeys the laws of one."""
        return policies.validated(boards, self.policy(boards.copy()))


def follow(policy: Policy) -> Chooser:
    """The side that plays by `policy`, whatever its moves are worth."""
    return Follower(policy)


def best_response(boards: Boards, odds: Odds) -> Probs:
    """The side that knows the other's play and picks, evenly, what is worth most against it."""
    return policies.greedy(odds[..., 0] - odds[..., 2], boards == 0, tolerance=1e-12)


def score(rules: Rules, first: Policy, second: Policy) -> Score:
    """The exact result of `first` as X against `second` as O, for `first`.

    Raises:
        ValueError: if the game is too large, a policy breaks the rules of one, or it answers
            some boards otherwise when it is asked again.
    """
    for seat, policy in enumerate((first, second)):
        require_alike(rules, policy, seat)
    return _root(sweep(rules, follow(first), follow(second)))


def worst_case(rules: Rules, policy: Policy) -> dict[str, float]:
    """The policy's value as X and as O against a best response, by seat.

    Raises:
        ValueError: if the game is too large, the policy breaks the rules of one, or it answers
            some boards otherwise when it is asked again.
    """
    side = follow(tabulated(rules, policy))
    as_x = _root(sweep(rules, side, best_response))
    as_o = _root(sweep(rules, best_response, side))
    return {"X": as_x.value, "O": -as_o.value + 0.0}


def _root(odds: list[Odds]) -> Score:
    win, draw, loss = (round(float(part), 15) for part in odds[0][0])  # rounding errors end here
    return Score(win, draw, loss)
