"""Games stored as indices of positions: a move is one lookup in the transition table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env import table_games_kernel
from tttenv.env.games import Dice, Numbers, asked
from tttenv.env.step_buffers_kernel import NOBODY, RANDOM, SEATS, TABLE, StepBuffers
from tttenv.env.transition_table import records, transition_table
from tttenv.exact.tabular import is_table
from tttenv.game.outcomes_kernel import GOING, WIN
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import FORFEIT, Policy, uniform

NO_PROBABILITIES = np.empty((0, 0)), np.empty(0, np.int64)  # for opponents that are not tables


class TableGames:
    """Games stored as indices of positions; see `games.GameBatch`."""

    def __init__(self, rules: Rules, games: int) -> None:
        self.table, self.rules = transition_table(rules), rules
        self.at = np.zeros(games, np.uint32)  # indices of positions, in the mover's view
        self.flipped = np.zeros(games, np.bool_)  # finished by the agent's own stone
        self.over, self.outcomes = np.ones(games, np.bool_), np.zeros(games, np.int8)

    def reset(self, which: Mask) -> None:
        others = ~which
        self.at *= others
        self.flipped &= others
        self.over &= others
        self.outcomes *= others  # GOING is zero

    def step(self, cells: Cells, self_play: bool) -> Numbers:
        waiting = np.empty(len(cells), np.int64)
        written = self.outcomes, self.over, self.flipped, waiting
        count = table_games_kernel.place(self.at, cells, self.table.showing_boards, *written)
        if self_play:  # positions are always in the next mover's view
            self.flipped[:] = False
        return waiting[:count]

    def compiled(self, opponent: Policy | None, seat: str) -> table_games_kernel.Opponent | None:
        taken = SEATS.index(seat)
        if opponent is not None and is_table(opponent) and opponent.rules == self.rules:
            return TABLE, taken, opponent.reached, opponent.last
        if opponent is None or opponent is uniform:
            kind = NOBODY if opponent is None else RANDOM
            return kind, taken, *NO_PROBABILITIES
        return None

    def reply(self, opponent: Any, waiting: Numbers, dice: Dice) -> int:
        table = self.table.showing_boards
        if isinstance(opponent, tuple):
            cells = table_games_kernel.sample_replies(self.at, waiting, dice, opponent, table)
        else:
            cells = asked(opponent, self.table.positions.boards[self.at[waiting]], dice)
            gone = waiting[cells == FORFEIT]
            self.outcomes[gone], self.over[gone], self.flipped[gone] = WIN, True, True
            waiting, cells = waiting[cells != FORFEIT], cells[cells != FORFEIT]
        return table_games_kernel.reply(self.at, waiting, cells, table, self.outcomes, self.over)

    def step_autoreset(self, cells: Cells, key: int, opponent: Any, buffers: StepBuffers) -> int:
        observations, masks, outcomes, over, finals, stale = buffers
        shown, last = (records(observations), records(masks)), records(finals)
        return table_games_kernel.step_autoreset(
            self.at,
            cells,
            np.uint64(key),
            opponent,
            self.table.showing(observations),
            (*shown, outcomes, over, last, stale),
        )

    def boards(self, which: Numbers | slice) -> Boards:
        boards: Boards = self.table.positions.boards[self.at[which]]
        return np.where(self.flipped[which][:, None], -boards, boards)

    def set_boards(self, boards: Boards) -> None:
        self.at[:], self.flipped[:] = self.table.positions.index(boards), False
        self.over[:], self.outcomes[:] = False, GOING

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        return self.table.positions.seats[self.at[which]] ^ self.flipped[which]

    def board_to_move(self, game: int) -> Boards:
        board: Boards = self.table.positions.boards[self.at[game]].copy()
        return board

    def observe(self, observations: NDArray[Any], masks: Boards) -> None:
        table, written = self.table.showing(observations), (records(observations), records(masks))
        table_games_kernel.observe(self.at, self.flipped, self.over, table, *written)

    def observe_finals(self, finals: NDArray[Any]) -> None:
        table = self.table.showing(finals)
        table_games_kernel.observe_finals(self.at, self.flipped, self.over, table, records(finals))

    def sample(self, key: int) -> Cells:
        _, legal, legal_count, _, _ = self.table.showing_boards
        cells = np.empty(len(self.at), np.int64)
        table_games_kernel.sample_legal(self.at, np.uint64(key), legal, legal_count, cells)
        return cells

    def keep(self, which: Mask) -> None:
        self.at, self.flipped = self.at[which], self.flipped[which]
        self.over, self.outcomes = self.over[which], self.outcomes[which]

    def state(self) -> tuple[NDArray[Any], ...]:
        return self.at, self.flipped, self.over, self.outcomes
