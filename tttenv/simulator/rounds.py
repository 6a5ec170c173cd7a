"""Whole steps of a batch of table games, of all of them together, by any number of threads."""

import os
import time

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import Tabulated
from tttenv.kernels import passes, shift, table_step
from tttenv.kernels.desk import BUSY, TOTAL, Desk, settle
from tttenv.kernels.passes import Own
from tttenv.kernels.table_step import Opponent
from tttenv.kernels.types import Cells, Mask
from tttenv.policy import Policy
from tttenv.simulator.backend import OpponentConfig, StepBuffers
from tttenv.simulator.helpers import Helpers
from tttenv.simulator.pcg import read, write
from tttenv.simulator.transition_table import TransitionTable, records

CHUNK = 4096  # games that a thread takes at a time
SEATS = ("random", "X", "O")  # in the order of passes.EITHER, FIRST, SECOND


class Rounds:
    """Plays games given as numbers of positions.

    Args:
        tables: of the games' rules.
        at: the positions (games,), moved on.
        turned: all False, (games,).
        threads: how many share the work, as far as there are processors and chunks for them; it
            makes no difference to the games.
    """

    def __init__(
        self, tables: TransitionTable, at: NDArray[np.uint32], turned: Mask, threads: int
    ) -> None:
        games, self.tables, self.known = len(at), tables, tables.known
        self.chunk = CHUNK if threads > 1 else games
        chunks = -(-games // self.chunk)
        self.helpers = Helpers(min(threads, chunks, processors()) - 1)
        book = np.zeros((chunks, passes.COLUMNS), np.int64)
        lists, picked, dice = np.empty(games, np.uint32), np.empty(games, np.uint8), np.empty(games)
        self.own: Own = at, turned, lists, picked, dice, book, np.zeros(4, np.uint64)

    def alone(self, cells: Cells, lap: StepBuffers, wipe: bool) -> int:
        """A step of agents who move for both sides; as `Backend.step_autoreset`."""
        kind = passes.WIPE if wipe else passes.LAP
        self._lead(kind, passes.LAP, 0, cells, lap, self.tables.unknown)
        return int(self.helpers.desk[TOTAL])

    def against(self, other: OpponentConfig, cells: Cells, lap: StepBuffers) -> int:
        """A step against an opponent, random or looked up, with a PCG64."""
        state, book, seat = self.own[-1], self.own[-2], SEATS.index(other.seat)
        read(other.rng, state)
        table = looked_up(other.opponent, self.tables)
        self._lead(passes.STONES, passes.OPENINGS, seat, cells, lap, table)
        write(other.rng, state)
        return int(book[:, passes.ENDED].sum())

    def choose(self, key: np.uint64, cells: Cells) -> None:
        """Write a random legal cell for each game, (games,)."""
        at, (_, _, _, playable, many) = self.own[0], self.known
        if not self.helpers.count:
            table_step.choose(at, key, playable, many, cells)
            return
        desk = self.helpers.called(self.known)
        try:
            shift.choose(desk, self.chunk, key, at, playable, many, cells)
            self._wait(desk)
        finally:
            settle(desk)

    def _lead(
        self, kind: int, until: int, seat: int, cells: Cells, lap: StepBuffers, table: Opponent
    ) -> None:
        """All passes from one kind until another."""
        desk = self.helpers.called(self.known)
        rows = records(lap.finals), records(lap.planes), records(lap.masks)
        shown = cells, lap.outcomes, lap.over, *rows, lap.ended
        while kind != shift.DONE:
            try:
                kind = shift.lead(
                    desk, kind, until, seat, self.chunk, self.own, shown, table, self.known
                )
                self._wait(desk)
            finally:
                settle(desk)

    def _wait(self, desk: Desk) -> None:
        """Leave the processor to a helper who is held up in the middle of a chunk."""
        while desk[BUSY]:
            time.sleep(0)


def processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def looked_up(opponent: Policy | None, tables: TransitionTable) -> Opponent:
    """What the compiled code looks up of an opponent: nothing of a random one, or of none."""
    if isinstance(opponent, Tabulated):
        return opponent.reached, opponent.last
    return tables.unknown
