"""Budgets of an alpha-beta search, in positions and seconds, and the scoring of root moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.players.search.alphabeta_kernel import (
    INFINITY,
    UNLIMITED,
    SearchState,
    begin_move,
    search_nodes,
)
from tttenv.utils.compile_time import now

SLICE = 20_000  # positions between two checks of the clock and of Ctrl-C


@dataclass(frozen=True)
class Limits:
    """Limits of a search; None means no limit."""

    depth: int | None  # plies
    nodes: int | None  # positions
    time: float | None  # seconds


class LimitError(Exception):
    """Raised to interrupt a search at its limit; the results of that depth are discarded."""


class Budget:
    """The remaining budget for one move.

    Args:
        left: the kernel state's counter (1,) of remaining positions.
        limits: the move's limits, of which the depth is ignored here.
    """

    def __init__(self, left: NDArray[np.int64], limits: Limits) -> None:
        self.left, self.limits = left, limits
        self.total = UNLIMITED if limits.nodes is None else limits.nodes
        self.left[0] = self.total
        self.deadline = None if limits.time is None else now() + limits.time

    @property
    def spent(self) -> int:
        """Number of positions searched so far."""
        return self.total - int(self.left[0])

    def check(self) -> None:
        """Raise LimitError if a limit is reached."""
        late = self.deadline is not None and now() >= self.deadline
        if late or self.left[0] <= 0:
            raise LimitError

    @contextmanager
    def part(self, share: float, nodes: int) -> Iterator[None]:
        """Limit a block to part of the budget, ending it early when that part is used up.

        Args:
            share: fraction of the positions and of the seconds, if they are limited.
            nodes: positions, if neither is limited.
        """
        whole, deadline = int(self.left[0]), self.deadline
        part = whole if self.limits.time is not None else nodes
        if self.limits.nodes is not None:
            part = min(whole, int(share * self.limits.nodes))
        if self.limits.time is not None and deadline is not None:
            self.deadline = min(deadline, now() + share * self.limits.time)
        self.left[0] = part
        try:
            yield
        except LimitError:
            pass
        finally:
            self.left[0] = whole - (part - int(self.left[0]))
            self.deadline = deadline


def score_move(
    state: SearchState, budget: Budget, cell: int, alpha: int, depth: int, beta: int = INFINITY
) -> int:
    """Return the score of a root move, for the side that makes it.

    Args:
        state: the kernel's arrays, started on the root's board.
        budget: the search's budget.
        cell: the move.
        alpha: a score of at most this is an upper bound of the true score.
        depth: plies, including the move.
        beta: a score of at least this is a lower bound of the true score.

    Raises:
        LimitError: if a limit is reached.
    """
    budget.check()
    begin_move(state, cell, alpha, beta, depth - 1)
    while state.ply[0] > 0:
        budget.check()
        search_nodes(state, SLICE)
    return -int(state.frames[1]["best"])
