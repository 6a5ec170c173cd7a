"""Training examples of AlphaZero: positions with targets, in a buffer of fixed size."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.symmetry import inverses, maps
from tttenv.kernels.types import Boards
from tttenv.untrusted import shown


class Examples(NamedTuple):
    """Positions and targets; the fields' names are keys of stored training states."""

    boards: Boards  # (batch, cells), seen by the side to move
    policies: NDArray[np.float32]  # (batch, cells): probabilities; all zero where there is none
    results: NDArray[np.float32]  # (batch, 3): probabilities of a win, a draw and a loss
    replies: NDArray[np.int16]  # (batch,): the other side's next move, or -1


class ExamplesBuffer:
    """The last `capacity` examples.

    Args:
        capacity: how many are stored; further ones overwrite the oldest.
        rules: the game.
    """

    def __init__(self, capacity: int, rules: Rules) -> None:
        self.maps, self.inverses = maps(rules), inverses(rules)
        self.kept = Examples(
            boards=rules.start(capacity),
            policies=np.zeros((capacity, rules.cells), np.float32),
            results=np.zeros((capacity, 3), np.float32),
            replies=np.full(capacity, -1, np.int16),
        )
        self.capacity, self.seen = capacity, 0  # `seen`: examples ever added

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, new: Examples) -> None:
        """Store examples in place of the oldest; of more than `capacity` the last."""
        new = each(new, lambda part: part[-self.capacity :])
        rows = (self.seen + np.arange(len(new.boards))) % self.capacity
        for kept, part in zip(_arrays(self.kept), _arrays(new), strict=True):
            kept[rows] = part
        self.seen += len(rows)

    def sample(self, count: int, rng: np.random.Generator) -> Examples:
        """Images, drawn at random, of examples (count,) drawn with replacement."""
        rows, which = rng.integers(0, len(self), count), rng.integers(0, len(self.maps), count)
        drawn, turn = each(self.kept, lambda part: part[rows]), self.maps[which]
        replies = self.inverses[which, drawn.replies]  # those of -1 are replaced below
        return Examples(
            boards=np.take_along_axis(drawn.boards, turn, axis=1),
            policies=np.take_along_axis(drawn.policies, turn, axis=1),
            results=drawn.results,
            replies=np.where(drawn.replies < 0, -1, replies).astype(np.int16),
        )

    def state_dict(self) -> dict[str, Any]:
        """The stored examples and how many were ever added."""
        kept = {name: part[: len(self)].copy() for name, part in self.kept._asdict().items()}
        return {"seen": self.seen, "kept": kept}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict()` of a buffer of the same capacity.

        Raises:
            ValueError: for examples that are none of this game.
        """
        seen, kept = state["seen"], Examples(**state["kept"])
        count = min(seen, self.capacity)
        same = [(a[:count].shape, a.dtype) for a in self.kept] == [(a.shape, a.dtype) for a in kept]
        if not 0 <= seen < 2**62 or not same:
            raise ValueError(f"its buffer of {shown(seen)} examples has other shapes")
        if not (abs(kept.boards.astype(int)) <= 1).all():
            raise ValueError("its buffer holds boards that are none")
        probs = np.concatenate([kept.policies.ravel(), kept.results.ravel()])
        if not ((probs >= 0) & (probs <= 1)).all():
            raise ValueError("its buffer holds probabilities that are none")
        if not ((kept.replies >= -1) & (kept.replies < kept.boards.shape[1])).all():
            raise ValueError("its buffer holds moves that are none")
        self.seen = seen
        for array, part in zip(_arrays(self.kept), _arrays(kept), strict=True):
            array[:count] = part


def no_examples(rules: Rules) -> Examples:
    """An empty batch."""
    return ExamplesBuffer(0, rules).kept


def concatenated(parts: list[Examples]) -> Examples:
    """The examples of all parts."""
    return Examples(*map(np.concatenate, zip(*map(_arrays, parts), strict=True)))


def each(examples: Examples, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Examples:
    """The examples with every array changed."""
    return Examples(*map(change, _arrays(examples)))


def _arrays(examples: Examples) -> tuple[NDArray[Any], ...]:
    return tuple(examples)
