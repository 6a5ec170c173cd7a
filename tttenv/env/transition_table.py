"""Lookup tables of small games for compiled steps."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.env import table_games_kernel
from tttenv.exact.enumeration import Positions, positions
from tttenv.game.features import one_hot
from tttenv.game.outcomes_kernel import ILLEGAL, SEEN_BY_OTHER, Outcomes
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.utils.arrays import read_only

FEW = 12  # cells up to which the table is small enough to be fast


class TransitionTable(NamedTuple):
    """Positions of a game, their transitions and their observations."""

    positions: Positions
    outcomes: Outcomes  # (positions,), for the side to move
    planes: NDArray[np.float32]  # (positions, 3 * cells), in the view of the side to move
    masks: Boards  # (positions, cells)
    showing_planes: table_games_kernel.Table  # whose views are these planes
    showing_boards: table_games_kernel.Table  # whose views are boards


@lru_cache(maxsize=8)
def transition_table(rules: Rules) -> TransitionTable:
    """Return the transition table of a small game; cached."""
    known = positions(rules)
    outcomes = known.outcomes
    masks = (known.successors >= 0).astype(np.int8)
    own = np.arange(len(known), dtype=np.int32)[:, None]
    to, made = known.successors, SEEN_BY_OTHER[outcomes[known.successors]]
    legal = (to << table_games_kernel.BITS) + made
    transitions = np.where(masks, legal, (own << table_games_kernel.BITS) + ILLEGAL).astype(
        np.uint32
    )
    legal_first = np.argsort(-masks, axis=1, kind="stable").astype(np.int8)
    walk = transitions, legal_first, masks.sum(axis=1, dtype=np.int8)
    planes, boards = one_hot(known.boards), known.boards
    views = np.concatenate((planes, one_hot(-boards))), np.concatenate((boards, -boards))
    allowed = records(np.concatenate((masks, np.zeros_like(masks[:1]))))
    tables = ((*walk, records(view), allowed) for view in views)
    return read_only(TransitionTable(known, outcomes, planes, masks, *tables))


def records(rows: NDArray[Any]) -> table_games_kernel.Rows:
    """View contiguous rows (rows, columns) as byte records (rows,) of a size the compiler knows.

    A record is copied by a few wide instructions, a row by a loop over its numbers.
    """
    return np.ndarray(len(rows), _record(rows.itemsize * rows.shape[1]), rows)


@lru_cache(maxsize=32)
def _record(size: int) -> np.dtype[np.void]:
    return np.dtype([("row", np.uint8, (size,))])


class ChildTable(NamedTuple):
    """Lookup tables for `game.rollouts_kernel.random_table_games`."""

    children: NDArray[np.int32]  # (positions, cells)
    child_count: NDArray[np.uint64]  # (positions,)
    values: NDArray[np.int8]  # (positions,): at final positions, for X
    plies: int  # the longest game


@lru_cache(maxsize=8)
def child_table(rules: Rules) -> ChildTable:
    """Return each position's children in consecutive columns; cached."""
    known = positions(rules)
    _, legal, legal_count, _, _ = transition_table(rules).showing_boards
    children = np.take_along_axis(known.successors, legal.astype(np.int64), axis=1)
    own = np.arange(len(known), dtype=np.int32)[:, None]
    sign = np.where(known.seats == 0, 1, -1)
    found = ChildTable(
        np.where(known.over[:, None], own, children),
        np.maximum(legal_count, 1).astype(np.uint64),
        (VALUES[known.outcomes] * sign).astype(np.int8),
        len(known.plies) - 2,
    )
    return read_only(found)
