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
from torch import Tensor

from learners.settings.td0 import PRESETS, TD0Config
from learners.symmetry_classes import TableLearner
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import solve
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
        opponent: Any = {"opponent": None if config.self_play else "random", "seat": "X"}
        self.env = VectorTicTacToe.of(rules, config.games, obs="board", **opponent)
        self.env.np_random = self.rng
        game = self.game
        final = (1 - VALUES[game.outcomes]) / 2
        self.first = torch.as_tensor(np.where(game.over, final, config.default))
        self.values = self.first.clone()  # (positions,), negative for positions never visited
        if config.notes:
            self.values[1:] = -1
        self.exact = torch.as_tensor((1 - solve(rules).values) / 2)

    def step(self) -> dict[str, float]:
        """Play games to the end, and return the table's RMS error against the solved game."""
        for _ in range(self.config.batches):
            self._play()
        if self.config.notes:  # the next episodes begin one move later
            after = int(self.after[self.root, self.move_values(torch.tensor(self.root)).argmax()])
            self.root = 0 if self.game.over[after] else after
        values = torch.where(self.values < 0, self.first, self.values)[self.representative]
        error = values - self.exact
        return {"rms_error": error[1:].square().mean().sqrt().item()}

    def parts(self) -> dict[str, Any]:
        """Return the table, the starting position of the next games, and the generator."""
        return {"weights": {"values": self.values}, "root": self.root, "rng": self.rng}

    def _play(self) -> None:
        """Play a batch of games from the root to the end, updating the table after each move."""
        config, games, over = self.config, self.config.games, self.game.over
        self.env.reset(options={"board": self.game.boards[self.root]} if self.root else None)
        opening = self.rng.integers(0, config.opening + 1, games)
        active, before, turn = np.ones(games, np.bool_), np.full(games, -1), 0
        while active.any():
            at = self.game.index(self.env.boards)
            explore = (self.rng.random(games) < config.epsilon) | (turn < opening)
            cells = self._choose(torch.as_tensor(at), torch.as_tensor(explore)[:, None])
            after = self.game.successors[at, cells].astype(np.int64)
            _, rewards, ended, _, _ = self.env.step(cells)
            known = self.values[entries := self.representative[torch.as_tensor(after)]]
            targets = self.values[entries] = torch.where(known < 0, self.first[entries], known)
            learn = active & (~explore | over[after] if config.notes else ~explore)
            if config.self_play:  # the move before was the other side's
                self._learn(at, 1 - targets, learn)
            else:
                self._learn(before, targets, learn & (before >= 0))
                self._learn(
                    after, torch.as_tensor((1 + rewards) / 2), active & ended & ~over[after]
                )
            self.moves += int(active.sum())
            before, active, turn = after, active & ~ended, turn + 1

    def _choose(self, at: Tensor, explore: Tensor) -> NDArray[np.int64]:
        """Choose a cell in each position (games,): the table's best move, or a random one.

        It is random where `explore` (games, 1) is True or no value is known.
        """
        random_values = torch.as_tensor(self.rng.random((len(at), self.rules.cells)))
        moves = self.move_values(at)
        explore = (explore | (moves.amax(dim=1, keepdim=True) < 0)) & (self.after[at] >= 0)
        return np.asarray(torch.where(explore, random_values, moves).argmax(dim=1).cpu())

    def _learn(self, at: NDArray[np.int64], targets: Tensor, which: NDArray[np.bool_]) -> None:
        """Move the values of positions `at` (games,) toward `targets` where `which` is True."""
        rows = torch.as_tensor(np.flatnonzero(which))
        entries = self.representative[torch.as_tensor(at)[rows]]
        change = torch.zeros_like(self.values).index_add_(0, entries, targets[rows])
        counts = torch.bincount(entries, minlength=len(change))
        self.values += self.config.alpha * (change - counts * self.values) / counts.clamp(min=1)
