"""Buffer of positions with proven values and good moves, which can be looked up by board."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learners.buffers import Examples, ExamplesBuffer
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical
from tttenv.game.types import Boards


class Known(NamedTuple):
    """Proven results and good moves for the stored boards of a batch."""

    rows: NDArray[np.int64]  # (known,): their numbers in the batch
    policies: NDArray[np.float32]  # (known, cells): positive for good moves only
    results: NDArray[np.float32]  # (known, 3): 1 for the proven one of a win, a draw and a loss

    @property
    def values(self) -> NDArray[np.int8]:
        """The proven values (known,) for the side to move."""
        return np.asarray(1 - self.results.argmax(axis=1), np.int8)

    def keep_good_moves(self, policies: NDArray[Any]) -> NDArray[np.float32]:
        """Restrict policies (known, cells) to good moves; if none is left, use stored ones."""
        good = np.where(self.policies > 0, policies, 0).astype(np.float32)
        total = good.sum(axis=1, keepdims=True)
        return np.where(total > 1e-3, good / np.maximum(total, 1e-3), self.policies)


class ProvenPositions(ExamplesBuffer):
    """A buffer of the last `capacity` examples, in which only good moves have probability."""

    def __init__(self, capacity: int, rules: Rules) -> None:
        super().__init__(capacity, rules)
        self.rules = rules
        self.rows: dict[bytes, int] = {}  # by canonical board, the row of its latest example

    def add(self, new: Examples) -> None:
        """Store examples in canonical form, replacing the oldest."""
        boards, which = canonical(self.rules, new.boards)
        turned = np.take_along_axis(new.policies, self.maps[which], axis=1)
        super().add(new._replace(boards=boards, policies=turned))
        self._index()

    def find(self, boards: Boards) -> Known:
        """Look up the proven results and good moves of boards (batch, cells)."""
        images, which = canonical(self.rules, boards)
        rows = np.array([self.rows.get(image.tobytes(), -1) for image in images], np.int64)
        known = np.flatnonzero(rows >= 0)
        back = self.inverses[which[known]]
        policies = np.take_along_axis(self.kept.policies[rows[known]], back, axis=1)
        return Known(known, policies, self.kept.results[rows[known]])

    def correct(self, examples: Examples) -> Examples:
        """Correct the examples whose results are proven."""
        known = self.find(examples.boards)
        policies, results = examples.policies.copy(), examples.results.copy()
        policies[known.rows] = known.keep_good_moves(policies[known.rows])
        results[known.rows] = known.results
        return examples._replace(policies=policies, results=results)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the `state_dict()` of a buffer with the same capacity.

        Raises:
            ValueError: for examples that do not belong to this game.
        """
        super().load_state_dict(state)
        self._index()

    def _index(self) -> None:
        """Index the rows by board, keeping the latest row of each board."""
        rows = np.arange(self.seen - len(self), self.seen) % max(self.capacity, 1)
        self.rows = {self.kept.boards[row].tobytes(): row for row in rows.tolist()}
