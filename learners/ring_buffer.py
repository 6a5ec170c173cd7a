"""Ring buffer that stores the latest rows of several arrays."""

from typing import Any

import numpy as np

from tttenv.utils.untrusted import shown


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
        """Restore the `state_dict()` of a buffer with the same capacity.

        Raises:
            ValueError: for rows that do not match.
        """
        seen, kept = state["seen"], type(self.kept)(**state["kept"])
        count = min(seen, self.capacity)
        same = [(a[:count].shape, a.dtype) for a in self.kept] == [(a.shape, a.dtype) for a in kept]
        if not 0 <= seen < 2**62 or not same:
            raise ValueError(
                f"its buffer of {shown(seen)} rows does not have the expected shapes and types"
            )
        self.check(kept)
        self.seen = seen
        for array, part in zip(self.kept, kept, strict=True):
            array[:count] = part

    def check(self, kept: Any) -> None:
        """Raise ValueError for rows with the right shapes but impossible contents."""
