"""Tabular Q-learning: a table of Q-values, updated backwards after every game.

After a game, from its last move to its first, the value of a move moves towards its target by a
fraction `lr` of the difference; the target is the result, or the value of the player's best next
move (Watkins, Learning from Delayed Rewards, 1989). A move shares its entry with the board that it
leads to, and all images of a board share one entry: the table has up to 764. With probability
epsilon a move is random.

As published, the table learns against random play, and a draw pays as much as a win: it becomes
unbeatable and wins little. The repaired form plays both sides, and a draw is half a win. Games run
in parallel; targets of the same entry in the same turn are averaged.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from learners.settings.qtable import PRESETS, QTableConfig
from learners.symmetry_classes import Rows, TableLearner
from tttenv.exact import SEATS
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules


class Turn(NamedTuple):
    """One move in every game; all arrays have shape (games,)."""

    at: Rows  # the position before the move
    entry: Rows  # the move's entry in the table
    result: NDArray[np.float64]  # the game's result for the side that moved, NaN if it went on
    counts: NDArray[np.bool_]  # False if the game was over before the move


class QTable(TableLearner[QTableConfig]):
    """Q-learning learner, for games small enough to enumerate.

    Source of the published form: the Q-table of the repository nestedsoftware/tictac.
    """

    Config = QTableConfig
    presets = PRESETS

    def __init__(self, config: QTableConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.played = 0
        self.results = np.zeros(len(Outcome))  # by outcome; a loss is 0
        self.results[Outcome.GOING], self.results[Outcome.WIN] = np.nan, 1
        self.results[Outcome.DRAW] = config.draw
        self.values = np.zeros(len(self.game))  # by the position after
        self.known = np.zeros(len(self.game), np.bool_)  # which entries were updated

    def step(self) -> dict[str, float]:
        """Play games to the end; return the number of entries updated so far, and epsilon."""
        for _ in range(self.config.batches):
            self._learn(self._play())
            self.played += self.config.games
        return {"items": int(self.known.sum()), "epsilon": self._epsilon()}

    def parts(self) -> dict[str, Any]:
        """Return the table, a mask of updated entries and the number of games."""
        return {
            "weights": {"values": torch.from_numpy(self.values)},
            "known": torch.from_numpy(self.known),
            "played": self.played,
        }

    def _epsilon(self) -> float:
        config, played = self.config, self.played
        if not config.self_play and played >= config.turns:
            played -= config.turns
        return max(config.epsilon - 0.1 * (played // config.fall if config.fall else 0), 0.0)

    def _play(self) -> list[Turn]:
        """Play games to the end, and return their moves, turn by turn."""
        games, epsilon, played = self.config.games, self._epsilon(), []
        as_o = not self.config.self_play and self.played >= self.config.turns
        self.env.reset(options={"seat": SEATS[as_o]})
        at, active = self.game.index(self.env.boards), np.ones(games, np.bool_)
        while active.any():
            random_values = self.rng.random((games, self.rules.cells))
            random = (self.rng.random(games) < epsilon)[:, None]
            moves = self.move_values(at)
            cells = np.where(random & (moves > -2), random_values, moves).argmax(axis=1)
            _, outcomes, following = self.play(at, cells)
            played.append(Turn(at, self.entries[at, cells], self.results[outcomes], active))
            self.moves += int(active.sum())
            at, active = following, active & (outcomes == Outcome.GOING)
        return played

    def _learn(self, played: list[Turn]) -> None:
        """Update the table from the last turn to the first."""
        later = played[-1].at
        for turn in reversed(played):
            best = self.move_values(later).max(axis=1)
            next_values = self.config.gamma * (1 - best if self.config.self_play else best)
            targets = np.where(np.isnan(turn.result), next_values, turn.result)
            items = turn.entry[turn.counts]
            self.known[items] = True
            self.move_toward(items, targets[turn.counts], self.config.lr)
            later = turn.at
