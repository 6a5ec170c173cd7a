"""A player in one seat of a game: whom the searches past enumeration are about."""

from dataclasses import dataclass

import numpy as np

from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards
from tttenv.policy import Policy


@dataclass(frozen=True, eq=False)
class SeatedPlayer:
    """A player that is a function of the board, in one seat of a game."""

    rules: Rules
    policy: Policy
    seat: str  # "X" or "O"
    name: str  # of the player, for messages

    def first_boards(self) -> Boards:
        """The boards (boards, cells) on which the player moves first, seen by it."""
        if self.seat == "X":
            return self.rules.start(1)
        return -np.eye(self.rules.cells, dtype=np.int8)
