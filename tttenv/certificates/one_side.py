"""A player in one seat of a game, the subject of searches on boards too large to enumerate."""

from dataclasses import dataclass

import numpy as np

from tttenv.exact.evaluation import SEATS
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Policy


@dataclass(frozen=True, eq=False)
class SeatedPlayer:
    """A player that is a function of the board, in one seat of a game."""

    rules: Rules
    policy: Policy
    seat: str  # "X" or "O"
    name: str  # the player's name in messages

    def first_boards(self) -> Boards:
        """Return the boards (boards, cells) on which the player moves first, in its view."""
        if self.seat == "X":
            return self.rules.start(1)
        return -np.eye(self.rules.cells, dtype=np.int8)

    def own_moves(self, line: list[int]) -> tuple[Boards, list[int]]:
        """Return the boards (moves, cells) on which the player moves in a game, and its moves."""
        board, boards = self.rules.start(), []
        for stones, cell in enumerate(line):
            if SEATS[stones % 2] == self.seat:
                boards.append(board)
            board = self.rules.play(board, cell)
        return np.array(boards), line[SEATS.index(self.seat) :: 2]
