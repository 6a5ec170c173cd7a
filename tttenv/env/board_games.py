"""Batches of games stored as boards, for any rules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env import board_games_kernel
from tttenv.env.games import GameBatch, Numbers
from tttenv.env.step_options_kernel import NOBODY, RANDOM
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Policy, uniform


class BoardGames(GameBatch):
    """A batch of games stored as boards from the agent's perspective; see `GameBatch`."""

    kernel = board_games_kernel

    def __init__(self, rules: Rules, games: int, planes: bool = True) -> None:
        super().__init__(rules, rules.start(games), (rules.m, rules.n, rules.k), planes)

    def compiled(self, opponent: Policy | None) -> board_games_kernel.Opponent | None:
        """Return the kernel's encoding of no opponent or a random one; None for any other."""
        if opponent is None or opponent is uniform:
            return (NOBODY if opponent is None else RANDOM,)
        return None

    def boards(self, which: Numbers | slice) -> Boards:
        """Return a copy of the boards of the games `which`, from the agent's perspective."""
        return np.array(self.stored[which])

    def boards_to_reply(self, which: Numbers) -> Boards:
        """Return a copy of the boards of the games `which`, from the opponent's perspective."""
        return -self.stored[which]

    def board_to_move(self, game: int) -> Boards:
        """Return a game's board (cells,) from the mover's perspective, even if the game is over."""
        board: Boards = self.stored[game].copy()
        return -board if self.flipped[game] else board

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        """Return the agent's seat in each of the games `which`: 0 for X, 1 for O."""
        return self.rules.seat(self.stored[which]) ^ self.flipped[which]

    def _stored(self, boards: Boards) -> NDArray[Any]:
        return boards
