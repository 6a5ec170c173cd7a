"""Policies stored as tables of move probabilities, for every position of a small game."""

from dataclasses import replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.enumeration import positions
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask, Probs
from tttenv.policy import Player, Policy, Traits, player_for, validated
from tttenv.utils.arrays import read_only

TABLE = Traits(pure=True, alone=True)


class Tabulated(Player):
    """A policy stored as a table of move probabilities, one row per position.

    The table (positions, cells), or a function that returns the rows of positions by index, has to
    be a valid policy. It is equivariant, and forfeits by rows of zeros, if the player does.
    """

    queried_twice = 0  # positions on which the original policy was queried again
    illegal_mass: float | None = None  # what a mask hides, see `tttenv.policy.hidden_by_mask`
    only_illegal: float | None = None

    def __init__(self, rules: Rules, table: Any, player: Player | None = None) -> None:
        game, known = positions(rules), TABLE if player is None else player.traits
        kept = {name: getattr(known, name) for name in ("equivariant", "forfeits", "seat")}
        traits = replace(TABLE, **kept)
        super().__init__(rules, traits, "" if player is None else player.name)
        if not callable(table):
            table = np.asarray(table)
            if table.shape != game.boards.shape:
                raise ValueError(
                    f"a table on {rules} must have shape {game.boards.shape}, not {table.shape}"
                )
        self.table: Probs = np.zeros(game.boards.shape)  # read-only once it is filled
        for block in game.blocks(slice(0, len(game.decisions))):  # of about 130,000
            which = game.decisions[block]
            rows = table(which) if callable(table) else table[which]
            self.table[which] = validated(game.boards[which], rows, traits.forfeits)
        read_only(self.table)

    @classmethod
    def uniform_over(cls, rules: Rules, moves: Mask) -> "Tabulated":
        """Return the policy that is uniform over the marked moves (positions, cells).

        Args:
            rules: a game of up to 16 cells.
            moves: at least one legal move of each undecided position.

        Raises:
            ValueError: if a position has none, or an illegal one.
        """
        return cls(rules, Mixture(rules, moves).at)

    def at(self, which: NDArray[np.int64]) -> Probs:
        """Return the probabilities (which, cells) of the positions with indices `which`."""
        return self.table[which]

    @cached_property
    def reached(self) -> Probs:
        """Cumulative probabilities (positions, cells), cell by cell."""
        return read_only(self.table.cumsum(axis=1))

    @cached_property
    def last(self) -> NDArray[np.int64]:
        """Index of the last cell with nonzero probability, per position (positions,)."""
        moves = self.table[:, ::-1] > 0
        return read_only(np.asarray(moves.shape[1] - 1 - moves.argmax(axis=1)))

    @cached_property
    def rows(self) -> list[tuple[list[float], int]]:
        """Rows of `reached` and `last` as Python numbers, one pair per position."""
        return list(zip(self.reached.tolist(), self.last.tolist(), strict=True))

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        return self.at(positions(self.rules).index(boards))


class Mixture(Player):
    """A policy that is uniform over marked moves, in an eighth of the memory of a `Tabulated`."""

    def __init__(self, rules: Rules, moves: Mask) -> None:
        super().__init__(rules, TABLE)
        self.moves = moves

    def at(self, which: NDArray[np.int64]) -> Probs:
        """Return the probabilities (which, cells) of the positions with indices `which`."""
        moves = self.moves[which]
        rows: Probs = moves / np.maximum(moves.sum(axis=1, keepdims=True), 1)
        return rows

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        return self.at(positions(self.rules).index(boards))


def is_table(policy: object) -> TypeGuard[Tabulated]:
    """Return whether a policy is a table without forfeits, which compiled code can play."""
    return isinstance(policy, Tabulated) and not policy.traits.forfeits


def tabulate(rules: Rules, policy: Policy) -> Tabulated:
    """Query `policy` on every undecided position, in canonical order, and store its output.

    Args:
        rules: a game of up to 16 cells.
        policy: a player, or a function of boards (batch, cells); a table is returned as it is.

    Raises:
        ValueError: if the game is larger, the player plays another game, or its output is invalid.
    """
    return table_of(player_for(rules, policy))


def table_of(player: Player) -> Tabulated:
    """Return the table of a player, see `tabulate`."""
    if isinstance(player, Tabulated):
        return player
    boards = positions(player.rules).boards
    return Tabulated(player.rules, lambda which: player(boards[which]), player)
