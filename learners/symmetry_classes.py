"""Symmetry classes of positions, and learners that keep a table with one entry per class."""

from typing import Any, Generic

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learners.parts import ConfigT, SavesParts
from tttenv.exact import Positions, Tabulated, positions, require_enumerable
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, maps
from tttenv.game.types import Cells
from tttenv.policy import Player


class SymmetryClasses:
    """Maps every position to a representative of its symmetry class.

    Args:
        game: all positions.
        symmetric: use one representative per class; False: each position represents itself.
    """

    def __init__(self, game: Positions, symmetric: bool) -> None:
        boards = game.boards
        which = np.zeros(len(game), np.int64)
        if symmetric:
            boards, which = canonical(game.rules, boards)
        self.representative = game.index(boards)  # (positions,): the number of the representative
        self.cell_map = maps(game.rules)[which]  # (positions, cells): its cells, on the position
        own = (self.representative == np.arange(len(game))) & ~game.over
        # The numbers of the undecided representatives with X to move, and of those with O to move.
        self.rows = [np.flatnonzero(own & (game.seats == seat)) for seat in (0, 1)]

    def expand_cells(self, cells: Cells) -> Cells:
        """Map the cells chosen for representatives to all positions (positions,).

        Entries for other positions are ignored.
        """
        chosen = cells[self.representative]
        mapped: Cells = np.take_along_axis(self.cell_map, chosen[:, None], axis=1)[:, 0]
        return mapped


def sample_by_play(game: Positions, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Sample the indices (count,) of positions after 0 to cells - 1 random moves.

    A move that would end the game is not played, and no further move follows. So boards with many
    stones are rarer than among all positions, and boards with X to move more frequent.
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


class PlaysByTable(SavesParts, Generic[ConfigT]):
    """Learner with one value per afterstate, whose player takes the best move.

    With `symmetric` in the config, images of a position share the entry of their representative.
    The part "weights" contains the table, `values` (positions,), in float64.
    """

    config: ConfigT
    values: Tensor

    def __init__(self, config: Any, rules: Rules) -> None:
        self.config, self.rules, self.game = config, rules, positions(rules)
        self.representative, self.after = _numbers(self.game, config.symmetric)

    def policy(self) -> Player:
        """Return the player that takes the table's best move, the first if tied."""
        return _greedy(self.game, self.move_values(torch.arange(len(self.game))))

    def move_values(self, at: Tensor) -> Tensor:
        """Return the value of each move (positions, cells) in the positions with indices `at`.

        It is -2 for illegal moves.
        """
        return _move_values(self.after[at], self.values, self.representative)

    @classmethod
    def empty_weights(cls, config: Any, rules: Rules) -> dict[str, Tensor]:
        """Return one number per position, on the meta device."""
        require_enumerable(rules)
        return {"values": torch.empty(len(positions(rules)), dtype=torch.float64, device="meta")}

    @classmethod
    def player(cls, config: Any, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return the player that is greedy with respect to a table with the given values."""
        game = positions(rules)
        representative, after = _numbers(game, config.symmetric)
        return _greedy(game, _move_values(after, weights["values"], representative))


def _numbers(game: Positions, symmetric: bool) -> tuple[Tensor, Tensor]:
    """Return every position's representative (positions,), and its successors (-1 for none)."""
    classes = SymmetryClasses(game, symmetric)
    after = torch.as_tensor(game.successors.astype(np.int64))  # (positions, cells)
    return torch.as_tensor(classes.representative), after


def _move_values(after: Tensor, values: Tensor, representative: Tensor) -> Tensor:
    return torch.where(after >= 0, values[representative[after]], -2.0)


def _greedy(game: Positions, moves: Tensor) -> Player:
    """Return a player that picks the move with the highest value (positions, cells)."""
    best = moves.argmax(dim=1, keepdim=True).cpu().numpy()
    chosen = np.arange(game.rules.cells) == best
    return Tabulated.uniform_over(game.rules, chosen & (game.successors >= 0))
