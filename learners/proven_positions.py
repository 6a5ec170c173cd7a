"""Positions whose good moves and values are proven: training examples that can be looked up."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learners.examples_buffer import Examples, ExamplesBuffer
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical
from tttenv.game.types import Boards


class Known(NamedTuple):
    """The proven facts about some boards of a batch."""

    rows: NDArray[np.int64]  # (known,): their numbers in the batch
    policies: NDArray[np.float32]  # (known, cells): positive for good moves only
    results: NDArray[np.float32]  # (known, 3): 1 for the proven one of a win, a draw and a loss

    @property
    def values(self) -> NDArray[np.int8]:
        """Return the proven values (known,), for the side to move."""
        return np.asarray(1 - self.results.argmax(axis=1), np.int8)

    def keep_good_moves(self, policies: NDArray[Any]) -> NDArray[np.float32]:
        """Restrict the policies (known, cells) to good moves; stored ones where none is left."""
        good = np.where(self.policies > 0, policies, 0).astype(np.float32)
        total = good.sum(axis=1, keepdims=True)
        return np.where(total > 1e-3, good / np.maximum(total, 1e-3), self.policies)


class ProvenPositions(ExamplesBuffer):
    """The last `capacity` examples of positions whose policies are positive for good moves only."""

    def __init__(self, capacity: int, rules: Rules) -> None:
        super().__init__(capacity, rules)
        self.rules = rules
        self.rows: dict[bytes, int] = {}  # by canonical board, the row of its latest example

    def add(self, new: Examples) -> None:
        """Store examples in place of the oldest, with their boards in canonical form."""
        boards, which = canonical(self.rules, new.boards)
        turned = np.take_along_axis(new.policies, self.maps[which], axis=1)
        super().add(new._replace(boards=boards, policies=turned))
        self._index()

    def find(self, boards: Boards) -> Known:
        """Return what is proven about the boards (batch, cells)."""
        images, which = canonical(self.rules, boards)
        rows = np.array([self.rows.get(image.tobytes(), -1) for image in images], np.int64)
        known = np.flatnonzero(rows >= 0)
        back = self.inverses[which[known]]
        policies = np.take_along_axis(self.kept.policies[rows[known]], back, axis=1)
        return Known(known, policies, self.kept.results[rows[known]])

    def correct(self, examples: Examples) -> Examples:
        """Return the examples, corrected by what is proven."""
        known = self.find(examples.boards)
        policies, results = examples.policies.copy(), examples.results.copy()
        policies[known.rows] = known.keep_good_moves(policies[known.rows])
        results[known.rows] = known.results
        return examples._replace(policies=policies, results=results)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore `state_dict()` of a buffer of the same capacity.

        Raises:
            ValueError: for examples that are none of this game.
        """
        super().load_state_dict(state)
        self._index()

    def _index(self) -> None:
        """Note the rows of all boards, the latest of each."""
        rows = np.arange(self.seen - len(self), self.seen) % max(self.capacity, 1)
        self.rows = {self.kept.boards[row].tobytes(): row for row in rows.tolist()}
