"""TD(0) over afterstates: a table of position values for the side that has just moved.

With every move the value of the position before moves towards the value of the position after by a
fraction alpha of the difference (Sutton and Barto, Reinforcement Learning, 2018, section 1.5 and
chapter 6). Moves are greedy or, with probability epsilon, random; nothing is learned from random
moves.

As published, the replies are random, so that risks pay and O stays beatable. In the repaired form
the table moves for both sides, games begin with random stones, and all images of a board share one
value. Games run in parallel; targets of the same entry in the same turn are averaged.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from learners.settings.td0 import PRESETS, TD0Config
from learners.symmetry_classes import Rows, TableLearner
from tttenv.exact import solve
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules


class TD0(TableLearner[TD0Config]):
    """TD(0) learner, for games small enough to enumerate.

    Source of the published form: lecture notes "TicTacToe experiment platform" (2018), section 9.
    The code of the notes plays against itself and, before each move, learns from 2,000 episodes
    that start from the current position. A greedy move never leads to an unvisited position; a
    random move that ends the game is learned from.
    """

    Config = TD0Config
    presets = PRESETS

    def __init__(self, config: TD0Config, rules: Rules) -> None:
        super().__init__(config, rules)
        self.root = 0
        final = (1 - VALUES[self.game.outcomes]) / 2
        self.first = np.where(self.game.over, final, config.default)
        self.values = self.first.copy()  # (positions,), negative for positions never visited
        if config.notes:
            self.values[1:] = -1
        self.exact = (1 - solve(rules).values) / 2

    def step(self) -> dict[str, float]:
        """Play games to the end, and return the table's RMS error against the solved game."""
        for _ in range(self.config.batches):
            self._play()
        if self.config.notes:  # the next episodes begin one move later
            cell = int(self.move_values(np.array(self.root)).argmax())
            after = int(self.game.successors[self.root, cell])
            self.root = 0 if self.game.over[after] else after
        values = np.where(self.values < 0, self.first, self.values)[self.representative]
        error = torch.as_tensor(values - self.exact)
        return {"rms_error": error[1:].square().mean().sqrt().item()}

    def parts(self) -> dict[str, Any]:
        """Return the table, and the starting position of the next games."""
        values = torch.from_numpy(self.values)
        return {"weights": {"values": values}, "root": self.root}

    def _play(self) -> None:
        """Play a batch of games from the root to the end, updating the table after each move."""
        config, games, over = self.config, self.config.games, self.game.over
        self.env.reset(options={"board": self.game.boards[self.root]} if self.root else None)
        opening = self.rng.integers(0, config.opening + 1, games)
        active, before, turn = np.ones(games, np.bool_), np.full(games, -1), 0
        at = self.game.index(self.env.boards)
        while active.any():
            explore = (self.rng.random(games) < config.epsilon) | (turn < opening)
            cells = self._choose(at, explore[:, None])
            after, outcomes, following = self.play(at, cells)
            ended = outcomes != Outcome.GOING
            known = self.values[entries := self.representative[after]]
            targets = self.values[entries] = np.where(known < 0, self.first[entries], known)
            learn = active & (~explore | over[after] if config.notes else ~explore)
            if config.self_play:  # the move before was the other side's
                self._learn(at, 1 - targets, learn)
            else:
                self._learn(before, targets, learn & (before >= 0))
                self._learn(after, (1 + VALUES[outcomes]) / 2, active & ended & ~over[after])
            self.moves += int(active.sum())
            at, before, active, turn = following, after, active & ~ended, turn + 1

    def _choose(self, at: Rows, explore: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Choose a cell in each position (games,): the table's best move, or a random one.

        It is random where `explore` (games, 1) is True or no value is known.
        """
        random_values, moves = self.rng.random((len(at), self.rules.cells)), self.move_values(at)
        explore = (explore | (moves < 0).all(axis=1, keepdims=True)) & (moves > -2)
        return np.asarray(np.where(explore, random_values, moves).argmax(axis=1))

    def _learn(self, at: Rows, targets: NDArray[np.float64], which: NDArray[np.bool_]) -> None:
        """Move the values of positions `at` (games,) toward `targets` where `which` is True."""
        self.move_toward(self.representative[at[which]], targets[which], self.config.alpha)
