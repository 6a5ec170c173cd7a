"""Games stored as boards, for any rules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env import board_games_kernel
from tttenv.env.games import Dice, Numbers, asked
from tttenv.env.step_buffers_kernel import NOBODY, RANDOM, SEATS, StepBuffers
from tttenv.game.outcomes_kernel import GOING, WIN
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import FORFEIT, Policy, uniform


class BoardGames:
    """Games stored as boards in the agent's view; see `games.GameBatch`."""

    def __init__(self, rules: Rules, games: int) -> None:
        self.rules, self.shape = rules, (rules.m, rules.n, rules.k)
        self.stones = rules.start(games)
        self.flipped = np.zeros(games, np.bool_)  # finished by the agent's own stone
        self.over, self.outcomes = np.ones(games, np.bool_), np.zeros(games, np.int8)

    def reset(self, which: Mask) -> None:
        self.stones[which], self.flipped[which] = 0, False
        self.over[which], self.outcomes[which] = False, GOING

    def step(self, cells: Cells, self_play: bool) -> Numbers:
        waiting = np.empty(len(cells), np.int64)
        written = self.outcomes, self.over, self.flipped, waiting
        count = board_games_kernel.place(self.stones, cells, self_play, self.shape, *written)
        return waiting[:count]

    def compiled(self, opponent: Policy | None, seat: str) -> board_games_kernel.Opponent | None:
        if opponent is None or opponent is uniform:
            kind = NOBODY if opponent is None else RANDOM
            return kind, SEATS.index(seat)
        return None

    def reply(self, opponent: Any, waiting: Numbers, dice: Dice) -> int:
        if isinstance(opponent, tuple):
            cells = board_games_kernel.sample_replies(self.stones, waiting, dice)
        else:
            cells = asked(opponent, -self.stones[waiting], dice)
            gone = waiting[cells == FORFEIT]
            self.outcomes[gone], self.over[gone], self.flipped[gone] = WIN, True, True
            waiting, cells = waiting[cells != FORFEIT], cells[cells != FORFEIT]
        written = self.outcomes, self.over
        return board_games_kernel.reply(self.stones, waiting, cells, self.shape, *written)

    def step_autoreset(self, cells: Cells, key: int, opponent: Any, buffers: StepBuffers) -> int:
        observations, masks, outcomes, over, finals, stale = buffers
        return board_games_kernel.step_autoreset(
            self.stones,
            cells,
            np.uint64(key),
            opponent,
            self.shape,
            (observations, masks, outcomes, over, finals, stale),
        )

    def boards(self, which: Numbers | slice) -> Boards:
        return np.array(self.stones[which])

    def set_boards(self, boards: Boards) -> None:
        self.stones[:], self.flipped[:] = boards, False
        self.over[:], self.outcomes[:] = False, GOING

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        return self.rules.seat(self.stones[which]) ^ self.flipped[which]

    def board_to_move(self, game: int) -> Boards:
        board: Boards = self.stones[game].copy()
        return -board if self.flipped[game] else board

    def observe(self, observations: NDArray[Any], masks: Boards) -> None:
        board_games_kernel.observe(self.stones, self.over, observations, masks)

    def observe_finals(self, finals: NDArray[Any]) -> None:
        board_games_kernel.observe_finals(self.stones, self.over, finals)

    def sample(self, key: int) -> Cells:
        cells = np.empty(len(self.stones), np.int64)
        board_games_kernel.sample_legal(self.stones, np.uint64(key), cells)
        return cells

    def keep(self, which: Mask) -> None:
        self.stones, self.flipped = self.stones[which], self.flipped[which]
        self.over, self.outcomes = self.over[which], self.outcomes[which]

    def state(self) -> tuple[NDArray[Any], ...]:
        return self.stones, self.flipped, self.over, self.outcomes
