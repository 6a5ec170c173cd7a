"""Replay buffer of fixed size, from which transitions are sampled uniformly."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learners.ring_buffer import RingBuffer
from tttenv.game.rules import Rules
from tttenv.game.symmetry import inverses, maps
from tttenv.game.types import Boards, Cells, Mask


class Transitions(NamedTuple):
    """A batch of transitions; field names are keys in stored training states."""

    boards: Boards  # (batch, cells), seen by the side that moves
    cells: Cells  # (batch,): its moves
    rewards: NDArray[np.float32]  # (batch,), of the side that moves
    over: Mask  # (batch,): whether the game ended
    after: Boards  # (batch, cells), the next board to move on; undefined if over


class Replay(RingBuffer):
    """A buffer of the last `capacity` transitions.

    Args:
        capacity: the number of transitions stored; new ones overwrite the oldest.
        rules: the game.

    Raises:
        ValueError: for a capacity below 1.
    """

    kept: Transitions

    def __init__(self, capacity: int, rules: Rules) -> None:
        if capacity < 1:
            raise ValueError(f"a replay buffer must store at least one move, not {capacity}")
        self.maps, self.inverses = maps(rules), inverses(rules)
        kept = Transitions(
            rules.start(capacity),
            np.zeros(capacity, np.int64),
            np.zeros(capacity, np.float32),
            np.zeros(capacity, np.bool_),
            rules.start(capacity),
        )
        super().__init__(kept, capacity)

    def sample(self, count: int, rng: np.random.Generator, turned: bool = False) -> Transitions:
        """Sample `count` transitions with replacement; the buffer must not be empty.

        Args:
            count: the number of transitions.
            rng: the generator.
            turned: whether to replace each by a random image of it under the board's symmetries.
        """
        rows = rng.integers(0, len(self), count)
        boards, cells, rewards, over, after = self.kept
        drawn = Transitions(boards[rows], cells[rows], rewards[rows], over[rows], after[rows])
        return self.image(drawn, rng.integers(0, len(self.maps), count)) if turned else drawn

    def image(self, transitions: Transitions, which: NDArray[np.int64]) -> Transitions:
        """Map transitions (batch,) by the symmetries with indices `which` (batch,)."""
        turn = self.maps[which]
        return transitions._replace(
            boards=np.take_along_axis(transitions.boards, turn, axis=1),
            cells=self.inverses[which, transitions.cells],
            after=np.take_along_axis(transitions.after, turn, axis=1),
        )

    def check(self, kept: Transitions) -> None:
        """Raise ValueError for invalid boards or moves."""
        if not all((abs(boards.astype(int)) <= 1).all() for boards in (kept.boards, kept.after)):
            raise ValueError("its replay buffer holds invalid boards")
        if not ((kept.cells >= 0) & (kept.cells < kept.boards.shape[1])).all():
            raise ValueError("its replay buffer holds invalid moves")
