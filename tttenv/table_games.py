"""Games kept as numbers of positions: a stone is one look into the table of successors."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Positions, Tabulated, positions, tabulate
from tttenv.features import one_hot
from tttenv.games import Dice, Numbers, asked
from tttenv.kernels import walk
from tttenv.kernels.rollouts import random_table_games, table_games
from tttenv.policy import Policy, uniform
from tttenv.rules import Rules
from tttenv.types import Boards, Cells, Mask

FEW = 12  # cells up to which the table is small enough to be quick


class Tables(NamedTuple):
    """What walking needs to know of every position."""

    game: Positions
    standing: NDArray[np.int8]  # (positions,): going, lost or drawn, for the side to move
    planes: NDArray[np.float32]  # (positions, 3 * cells), seen by the side to move
    views: NDArray[np.float32]  # (2 * positions, 3 * cells): these, then seen by the other side
    masks: Boards  # (positions, cells)
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
    views = np.concatenate([one_hot(game.boards), one_hot(-game.boards)])
    planes = views[: len(game)]
    return Tables(game, standing.astype(np.int8), planes, views, masks, playable, many)


@lru_cache(maxsize=8)
def random_player(rules: Rules) -> Tabulated:
    """The uniform player, looked up."""
    return tabulate(rules, uniform)


class TableGames:
    """Games as numbers of positions; see `games.Games`."""

    def __init__(self, rules: Rules, count: int) -> None:
        self.tables = tables(rules)
        self.at, self.turned = np.zeros(count, np.int32), np.zeros(count, np.bool_)
        self.over, self.rewards = np.ones(count, np.bool_), np.zeros(count)

    def boards(self, which: Numbers | slice) -> Boards:
        boards: Boards = self.tables.game.boards[self.at[which]]
        return np.where(self.turned[which][:, None], -boards, boards)

    def finals(self, part: slice, planes: NDArray[np.float32]) -> None:
        at, turned, over = self.at[part], self.turned[part], self.over[part]
        walk.finals(at, turned, over, self.tables.views, planes[part])

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        return self.tables.game.seats[self.at[which]] ^ self.turned[which]

    def clear(self, which: Mask) -> None:
        self.at *= ~which
        self.turned &= ~which
        self.over &= ~which

    def put(self, boards: Boards) -> None:
        self.at[:], self.turned[:], self.over[:] = self.tables.game.index(boards), False, False

    def place(self, part: slice, cells: Cells, alone: bool) -> int:
        successors, standing = self.tables.game.successors, self.tables.standing
        at, turned, cells = self.at[part], self.turned[part], cells[part]
        rewards, over = self.rewards[part], self.over[part]
        return walk.place(at, turned, cells, successors, standing, alone, rewards, over)

    def random_cells(self, which: Numbers, dice: NDArray[np.floating]) -> Cells:
        return walk.pick_uniform(self.at, which, dice, self.tables.playable, self.tables.many)

    def answer(self, opponent: Policy, waiting: Numbers, dice: Dice) -> int:
        game, standing = self.tables.game, self.tables.standing
        if opponent is uniform:
            cells = self.random_cells(waiting, dice)
        elif isinstance(opponent, Tabulated) and opponent.rules == game.rules:
            cells = walk.pick(self.at, waiting, dice, opponent.reached, opponent.last)
        else:
            cells = asked(opponent, game.boards[self.at[waiting]], dice)
        successors, rewards, over = game.successors, self.rewards, self.over
        return walk.reply(self.at, waiting, cells, successors, standing, rewards, over)

    def observe(self, part: slice, planes: NDArray[np.float32], masks: Boards) -> None:
        known, at, over = self.tables, self.at[part], self.over[part]
        walk.observe(at, over, known.planes, known.masks, planes[part], masks[part])

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
