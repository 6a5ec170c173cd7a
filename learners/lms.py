"""LMS: a linear evaluation of boards, updated after every move by least mean squares.

The value of a board for one side is a weighted sum of features. After each move the weights change
by eta times the error times the features; the error is the value of the next board minus the value
of this one (Widrow and Hoff, 1960; Mitchell, Machine Learning, 1997, section 1.2).

The published form has seven features, all of them counts: the value of a line of two does not
depend on who moves next, and a fork is just two lines; its player is beatable. The repaired form
has features for the side to move, threats, forks and the number of stones, and products of two of
them; games begin with random stones, moves are random with probability epsilon, and the target of a
board is the value after the best reply. Without the number of stones, even the least squares fit to
the exact values blunders in one position and its images on 3,3,3.

The evaluator is still linear. The features are so correlated that plain LMS takes very long to fit
them, so the update is multiplied by the inverse of their correlation matrix over all positions:
LMS-Newton (Widrow and Stearns, Adaptive Signal Processing, 1985, chapter 8).
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from learners.base import LearnerTraits
from learners.parts import PartsLearner
from learners.settings.lms import PRESETS, LMSConfig
from tttenv.exact import Tabulated, positions, require_enumerable
from tttenv.game.features import rich, seven
from tttenv.game.openings import random_openings
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.policy import Player, first_best

Features = NDArray[np.float64]  # (boards, features)
TOLERANCE = 2.0**-30  # values this near the best are ties, being sums in float64
RIDGE = 1e-6  # added to the diagonal of the correlation matrix, so that it has an inverse


class LMS(PartsLearner[LMSConfig]):
    """LMS learner, for games small enough to enumerate.

    Source of the published form: "LMS" tic-tac-toe (Medium) and its repository, with 10,000 games
    in which x and o share the weights, and a round consists of both sides' moves.
    """

    Config = LMSConfig
    presets = PRESETS
    traits = LearnerTraits(tolerance=TOLERANCE)

    def __init__(self, config: LMSConfig, rules: Rules) -> None:
        require_enumerable(rules)
        super().__init__(config, rules)
        self.game, self.played = positions(rules), 0
        self.traits = replace(self.traits, tolerance=_tolerance(config))
        game, self.seen = self.game, _seen(rules, config.features)
        first = np.ones if config.features == "seven" else np.zeros
        self.weights = torch.as_tensor(first(self.seen.shape[1]))
        self.final = -VALUES[game.outcomes]  # for the side that has just moved
        if config.features == "seven":
            self.faced = seven(rules, game.boards)  # features in the view of the side to move
        else:
            correlation = self.seen.T @ self.seen / len(self.seen)
            self.inverse = np.linalg.inv(correlation + RIDGE * np.eye(len(correlation)))

    def step(self) -> dict[str, float]:
        """Play games; return the mean squared error, or the weights' norm in the published form."""
        if self.config.features != "seven":
            return {"error": self._play_many()}
        w = self.weights.cpu().numpy()
        for _ in range(self.config.games):
            w, self.played = self._play_one(w), self.played + 1
        self.weights = torch.as_tensor(w)
        return {"size": float(np.linalg.norm(w))}

    @classmethod
    def empty_weights(cls, config: LMSConfig, rules: Rules) -> dict[str, torch.Tensor]:
        """Return one weight per feature, on the meta device."""
        require_enumerable(rules)
        see = seven if config.features == "seven" else rich
        count = see(rules, rules.start(1)).shape[1]
        return {"weights": torch.empty(count, dtype=torch.float64, device="meta")}

    @classmethod
    def player(cls, config: LMSConfig, rules: Rules, weights: dict[str, torch.Tensor]) -> Player:
        """Return the player that moves to the board with the highest value, the first if tied.

        Mirror images have equal features, but their values, by a matrix product, are equal only up
        to rounding.
        """
        game, values = positions(rules), _values(config, rules, weights["weights"])
        rows, legal = game.decisions, game.successors >= 0
        best, moves = np.zeros(legal.shape, np.bool_), _moves(values, game.successors[rows])
        best[rows] = first_best(moves, legal[rows], _tolerance(config)) == 1
        return Tabulated.uniform_over(rules, best)

    def parts(self) -> dict[str, Any]:
        """Return the weights, and the number of games ("seven") or steps."""
        return {"weights": {"weights": self.weights}, "played": self.played}

    def _play_many(self) -> float:
        """Play games in parallel, learning from best replies; return the mean squared error."""
        config, game = self.config, self.game
        errors, active = [], np.ones(config.games, np.bool_)
        eta = config.eta / (1 + self.played / config.decay)
        self.played += 1
        at = game.index(random_openings(self.rules, config.opening, config.games, self.rng))
        while active.any():
            values = _values(config, self.rules, self.weights)
            moves = _moves(values, game.successors[at])
            explore = self.rng.random((len(at), 1)) < config.epsilon
            random_values = np.where(moves > -np.inf, self.rng.random(moves.shape), -np.inf)
            cells = np.where(explore, random_values, moves).argmax(axis=1)
            after = game.successors[at, cells]
            ended = game.over[after]
            replies = -_moves(values, game.successors[after]).max(axis=1, initial=-1e9)
            target = np.where(ended, self.final[after], np.clip(replies, -1, 1))
            x, w = self.seen[after[active]], self.weights.cpu().numpy()
            error = target[active] - x @ w
            newton = x @ self.inverse
            step = eta * (error / (newton * x).sum(axis=1)) @ newton / len(x)
            self.weights = torch.as_tensor(w + step)
            errors.append(np.square(error).mean())
            self.moves += int(active.sum())
            at, active = np.where(ended, 0, after), active & ~ended  # new games are not learned
        return float(np.mean(errors))

    def _play_one(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        """Play one game as published, always from X's perspective, and return the new weights."""
        x_seat = self.played % 2 if self.config.starter == "alternate" else 0
        at, eta, game = 0, self.config.eta, self.game

        def features(at: int) -> NDArray[np.float64]:
            view: Features = (self.faced if game.seats[at] == x_seat else self.seen)[at]
            return view

        while True:
            before = features(at)
            for _ in range(2):
                if not game.over[at]:
                    after = game.successors[at][game.successors[at] >= 0]
                    at = after[_weighted(self.seen[after], w).argmax()]
                    self.moves += 1
            now = features(at)
            if game.over[at]:
                break
            w = w + eta * (_weighted(now, w) - _weighted(before, w)) * before
        result = -VALUES[game.outcomes[at]] * (-1.0 if game.seats[at] == x_seat else 1.0)
        return np.asarray(w + eta * (result - _weighted(now, w)) * before)


@lru_cache(maxsize=2)
def _seen(rules: Rules, features: str) -> Features:
    """Return the features of all positions, in the view of the side that has just moved; cached."""
    return (seven if features == "seven" else rich)(rules, -positions(rules).boards)


def _values(config: LMSConfig, rules: Rules, weights: torch.Tensor) -> NDArray[np.float64]:
    """Compute the values (positions,) of all positions for the side that has just moved."""
    seen, w = _seen(rules, config.features), weights.cpu().numpy()
    return np.asarray(_weighted(seen, w) if config.features == "seven" else seen @ w)


def _moves(values: NDArray[np.float64], after: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the values of moves (rows, cells) by the positions after them; -inf if illegal."""
    return np.where(after >= 0, values[after], -np.inf)


def _weighted(features: Features, weights: NDArray[np.float64]) -> Any:
    """Return weighted sums (...,) of features (..., features), bit-identical on every CPU.

    The order of additions in a matrix product depends on the CPU and on the row. With the seven
    features, which are counts, many moves have equal values, and rounding would decide between
    them. The others use the matrix product, which is faster.
    """
    return np.multiply(features, weights).sum(axis=-1)


def _tolerance(config: LMSConfig) -> float:
    """Return the tolerance within which values count as tied; see `tttenv.policy.first_best`."""
    return 0.0 if config.features == "seven" else TOLERANCE
