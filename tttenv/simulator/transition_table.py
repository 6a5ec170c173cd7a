"""A small game as tables: what the compiled walks over its positions look up."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.enumeration import Positions, positions
from tttenv.game.features import one_hot
from tttenv.game.rules import Rules
from tttenv.kernels import table_step
from tttenv.kernels.outcomes import DRAW, GOING, ILLEGAL, LOSS, SEEN_BY_OTHER, Outcomes
from tttenv.kernels.passes import Known
from tttenv.kernels.table_step import Opponent
from tttenv.kernels.types import Boards

FEW = 12  # cells up to which the table is small enough to be quick


class TransitionTable(NamedTuple):
    """What walking needs to know of every position."""

    game: Positions
    standing: Outcomes  # (positions,), for the side to move
    steps: table_step.Steps  # (positions, cells): what a stone leads to, see `kernels.table_step`
    planes: NDArray[np.float32]  # (positions, 3 * cells), seen by the side to move
    masks: Boards  # (positions, cells)
    views: table_step.Rows  # (2 * positions + 1,): the planes, the other side's view, then zeros
    allowed: table_step.Rows  # (positions,): the masks
    playable: NDArray[np.int8]  # (positions, cells): the legal cells first, in order
    many: NDArray[np.int8]  # (positions,): how many these are
    unknown: Opponent  # what is looked up of an opponent that is not: an empty table

    @property
    def known(self) -> Known:
        """What whole steps look up."""
        return self.steps, self.views, self.allowed, self.playable, self.many


@lru_cache(maxsize=8)
def tables(rules: Rules) -> TransitionTable:
    """The tables of a small game; made once, then kept."""
    game = positions(rules)
    standing = np.where(game.lost, LOSS, np.where(game.over, DRAW, GOING)).astype(np.int8)
    masks = (game.successors >= 0).astype(np.int8)
    playable = np.argsort(-masks, axis=1, kind="stable").astype(np.int8)
    many = masks.sum(axis=1, dtype=np.int8)
    planes, others = one_hot(game.boards), one_hot(-game.boards)
    own = np.arange(len(game), dtype=np.int32)[:, None]
    to, made = game.successors, SEEN_BY_OTHER[standing[game.successors]]
    steps = np.where(masks, (to << table_step.BITS) + made, (own << table_step.BITS) + ILLEGAL)
    nothing = np.zeros_like(planes[:1])
    return TransitionTable(
        game,
        standing,
        steps.astype(np.uint32),
        planes,
        masks,
        records(np.concatenate([planes, others, nothing])),
        records(masks),
        playable,
        many,
        (np.empty((0, rules.cells)), np.empty(0, np.int64)),
    )


def records(rows: NDArray[Any]) -> table_step.Rows:
    """Contiguous rows (rows, columns) as records of bytes (rows,), of a size the compiler knows.

    Copying one is a few wide instructions, copying a row number by number a loop.
    """
    return np.ndarray(len(rows), _record(rows.itemsize * rows.shape[1]), rows)


@lru_cache(maxsize=32)
def _record(size: int) -> np.dtype[np.void]:
    return np.dtype([("row", np.uint8, (size,))])


class ChildTable(NamedTuple):
    """What `kernels.rollouts.random_table_games` walks."""

    children: NDArray[np.int32]
    many: NDArray[np.uint64]
    outcome: NDArray[np.int8]
    plies: int


@lru_cache(maxsize=8)
def family(rules: Rules) -> ChildTable:
    """The legal moves' positions side by side; made once, then kept."""
    known, game = tables(rules), positions(rules)
    children = np.take_along_axis(game.successors, known.playable.astype(np.int64), axis=1)
    own = np.arange(len(game), dtype=np.int32)[:, None]
    beaten = np.where(game.seats == 0, -1, 1)  # the loser is to move
    return ChildTable(
        np.where(game.over[:, None], own, children),
        np.maximum(known.many, 1).astype(np.uint64),
        np.where(game.lost, beaten, 0).astype(np.int8),
        len(game.plies) - 2,
    )
