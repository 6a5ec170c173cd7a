"""Games side by side in memory, in the agent's view: what a match needs of them."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tttenv.policy import Policy, sample, validated
from tttenv.types import Boards, Cells, Mask

Numbers = NDArray[np.int64]  # which games of the batch
Dice = NDArray[np.float64]


class Games(Protocol):
    """A batch of games; a "part" is a slice of them, so that threads can share the work.

    `board_games` keeps boards, for any rules; `table_games` keeps numbers of positions, where these
    are few. A test holds them equal.
    """

    over: Mask  # (games,)
    rewards: NDArray[np.float64]  # (games,), the agent's, of the last turn

    def boards(self, which: Numbers | slice) -> Boards:
        """The boards of some games in the agent's view, a copy."""
        ...

    def finals(self, part: slice, planes: NDArray[np.float32]) -> None:
        """Write the one-hot planes of the games that are over, in the agent's view, else zeros."""
        ...

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        """Whose view that is, 0 for X and 1 for O."""
        ...

    def clear(self, which: Mask) -> None:
        """Begin the marked games anew, X to move."""
        ...

    def put(self, boards: Boards) -> None:
        """Go on from these boards (games, cells), which are undecided."""
        ...

    def place(self, part: slice, cells: Cells, alone: bool) -> int:
        """The agents' stones; alone, the view then changes to the next mover's.

        Returns how many of the games go on.
        """
        ...

    def random_cells(self, which: Numbers, dice: NDArray[np.floating]) -> Cells:
        """A legal cell of each of these games, a die each."""
        ...

    def answer(self, opponent: Policy, waiting: Numbers, dice: Dice) -> int:
        """The opponent's stones in these games, a die each; returns how many of them go on."""
        ...

    def observe(self, part: slice, planes: NDArray[np.float32], masks: Boards) -> None:
        """Write the one-hot planes and the legal cells of a part of the games."""
        ...

    def keep(self, which: Mask) -> None:
        """Drop the other games."""
        ...


def asked(opponent: Policy, boards: Boards, dice: Dice) -> Cells:
    """The cells (batch,) that a policy's answers and the dice give on boards (batch, cells)."""
    return sample(validated(boards, opponent(boards.copy())), dice)
