"""Games kept as boards: for any rules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.kernels import board_step
from tttenv.kernels.outcomes import GOING
from tttenv.kernels.random import STEP
from tttenv.kernels.table_step import END
from tttenv.kernels.types import Boards, Cells, Mask
from tttenv.policy import Policy, uniform
from tttenv.simulator.backend import Dice, Numbers, OpponentConfig, StepBuffers, asked
from tttenv.simulator.crew import Crew


class BoardBackend:
    """Games as boards; see `backend.Backend`."""

    def __init__(self, rules: Rules, count: int, crew: Crew | None = None) -> None:
        self.crew = crew or Crew(1)
        self.rules, self.shape = rules, (rules.m, rules.n, rules.k)
        self.stones, self.turned = rules.start(count), np.zeros(count, np.bool_)
        self.over, self.outcomes = np.ones(count, np.bool_), np.zeros(count, np.int8)
        self.ended = np.empty(count, np.uint32)

    def state(self) -> tuple[NDArray[Any], ...]:
        return self.stones, self.turned, self.over, self.outcomes

    def boards(self, which: Numbers | slice) -> Boards:
        return np.array(self.stones[which])

    def finals(self, part: slice, planes: NDArray[np.float32]) -> None:
        board_step.finals(self.stones[part], self.over[part], planes[part])

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        return self.rules.seat(self.stones[which]) ^ self.turned[which]

    def clear(self, which: Mask) -> None:
        self.stones[which], self.turned[which] = 0, False
        self.over[which], self.outcomes[which] = False, GOING

    def put(self, boards: Boards) -> None:
        self.stones[:], self.turned[:] = boards, False
        self.over[:], self.outcomes[:] = False, GOING

    def place(self, part: slice, cells: Cells, self_play: bool) -> int:
        stones, turned, ended = self.stones[part], self.turned[part], self.ended[part]
        written = self.outcomes[part], self.over[part], ended
        return len(ended) - board_step.place(
            stones, turned, cells[part], *written, self_play, *self.shape
        )

    def supports_fused_step(self, opponent: Policy | None, rng: np.random.Generator) -> bool:
        return opponent is None

    def step_autoreset(
        self, cells: Cells, lap: StepBuffers, wipe: bool, other: OpponentConfig
    ) -> int:
        def work(part: slice) -> int:
            own = lap.of(part)
            if wipe:
                own.finals.view(np.uint8).fill(0)  # as bytes: twice as quick as numbers
                own.ended[0] = END
            stones, turned = self.stones[part], self.turned[part]
            shown, told = (own.planes, own.masks), (own.outcomes, own.over)
            last = own.finals, own.ended
            return board_step.lap(stones, turned, cells[part], *shown, *told, *last, *self.shape)

        return self.crew.share(len(cells), work)

    def choose(self, key: int, cells: Cells) -> None:
        def work(part: slice) -> None:
            start = np.uint64((key + part.start * int(STEP)) % 2**64)
            board_step.choose(self.stones[part], start, cells[part])

        self.crew.share(len(cells), work, light=True)

    def answer(self, opponent: Policy, waiting: Numbers, dice: Dice) -> int:
        if opponent is uniform:
            cells = board_step.pick_uniform(self.stones, waiting, dice)
        else:
            cells = asked(opponent, -self.stones[waiting], dice)
        return board_step.reply(self.stones, waiting, cells, self.outcomes, self.over, *self.shape)

    def observe(self, part: slice, planes: NDArray[np.float32], masks: Boards) -> None:
        board_step.observe(self.stones[part], planes[part], masks[part])

    def keep(self, which: Mask) -> None:
        self.stones, self.turned = self.stones[which], self.turned[which]
        self.over, self.outcomes = self.over[which], self.outcomes[which]

    def close(self) -> None:
        """Nothing to end: the threads are the crew's."""
