"""Games kept as numbers of positions: a stone is one look into the table of successors."""

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Tabulated
from tttenv.games import Dice, Lap, Numbers, asked
from tttenv.kernels import picks, walk
from tttenv.policy import Policy, uniform
from tttenv.rules import Rules
from tttenv.tables import records, tables
from tttenv.types import Boards, Cells, Mask


class TableGames:
    """Games as numbers of positions; see `games.Games`."""

    def __init__(self, rules: Rules, count: int) -> None:
        self.tables = tables(rules)
        self.at, self.turned = np.zeros(count, np.uint32), np.zeros(count, np.bool_)
        self.over, self.rewards = np.ones(count, np.bool_), np.zeros(count)
        self.ended = np.empty(count, np.uint32)

    def boards(self, which: Numbers | slice) -> Boards:
        boards: Boards = self.tables.game.boards[self.at[which]]
        return np.where(self.turned[which][:, None], -boards, boards)

    def finals(self, part: slice, planes: NDArray[np.float32]) -> None:
        at, turned, over = self.at[part], self.turned[part], self.over[part]
        walk.finals(at, turned, over, self.tables.views, records(planes[part]))

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        return self.tables.game.seats[self.at[which]] ^ self.turned[which]

    def clear(self, which: Mask) -> None:
        self.at *= ~which
        self.turned &= ~which
        self.over &= ~which

    def put(self, boards: Boards) -> None:
        self.at[:], self.turned[:], self.over[:] = self.tables.game.index(boards), False, False

    def place(self, part: slice, cells: Cells, alone: bool) -> int:
        at, turned, cells = self.at[part], self.turned[part], cells[part]
        rewards, over, ended = self.rewards[part], self.over[part], self.ended[part]
        steps = self.tables.steps
        return len(at) - walk.place(at, turned, cells, steps, alone, rewards, over, ended)

    def lap(self, part: slice, cells: Cells, lap: Lap) -> int:
        known, own, at, turned = self.tables, lap.of(part), self.at[part], self.turned[part]
        return walk.lap(
            at,
            turned,
            cells[part],
            known.steps,
            own.rewards,
            own.over,
            own.ended,
            known.shown,
            known.allowed,
            records(own.finals),
            records(own.planes),
            records(own.masks),
        )

    def choose(self, part: slice, key: np.uint64, cells: Cells) -> None:
        known = self.tables
        picks.choose(self.at[part], key, known.playable, known.many, cells[part])

    def answer(self, opponent: Policy, waiting: Numbers, dice: Dice) -> int:
        known = self.tables
        if opponent is uniform:
            cells = picks.pick_uniform(self.at, waiting, dice, known.playable, known.many)
        elif isinstance(opponent, Tabulated) and opponent.rules == known.game.rules:
            cells = picks.pick(self.at, waiting, dice, opponent.reached, opponent.last)
        else:
            cells = asked(opponent, known.game.boards[self.at[waiting]], dice)
        return walk.reply(self.at, waiting, cells, known.steps, self.rewards, self.over)

    def observe(self, part: slice, planes: NDArray[np.float32], masks: Boards) -> None:
        known, rows = self.tables, (records(planes[part]), records(masks[part]))
        walk.observe(self.at[part], known.shown, known.allowed, *rows)

    def keep(self, which: Mask) -> None:
        self.at, self.turned = self.at[which], self.turned[which]
        self.over, self.rewards = self.over[which], self.rewards[which]
