"""Symmetry classes of positions, and learners that keep a table with one entry per class."""

from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learners.base import ConfigT
from learners.parts import PartsLearner
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import Positions, Tabulated, positions, require_enumerable
from tttenv.game.outcomes_kernel import SEEN_BY_OTHER, Outcome, Outcomes
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, maps
from tttenv.game.types import Cells
from tttenv.policy import Player

Rows = NDArray[Any]  # (games,): indices of positions, or of their entries in a table


class SymmetryClasses:
    """Maps each position to the representative of its class, to itself unless `symmetric`."""

    def __init__(self, game: Positions, symmetric: bool) -> None:
        self.game, boards = game, game.boards
        which = np.zeros(len(game), np.int64)
        if symmetric:
            boards, which = canonical(game.rules, boards)
        self.representative = game.index(boards)  # (positions,): the number of the representative
        self.cell_map = maps(game.rules)[which]  # (positions, cells): its cells, on the position
        own = (self.representative == np.arange(len(game))) & ~game.over
        # The numbers of the undecided representatives with X to move, and of those with O to move.
        self.rows = [np.flatnonzero(own & (game.seats == seat)) for seat in (0, 1)]
        self.undecided = np.flatnonzero(own)  # of both

    def expand_cells(self, cells: Cells) -> Cells:
        """Map the cells chosen for representatives to all positions (positions,)."""
        chosen = cells[self.representative]
        return np.take_along_axis(self.cell_map, chosen[:, None], axis=1)[:, 0]

    def player(self, cells: Cells) -> Player:
        """Return the player of the cells chosen for undecided representatives, in their order."""
        chosen = np.zeros(len(self.game), np.int64)
        chosen[self.undecided] = cells
        return player_of(self.game, self.expand_cells(chosen))


@cache
def symmetry_classes(rules: Rules, symmetric: bool = True) -> SymmetryClasses:
    """Return the symmetry classes of a game that can be enumerated."""
    require_enumerable(rules)
    return SymmetryClasses(positions(rules), symmetric)


def player_of(game: Positions, cells: Cells) -> Player:
    """Return the player that chooses a cell in each position (positions,)."""
    chosen = np.arange(game.rules.cells) == cells[:, None]
    return Tabulated.uniform_over(game.rules, chosen & (game.successors >= 0))


def sample_by_play(game: Positions, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Sample the indices (count,) of positions after 0 to cells - 1 random moves.

    A move that would end the game is not played, and no further move follows. So boards with many
    stones are rarer than among all positions, and boards with X to move more frequent.

    Args:
        game: the positions.
        rng: samples the moves and their number.
        count: how many positions.
    """
    cells = game.rules.cells
    stones = rng.integers(0, cells, count)
    orders = rng.permuted(np.tile(np.arange(cells), (count, 1)), axis=1)
    at = np.zeros(count, np.int64)
    for ply in range(cells - 1):
        after = np.where(ply < stones, game.successors[at, orders[:, ply]], at)
        stones = np.where(game.over[after], ply, stones)
        at = np.where(game.over[after], at, after)
    return at


class TableLearner(PartsLearner[ConfigT]):
    """Learner with one value per afterstate, whose player takes the best move.

    With `symmetric` in the config, images of a position share the entry of their representative.
    With `self_play`, the table moves for both sides; otherwise an environment replies.
    The part "weights" contains the table, `values` (positions,), in float64.
    """

    values: NDArray[np.float64]

    def __init__(self, config: Any, rules: Rules) -> None:
        super().__init__(config, rules)
        opponent = None if config.self_play else "random"
        self.env = VectorTicTacToe.of(rules, config.games, opponent=opponent, seat="X", obs="board")
        self.env.np_random = self.rng
        self.classes = symmetry_classes(rules, config.symmetric)
        self.game, self.representative = self.classes.game, self.classes.representative
        after = self.game.successors
        # The entry of each move (positions, cells); illegal moves have the one behind the table.
        self.entries = np.where(after >= 0, self.representative[after], len(self.game))

    def move_values(self, at: Rows) -> NDArray[np.float64]:
        """Return the value of each move (games, cells) in positions `at`; -2 if illegal."""
        return np.append(self.values, -2.0).take(self.entries.take(at, axis=0))

    def play(self, at: Rows, cells: Cells) -> tuple[Rows, Outcomes, Rows]:
        """Play a move in every game, and the other side's reply, if it has one; games restart.

        Args:
            at: the positions (games,).
            cells: the moves (games,).

        Returns:
            The positions after the moves, the outcomes for the side that moved, and the positions
            of the next moves, (games,) each.
        """
        after = self.game.successors[at, cells]
        if self.env.match.opponent is None:
            outcomes = SEEN_BY_OTHER[self.game.outcomes[after]]
            return after, outcomes, np.where(outcomes == Outcome.GOING, after, 0)
        _, _, ended, _, infos = self.env.step(cells)
        outcomes = infos["final_info"]["outcome"] if ended.any() else np.zeros(len(at), np.int8)
        return after, outcomes, self.game.index(self.env.boards)

    def move_toward(self, entries: Rows, targets: NDArray[np.float64], share: float) -> None:
        """Move the values of entries by a share of the way toward the means of their targets.

        Args:
            entries: the indices in the table (targets,), each as often as it has targets.
            targets: the targets.
            share: the share, from 0 to 1.
        """
        sums = np.bincount(entries, targets, len(self.values))
        counts = np.bincount(entries, minlength=len(self.values))
        self.values += share * (sums - counts * self.values) / np.maximum(counts, 1)

    @classmethod
    def empty_weights(cls, config: Any, rules: Rules) -> dict[str, Tensor]:
        """Return one number per position, on the meta device."""
        require_enumerable(rules)
        return {"values": torch.empty(len(positions(rules)), dtype=torch.float64, device="meta")}

    @classmethod
    def player(cls, config: Any, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return the player that takes a table's best move, the first if tied."""
        classes = symmetry_classes(rules, config.symmetric)
        after, values = classes.game.successors, weights["values"].cpu().numpy()
        moves = np.where(after >= 0, values[classes.representative[after]], -2.0)
        return player_of(classes.game, moves.argmax(axis=1))
