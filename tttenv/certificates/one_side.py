"""A player in one seat, as searched on boards too large to enumerate."""

from dataclasses import dataclass

import numpy as np

from tttenv.exact.evaluation import SEATS
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Policy


@dataclass(frozen=True, eq=False)
class SeatedPlayer:
    """A player in one seat of a game; its output depends only on the board."""

    rules: Rules
    policy: Policy
    seat: str  # "X" or "O"
    name: str  # the player's name in messages

    def first_boards(self) -> Boards:
        """Return the boards (boards, cells) of the player's first move, from its perspective."""
        if self.seat == "X":
            return self.rules.start(1)
        return -np.eye(self.rules.cells, dtype=np.int8)

    def ends_by_a_line(self, line: list[int]) -> bool:
        """Return whether a lost game ends with a line of the opponent, not a forfeit."""
        board = self.rules.start()
        for cell in line:
            board = self.rules.play(board, cell)
        return bool(self.rules.over(board))

    def rounds(self, line: list[int]) -> int:
        """Return the round in which a game is lost; a round is a move by the player and a reply."""
        return len(line) // 2 + (not self.ends_by_a_line(line))

    def own_moves(self, line: list[int]) -> tuple[Boards, list[int]]:
        """Return the boards on which the player moves in a game, and its moves.

        If the player forfeits at the end of the game, that board comes last, and there is one board
        (boards, cells) more than moves.
        """
        board, boards = self.rules.start(), []
        for stones, cell in enumerate(line):
            if SEATS[stones % 2] == self.seat:
                boards.append(board)
            board = self.rules.play(board, cell)
        if SEATS[len(line) % 2] == self.seat and not self.rules.over(board):
            boards.append(board)
        shape = len(boards), self.rules.cells
        return np.array(boards, np.int8).reshape(shape), line[SEATS.index(self.seat) :: 2]
