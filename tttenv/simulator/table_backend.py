"""Games kept as numbers of positions: a stone is one look into the table of successors."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Tabulated
from tttenv.game.rules import Rules
from tttenv.kernels import table_step
from tttenv.kernels.outcomes import GOING
from tttenv.kernels.rounds import stones
from tttenv.kernels.types import Boards, Cells, Mask
from tttenv.policy import Policy, uniform
from tttenv.simulator.backend import Dice, Numbers, OpponentConfig, StepBuffers, asked
from tttenv.simulator.crew import Crew
from tttenv.simulator.pcg import is_pcg
from tttenv.simulator.rounds import Rounds, looked_up
from tttenv.simulator.transition_table import records, tables


class TableBackend:
    """Games as numbers of positions; see `backend.Backend`."""

    def __init__(self, rules: Rules, count: int, crew: Crew | None = None) -> None:
        self.tables, self.threads = tables(rules), crew.threads if crew else 1
        self.at, self.turned = np.zeros(count, np.uint32), np.zeros(count, np.bool_)
        self.over, self.outcomes = np.ones(count, np.bool_), np.zeros(count, np.int8)
        self.lists = np.empty(count, np.uint32)

    def state(self) -> tuple[NDArray[Any], ...]:
        return self.at, self.turned, self.over, self.outcomes

    def boards(self, which: Numbers | slice) -> Boards:
        boards: Boards = self.tables.game.boards[self.at[which]]
        return np.where(self.turned[which][:, None], -boards, boards)

    def finals(self, part: slice, planes: NDArray[np.float32]) -> None:
        at, turned, over = self.at[part], self.turned[part], self.over[part]
        table_step.finals(at, turned, over, self.tables.views, records(planes[part]))

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        return self.tables.game.seats[self.at[which]] ^ self.turned[which]

    def clear(self, which: Mask) -> None:
        others = ~which
        self.at *= others
        self.turned &= others
        self.over &= others
        self.outcomes *= others  # the number of GOING is zero

    def put(self, boards: Boards) -> None:
        self.at[:], self.turned[:] = self.tables.game.index(boards), False
        self.over[:], self.outcomes[:] = False, GOING

    def place(self, part: slice, cells: Cells, self_play: bool) -> int:
        at, turned, cells = self.at[part], self.turned[part], cells[part]
        written = self.outcomes[part], self.over[part], self.lists[part]
        if self_play:
            return len(at) - table_step.place(at, cells, self.tables.steps, *written)
        return stones(at, turned, cells, self.tables.steps, *written)

    def supports_fused_step(self, opponent: Policy | None, rng: np.random.Generator) -> bool:
        return opponent is None or (self._supports(opponent) and is_pcg(rng))

    def step_autoreset(
        self, cells: Cells, lap: StepBuffers, wipe: bool, other: OpponentConfig
    ) -> int:
        if other.opponent is None:
            return self.rounds.alone(cells, lap, wipe)
        return self.rounds.against(other, cells, lap)

    def choose(self, key: int, cells: Cells) -> None:
        self.rounds.choose(np.uint64(key), cells)

    @cached_property
    def rounds(self) -> Rounds:
        """What plays whole steps of these games."""
        return Rounds(self.tables, self.at, self.turned, self.threads)

    def answer(self, opponent: Policy, waiting: Numbers, dice: Dice) -> int:
        known = self.tables
        if self._supports(opponent):
            cells, rows = np.empty(len(waiting), np.uint8), (known.playable, known.many)
            table_step.fall(self.at, waiting, dice, looked_up(opponent, known), *rows, cells)
        else:
            cells = asked(opponent, known.game.boards[self.at[waiting]], dice).astype(np.uint8)
        return table_step.reply(self.at, waiting, cells, known.steps, self.outcomes, self.over)

    def observe(self, part: slice, planes: NDArray[np.float32], masks: Boards) -> None:
        known, rows = self.tables, (records(planes[part]), records(masks[part]))
        table_step.observe(self.at[part], known.views, known.allowed, *rows)

    def keep(self, which: Mask) -> None:
        self.at, self.turned = self.at[which], self.turned[which]
        self.over, self.outcomes = self.over[which], self.outcomes[which]
        vars(self).pop("rounds", None)

    def close(self) -> None:
        if "rounds" in vars(self):
            self.rounds.helpers.close()

    def _supports(self, opponent: Policy) -> bool:
        if isinstance(opponent, Tabulated):
            return opponent.rules == self.tables.game.rules
        return opponent is uniform
