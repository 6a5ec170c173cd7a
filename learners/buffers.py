"""Buffers of fixed size: the latest transitions, examples and proven positions."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, inverses, maps
from tttenv.game.types import Boards, Cells, Mask


class RingBuffer:
    """A buffer of the last `capacity` rows, stored in the arrays of a NamedTuple.

    Args:
        kept: a NamedTuple of arrays that all begin with (capacity,); they become the storage.
            Its field names are keys of stored training states.
        capacity: the number of rows stored; new ones overwrite the oldest.

    Attributes:
        seen: the number of rows ever added.
    """

    kept: Any

    def __init__(self, kept: Any, capacity: int) -> None:
        self.kept, self.capacity, self.seen = kept, capacity, 0

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, new: Any) -> None:
        """Store rows, replacing the oldest; at most the last `capacity` new rows are stored."""
        count = min(len(new[0]), self.capacity)
        rows = (self.seen + np.arange(count)) % max(self.capacity, 1)
        for array, part in zip(self.kept, new, strict=True):
            array[rows] = part[len(part) - count :]
        self.seen += count

    def state_dict(self) -> dict[str, Any]:
        """Return the stored rows and the number of rows ever added."""
        kept = {name: part[: len(self)].copy() for name, part in self.kept._asdict().items()}
        return {"seen": self.seen, "kept": kept}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the `state_dict()` of a buffer with the same capacity."""
        self.seen = state["seen"]
        for name, array in self.kept._asdict().items():
            array[: len(self)] = state["kept"][name]


class Transitions(NamedTuple):
    """A batch of transitions; field names are keys in stored training states."""

    boards: Boards  # (batch, cells), seen by the side that moves
    cells: Cells  # (batch,): its moves
    rewards: NDArray[np.float32]  # (batch,), of the side that moves
    over: Mask  # (batch,): whether the game ended
    after: Boards  # (batch, cells), the next board to move on; undefined if over


class Replay(RingBuffer):
    """A buffer of the last `capacity` transitions; new ones overwrite the oldest."""

    kept: Transitions

    def __init__(self, capacity: int, rules: Rules) -> None:
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
        """Sample `count` transitions with replacement; `turned` maps each by a random symmetry."""
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


class Examples(NamedTuple):
    """A batch of positions with targets; field names are keys in stored training states."""

    boards: Boards  # (batch, cells), seen by the side to move
    policies: NDArray[np.float32]  # (batch, cells): probabilities; all zero without a target
    results: NDArray[np.float32]  # (batch, 3): probabilities of a win, a draw and a loss
    replies: NDArray[np.int16]  # (batch,): the other side's next move, or -1


class ExamplesBuffer(RingBuffer):
    """A buffer of the last `capacity` examples; new ones overwrite the oldest."""

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
        """Sample `count` examples, of the rows `among` or all, each mapped by a random symmetry."""
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
        """Restore the `state_dict()` of a buffer with the same capacity."""
        super().load_state_dict(state)
        self._index()

    def _index(self) -> None:
        """Index the rows by board, keeping the latest row of each board."""
        rows = np.arange(self.seen - len(self), self.seen) % max(self.capacity, 1)
        self.rows = {self.kept.boards[row].tobytes(): row for row in rows.tolist()}


def concatenated(parts: list[Examples]) -> Examples:
    """Concatenate batches of examples."""
    return Examples(*map(np.concatenate, zip(*parts, strict=True)))
