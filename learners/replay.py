"""Moves to learn from again: the latest in arrays made once, drawn evenly."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.symmetry import inverses, maps
from tttenv.kernels.types import Boards, Cells, Mask


class Moves(NamedTuple):
    """A batch of moves and what came of them."""

    boards: Boards  # (batch, cells), seen by the side that moves
    cells: Cells  # (batch,), where it moves
    rewards: NDArray[np.float32]  # (batch,), its own
    over: Mask  # (batch,): did the game end?
    after: Boards  # (batch, cells), the next board to decide on; meaningless if over


class Replay:
    """The last `capacity` moves.

    Args:
        capacity: how many are kept; a new one then overwrites the oldest.
        rules: the game.

    Raises:
        ValueError: for a capacity below 1.
    """

    def __init__(self, capacity: int, rules: Rules) -> None:
        if capacity < 1:
            raise ValueError(f"a replay keeps at least one move, not {capacity}")
        self.maps, self.inverses = maps(rules), inverses(rules)
        self.kept = Moves(
            rules.start(capacity),
            np.zeros(capacity, np.int64),
            np.zeros(capacity, np.float32),
            np.zeros(capacity, np.bool_),
            rules.start(capacity),
        )
        self.capacity, self.seen = capacity, 0  # moves ever added

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, moves: Moves) -> None:
        """Keep these moves, at most `capacity` of them, in place of the oldest."""
        rows = (self.seen + np.arange(len(moves.cells))) % self.capacity
        new = moves._asdict()
        for name, array in self.kept._asdict().items():
            array[rows] = new[name]
        self.seen += len(rows)

    def sample(self, count: int, rng: np.random.Generator, turned: bool = False) -> Moves:
        """Moves (count,) drawn evenly, with replacement; at least one must be kept.

        With `turned`, each is seen in one of the images of the board, drawn evenly.
        """
        rows = rng.integers(0, len(self), count)
        boards, cells, rewards, over, after = self.kept
        drawn = Moves(boards[rows], cells[rows], rewards[rows], over[rows], after[rows])
        return self.image(drawn, rng.integers(0, len(self.maps), count)) if turned else drawn

    def image(self, moves: Moves, which: NDArray[np.int64]) -> Moves:
        """The moves (batch,) as maps number `which` (batch,) of `game.symmetry` show them."""
        turn = self.maps[which]
        return moves._replace(
            boards=np.take_along_axis(moves.boards, turn, axis=1),
            cells=self.inverses[which, moves.cells],
            after=np.take_along_axis(moves.after, turn, axis=1),
        )

    def state_dict(self) -> dict[str, Any]:
        """The moves kept and how many were ever added."""
        kept = {name: array[: len(self)].copy() for name, array in self.kept._asdict().items()}
        return {"seen": self.seen, "kept": kept}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict()` of a replay of the same capacity."""
        self.seen = state["seen"]
        for name, array in self.kept._asdict().items():
            array[: len(self)] = state["kept"][name]
