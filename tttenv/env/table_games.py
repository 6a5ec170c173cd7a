"""Games stored as indices of positions, where a move is one lookup in the transition table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env import table_games_kernel
from tttenv.env.games import GameBatch, Numbers
from tttenv.env.step_options_kernel import NOBODY, RANDOM, TABLE
from tttenv.env.transition_table import records, transition_table
from tttenv.exact.tabular import is_table
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Policy, uniform

NO_PROBABILITIES = np.empty((0, 0)), np.empty(0, np.int64)  # for opponents that are not tables


class TableGames(GameBatch):
    """A batch of games stored as position indices; see `GameBatch`."""

    kernel = table_games_kernel

    def __init__(self, rules: Rules, games: int, planes: bool = True) -> None:
        self.table = transition_table(rules)
        known = self.table.showing_planes if planes else self.table.showing_boards
        super().__init__(rules, np.zeros(games, np.uint32), known, planes)

    def compiled(self, opponent: Policy | None) -> table_games_kernel.Opponent | None:
        """Return the kernel's encoding of no opponent, a random one or a table; else None."""
        if opponent is not None and is_table(opponent) and opponent.rules == self.rules:
            return TABLE, opponent.reached, opponent.last
        if opponent is None or opponent is uniform:
            return NOBODY if opponent is None else RANDOM, *NO_PROBABILITIES
        return None

    def boards(self, which: Numbers | slice) -> Boards:
        """Return a copy of the boards of the games `which`, from the agent's perspective."""
        boards: Boards = self.table.positions.boards[self.stored[which]]
        return np.where(self.flipped[which][:, None], -boards, boards)

    def boards_to_reply(self, which: Numbers) -> Boards:
        """Return a copy of the boards of the games `which`, from the opponent's perspective."""
        boards: Boards = self.table.positions.boards[self.stored[which]]
        return boards

    def board_to_move(self, game: int) -> Boards:
        """Return a game's board (cells,) from the mover's perspective, even if the game is over."""
        board: Boards = self.table.positions.boards[self.stored[game]].copy()
        return board

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        """Return the agent's seat in each of the games `which`: 0 for X, 1 for O."""
        seats: NDArray[np.int64] = self.table.positions.seats[self.stored[which]]
        return seats ^ self.flipped[which]

    def _stored(self, boards: Boards) -> NDArray[Any]:
        return self.table.positions.index(boards)

    def _as_rows(self, array: NDArray[Any]) -> NDArray[Any]:
        return records(array) if array.ndim == 2 else array
