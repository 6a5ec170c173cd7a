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
from torch import Tensor

from learners.settings.qtable import PRESETS, QTableConfig
from learners.symmetry_classes import TableLearner
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import SEATS
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules


class Turn(NamedTuple):
    """One move in every game; all arrays have shape (games,)."""

    at: Tensor  # the number of the position before the move
    after: Tensor  # the number of the position after it
    result: Tensor  # the game's result for the side that moved, NaN if the game went on
    counts: Tensor  # False if the game was over before the move


class QTable(TableLearner[QTableConfig]):
    """Q-learning learner, for games small enough to enumerate.

    Source of the published form: the Q-table of the repository nestedsoftware/tictac.
    """

    Config = QTableConfig
    presets = PRESETS

    def __init__(self, config: QTableConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.played = 0
        opponent = None if config.self_play else "random"
        self.env = VectorTicTacToe.of(rules, config.games, opponent=opponent, obs="board")
        self.env.np_random = self.rng
        self.results = torch.zeros(len(Outcome), dtype=torch.float64)  # by outcome; a loss is 0
        self.results[Outcome.GOING], self.results[Outcome.WIN] = torch.nan, 1
        self.results[Outcome.DRAW] = config.draw
        self.values = torch.zeros(len(self.game), dtype=torch.float64)  # by the position after
        self.known = torch.zeros(len(self.game), dtype=torch.bool)  # which entries were updated

    def step(self) -> dict[str, float]:
        """Play games to the end; return the number of entries updated so far, and epsilon."""
        for _ in range(self.config.batches):
            self._learn(self._play())
            self.played += self.config.games
        return {"items": self.known.sum().item(), "epsilon": self._epsilon()}

    def parts(self) -> dict[str, Any]:
        """Return the table, a mask of updated entries, the number of games and the generator."""
        return {
            "weights": {"values": self.values},
            "known": self.known,
            "played": self.played,
            "rng": self.rng,
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
        active = np.ones(games, np.bool_)
        while active.any():
            at = torch.as_tensor(self.game.index(self.env.boards))
            random_values = torch.as_tensor(self.rng.random((games, self.rules.cells)))
            random = torch.as_tensor(self.rng.random(games) < epsilon)[:, None]
            legal = self.after[at] >= 0
            cells = torch.where(random & legal, random_values, self.move_values(at)).argmax(dim=1)
            _, _, ended, _, infos = self.env.step(cells.cpu().numpy())
            ends = infos["final_info"]["outcome"] if ended.any() else np.zeros(games, np.int8)
            result = self.results[torch.as_tensor(ends, dtype=torch.int64)]
            played.append(Turn(at, self.after[at, cells], result, torch.as_tensor(active)))
            self.moves += int(active.sum())
            active = active & ~ended
        return played

    def _learn(self, played: list[Turn]) -> None:
        """Update the table from the last turn to the first."""
        later = played[-1].at
        for turn in reversed(played):
            best = self.move_values(later).amax(dim=1)
            next_values = self.config.gamma * (1 - best if self.config.self_play else best)
            targets = torch.where(turn.result.isnan(), next_values, turn.result)
            items, targets = self.representative[turn.after[turn.counts]], targets[turn.counts]
            self.known[items] = True
            sums = torch.zeros_like(self.values).index_add_(0, items, targets)
            counts = torch.bincount(items, minlength=len(sums))
            self.values += self.config.lr * (sums - counts * self.values) / counts.clamp(min=1)
            later = turn.at
