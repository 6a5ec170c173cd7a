"""Buffer of AlphaZero's training examples: positions with policy and result targets."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learners.ring_buffer import RingBuffer
from tttenv.game.rules import Rules
from tttenv.game.symmetry import inverses, maps
from tttenv.game.types import Boards


class Examples(NamedTuple):
    """A batch of positions with targets; field names are keys in stored training states."""

    boards: Boards  # (batch, cells), seen by the side to move
    policies: NDArray[np.float32]  # (batch, cells): probabilities; all zero without a target
    results: NDArray[np.float32]  # (batch, 3): probabilities of a win, a draw and a loss
    replies: NDArray[np.int16]  # (batch,): the other side's next move, or -1


class ExamplesBuffer(RingBuffer):
    """A buffer of the last `capacity` examples.

    Args:
        capacity: the number of examples stored; new ones overwrite the oldest.
        rules: the game.
    """

    kept: Examples

    def __init__(self, capacity: int, rules: Rules) -> None:
        self.maps, self.inverses = maps(rules), inverses(rules)
        kept = Examples(
            boards=rules.start(capacity),
            policies=np.zeros((capacity, rules.cells), np.float32),
            results=np.zeros((capacity, 3), np.float32),
            replies=np.full(capacity, -1, np.int16),
        )
        super().__init__(kept, capacity)

    @property
    def boards(self) -> Boards:
        """The stored boards (len(self), cells)."""
        return self.kept.boards[: len(self)]

    def sample(
        self, count: int, rng: np.random.Generator, among: NDArray[np.int64] | None = None
    ) -> Examples:
        """Sample `count` examples with replacement, each mapped by a random symmetry.

        Args:
            count: the number of examples.
            rng: the generator.
            among: the rows to sample from; None for all.
        """
        rows = rng.integers(0, len(self) if among is None else max(len(among), 1), count)
        rows = rows if among is None else among[rows]
        which = rng.integers(0, len(self.maps), count)
        turn, kept = self.maps[which], self.kept
        replies = kept.replies[rows]
        turned = self.inverses[which, replies]  # those of -1 are replaced below
        return Examples(
            boards=np.take_along_axis(kept.boards[rows], turn, axis=1),
            policies=np.take_along_axis(kept.policies[rows], turn, axis=1),
            results=kept.results[rows],
            replies=np.where(replies < 0, -1, turned).astype(np.int16),
        )

    def check(self, kept: Examples) -> None:
        """Raise ValueError for invalid boards, probabilities or moves."""
        if not (abs(kept.boards.astype(int)) <= 1).all():
            raise ValueError("its buffer holds invalid boards")
        probs = np.concatenate([kept.policies.ravel(), kept.results.ravel()])
        if not ((probs >= 0) & (probs <= 1)).all():
            raise ValueError("its buffer holds invalid probabilities")
        if not ((kept.replies >= -1) & (kept.replies < kept.boards.shape[1])).all():
            raise ValueError("its buffer holds invalid moves")


def checked_rows(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Validate row indices of a buffer with `count` examples, and return them.

    Raises:
        ValueError: for anything else.
    """
    if rows.ndim != 1 or rows.dtype != np.int64 or not ((rows >= 0) & (rows < count)).all():
        raise ValueError(f"its rows must be among {count}")
    return rows


def no_examples(rules: Rules) -> Examples:
    """Return an empty batch of examples."""
    return ExamplesBuffer(0, rules).kept


def concatenated(parts: list[Examples]) -> Examples:
    """Concatenate batches of examples."""
    return Examples(*map(np.concatenate, zip(*parts, strict=True)))
