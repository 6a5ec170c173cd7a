"""Exact results between two players, by backward induction over all positions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.exact.determinism import require_same_answers, tabulate_pure
from tttenv.exact.enumeration import Positions, positions
from tttenv.exact.tabular import Mixture, Tabulated
from tttenv.game.rewards import ODDS
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Odds, Probs
from tttenv.policy import Player, Policy, ask, player_for

SEATS = ("X", "O")
TOLERANCE = 1e-9  # values that differ by less are equal

# How a side moves in backward induction: from boards (batch, cells) and each move's probabilities
# of win, draw and loss for that side (batch, cells, 3) to move probabilities.
ActionRule: TypeAlias = Callable[[Boards, Odds], Probs]


class Score(NamedTuple):
    """Probabilities of a win, a draw and a loss for one side."""

    win: float
    draw: float
    loss: float

    @property
    def value(self) -> float:
        """Expected result: a win counts 1, a draw 0 and a loss -1."""
        return self.win - self.loss


def backward_induction(rules: Rules, first: ActionRule, second: ActionRule) -> list[Odds]:
    """Compute the outcome probabilities of every position, from the last ply to the first.

    Returns:
        For each ply, the probabilities (positions of the ply, 3) of a win, a draw and a loss for
        the side to move, if X chooses its moves by `first` and O by `second`.

    Raises:
        ValueError: if the game has more than 16 cells, or a policy is a player of another game.
    """
    sides = [
        PlayPolicy(player_for(rules, side.policy)) if isinstance(side, PlayPolicy) else side
        for side in (first, second)
    ]
    return _odds(positions(rules), *sides)


def _odds(game: Positions, first: ActionRule, second: ActionRule) -> list[Odds]:
    found: list[Odds] = []
    for stones in reversed(range(len(game.plies) - 1)):
        ply, side = game.ply(stones), (first, second)[stones % 2]
        odds = ODDS[game.outcomes[ply]]
        for rows in game.blocks(ply):
            active = rows.start + np.flatnonzero(~game.over[rows])
            if active.size:
                odds[active - ply.start] = _backup(game, active, stones, found, side)
        found.append(odds)
    return found[::-1]


def _backup(
    game: Positions, active: NDArray[np.int64], stones: int, found: list[Odds], side: ActionRule
) -> Odds:
    """Compute the odds (active, 3) of undecided positions from those of later plies, next last."""
    boards, after = game.boards[active], game.successors[active]
    legal = after >= 0
    moves = np.zeros((*legal.shape, 3))
    moves[legal] = found[-1][after[legal] - game.plies[stones + 1]][:, ::-1]
    known = side.policy if isinstance(side, PlayPolicy) else None
    probs = known.at(active) if isinstance(known, Tabulated | Mixture) else side(boards, moves)
    odds = np.einsum("bc,bco->bo", probs, moves)
    odds[~probs.any(axis=1), 2] = 1.0  # a forfeit
    return np.asarray(odds)


@dataclass(frozen=True)
class PlayPolicy:
    """Action rule that follows a policy and ignores the outcome probabilities."""

    policy: Policy

    def __call__(self, boards: Boards, odds: Odds) -> Probs:
        """Return the policy's probabilities (batch, cells)."""
        if isinstance(self.policy, Player):
            return ask(boards, self.policy)
        return policies.validated(boards, self.policy(boards.copy()))


# Short public names of the same.
Chooser: TypeAlias = ActionRule
sweep = backward_induction
follow = PlayPolicy


def best_response(boards: Boards, odds: Odds) -> Probs:
    """Return uniform probabilities over the moves with the highest expected result.

    Args:
        boards: undecided boards (batch, cells).
        odds: each move's probabilities of a win, a draw and a loss (batch, cells, 3).
    """
    return policies.greedy(odds[..., 0] - odds[..., 2], boards == 0, tolerance=1e-12)


def score(rules: Rules, first: Policy, second: Policy) -> Score:
    """Return the exact win, draw and loss probabilities of `first` (X) against `second` (O).

    Args:
        rules: a game of up to 16 cells.
        first: the player of X, or a function of boards (batch, cells).
        second: the same of O.

    Raises:
        ValueError: for a larger game, and for a player of another game, with invalid output, or
            that is not a function of the board.
    """
    return score_of(player_for(rules, first), player_for(rules, second))


def score_of(first: Player, second: Player) -> Score:
    """Return the exact result of two players of a game, see `score`."""
    for seat, player in enumerate((first, second)):
        require_same_answers(player, seat)
    return _root(_odds(positions(first.rules), PlayPolicy(first), PlayPolicy(second)))


def worst_case(rules: Rules, policy: Policy) -> dict[str, float]:
    """Return the policy's value against a best response, by seat.

    Args:
        rules: a game of up to 16 cells.
        policy: the player, or a function of boards (batch, cells).

    Raises:
        ValueError: as `score` does.
    """
    return worst_case_of(tabulate_pure(player_for(rules, policy)))


def worst_case_of(table: Tabulated) -> dict[str, float]:
    """Return the value of a player's table against a best response, by seat."""
    game, side = positions(table.rules), PlayPolicy(table)
    as_x, as_o = _root(_odds(game, side, best_response)), _root(_odds(game, best_response, side))
    return {"X": as_x.value, "O": -as_o.value + 0.0}


def _root(odds: list[Odds]) -> Score:
    """Return the outcome probabilities of the empty board, rounded to 15 decimals."""
    win, draw, loss = (round(float(part), 15) for part in odds[0][0])
    return Score(win, draw, loss)


def keeps_value(value: int, worst: Mapping[str, float | None]) -> bool | None:
    """Return whether a player's worst cases are the game's value for X; None if unknown.

    Args:
        value: the game's value for X.
        worst: the player's worst case by seat, None if unknown.
    """
    kept = {
        None if (found := worst[seat]) is None else found >= worth - TOLERANCE
        for seat, worth in zip(SEATS, (value, -value), strict=True)
    }
    return False if False in kept else None if None in kept else True
