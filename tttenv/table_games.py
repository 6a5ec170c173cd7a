"""Games kept as numbers of positions: a stone is one look into the table of successors."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Positions, Tabulated, positions, tabulate
from tttenv.features import one_hot
from tttenv.games import Dice, Lap, Numbers, asked
from tttenv.kernels import picks, walk
from tttenv.kernels.rollouts import random_table_games, table_games
from tttenv.policy import Policy, uniform
from tttenv.rules import Rules
from tttenv.types import Boards, Cells, Mask

FEW = 12  # cells up to which the table is small enough to be quick


class Tables(NamedTuple):
    """What walking needs to know of every position."""

    game: Positions
    standing: NDArray[np.int8]  # (positions,): going, lost or drawn, for the side to move
    steps: walk.Steps  # (positions, cells): what a stone leads to, see `kernels.walk`
    planes: NDArray[np.float32]  # (positions, 3 * cells), seen by the side to move
    masks: Boards  # (positions, cells)
    shown: walk.Rows  # (positions + 1,): the planes, then zeros
    views: walk.Rows  # (2 * positions + 1,): the planes, the other side's view, then zeros
    allowed: walk.Rows  # (positions,): the masks
    playable: NDArray[np.int8]  # (positions, cells): the legal cells first, in order
    many: NDArray[np.int8]  # (positions,): how many these are


@lru_cache(maxsize=8)
def tables(rules: Rules) -> Tables:
    """The tables of a small game; made once, then kept."""
    game = positions(rules)
    standing = np.where(game.lost, walk.LOST, np.where(game.over, walk.DRAWN, walk.GOING))
    masks = (game.successors >= 0).astype(np.int8)
    playable = np.argsort(-masks, axis=1, kind="stable").astype(np.int8)
    many = masks.sum(axis=1, dtype=np.int8)
    planes, others = one_hot(game.boards), one_hot(-game.boards)
    own = np.arange(len(game), dtype=np.int32)[:, None]
    steps = np.where(masks, 4 * game.successors + standing[game.successors], 4 * own + walk.ILLEGAL)
    nothing = np.zeros_like(planes[:1])
    return Tables(
        game,
        standing.astype(np.int8),
        steps.astype(np.uint32),
        planes,
        masks,
        records(np.concatenate([planes, nothing])),
        records(np.concatenate([planes, others, nothing])),
        records(masks),
        playable,
        many,
    )


def records(rows: NDArray[Any]) -> walk.Rows:
    """The rows (rows, columns) as records of bytes (rows,), of a size known to the compiler.

    Copying one is a few wide instructions, copying a row number by number a loop.
    """
    seen: walk.Rows = rows.view(_record(rows.dtype.itemsize * rows.shape[1]))[:, 0]
    return seen


@lru_cache(maxsize=32)
def _record(size: int) -> np.dtype[np.void]:
    return np.dtype([("row", np.uint8, (size,))])


@lru_cache(maxsize=8)
def random_player(rules: Rules) -> Tabulated:
    """The uniform player, looked up."""
    return tabulate(rules, uniform)


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


def walked_out(
    rules: Rules, first: Policy, second: Policy, seeds: NDArray[np.uint64]
) -> NDArray[np.int8]:
    """Whole games of two players, random or looked up; see `kernels.rollouts`."""
    if first is uniform and second is uniform:
        return random_table_games(seeds, *family(rules))
    reached = []
    for player in (first, second):
        table = random_player(rules) if player is uniform else tabulate(rules, player)
        certain = np.arange(rules.cells) >= table.last[:, None]
        reached.append(np.where(certain, 1.0, table.reached))
    known = tables(rules)
    return table_games(seeds, known.game.successors, known.standing, *reached)


class Family(NamedTuple):
    """What `kernels.rollouts.random_table_games` walks."""

    children: NDArray[np.int32]
    many: NDArray[np.uint64]
    outcome: NDArray[np.int8]
    plies: int


@lru_cache(maxsize=8)
def family(rules: Rules) -> Family:
    """The legal moves' positions side by side; made once, then kept."""
    known, game = tables(rules), positions(rules)
    children = np.take_along_axis(game.successors, known.playable.astype(np.int64), axis=1)
    own = np.arange(len(game), dtype=np.int32)[:, None]
    beaten = np.where(game.seats == 0, -1, 1)  # the loser is to move
    return Family(
        np.where(game.over[:, None], own, children),
        np.maximum(known.many, 1).astype(np.uint64),
        np.where(game.lost, beaten, 0).astype(np.int8),
        len(game.plies) - 2,
    )
