"""Games side by side in memory, in the agent's view: what a match needs of them."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.outcomes import Outcomes
from tttenv.kernels.types import Boards, Cells, Mask
from tttenv.policy import Policy, sample, validated

Numbers = NDArray[np.int64]  # which games of the batch
Dice = NDArray[np.float64]


class StepBuffers(NamedTuple):
    """The arrays that a whole step writes, a row a game."""

    planes: NDArray[np.float32]  # (games, 3 * cells), the agents' views
    masks: Boards  # (games, cells)
    outcomes: Outcomes  # (games,), for the agents
    over: Mask  # (games,), whether the game ended, and a new one began
    finals: NDArray[np.float32]  # (games, 3 * cells), last views of games that ended, else zeros
    ended: NDArray[np.uint32]  # (games,), in each part: whose finals are not zeros, then END

    def of(self, part: slice) -> "StepBuffers":
        """The arrays of a part of the games."""
        planes, masks, outcomes, over, finals, ended = self
        shown = planes[part], masks[part], outcomes[part], over[part]
        return StepBuffers(*shown, finals[part], ended[part])


class OpponentConfig(NamedTuple):
    """The other side of a batch of games."""

    opponent: Policy | None  # None: the agent moves for both sides
    seat: str  # the agent's in new games: X, O or random
    rng: np.random.Generator  # rolls for the opponent, and for seats


class Backend(Protocol):
    """A batch of games; a "part" is a slice of them, so that threads can share the work.

    `board_games` keeps boards, for any rules; `table_games` keeps numbers of positions, where these
    are few. A test holds them equal.
    """

    over: Mask  # (games,)
    turned: Mask  # (games,): the agent's own stone ended the game, so the other side is to move
    outcomes: Outcomes  # (games,), for the agent; GOING from when a game is begun

    def state(self) -> tuple[NDArray[Any], ...]:
        """The arrays that say all about the games: a copy of them can be put back in place."""
        ...

    def boards(self, which: Numbers | slice) -> Boards:
        """The boards of some games in the agent's view, a copy."""
        ...

    def finals(self, part: slice, planes: NDArray[np.float32]) -> None:
        """Write the one-hot planes of the games that are over, in the agent's view, else zeros."""
        ...

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        """Which side the agent is, whose view that is: 0 for X and 1 for O.

        It is the side to move, by the number of stones, unless the game is `turned`.
        """
        ...

    def clear(self, which: Mask) -> None:
        """Begin the marked games anew, X to move."""
        ...

    def put(self, boards: Boards) -> None:
        """Go on from these boards (games, cells), which are undecided."""
        ...

    def place(self, part: slice, cells: Cells, self_play: bool) -> int:
        """The agents' stones; in self-play the view then changes to the next mover's.

        Returns how many of the games go on.
        """
        ...

    def supports_fused_step(self, opponent: Policy | None, rng: np.random.Generator) -> bool:
        """Whether `step_autoreset` can play against this opponent, with these dice."""
        ...

    def step_autoreset(
        self, cells: Cells, lap: StepBuffers, wipe: bool, other: OpponentConfig
    ) -> int:
        """A whole step: stones, replies, views, and games dealt anew.

        All games go on before and after it. Returns how many ended on the way.

        Args:
            cells: the agents' stones (games,), on the board.
            lap: the arrays to write.
            wipe: whether `lap.finals` holds anything and `lap.ended` does not say what.
            other: whom the agents play, one it supports.
        """
        ...

    def choose(self, key: int, cells: Cells) -> None:
        """Write a random legal cell for each game (games,), all from one 64-bit key."""
        ...

    def answer(self, opponent: Policy, waiting: Numbers, dice: Dice) -> int:
        """The opponent's stones in these games, a die each; returns how many of them go on."""
        ...

    def observe(self, part: slice, planes: NDArray[np.float32], masks: Boards) -> None:
        """Write the one-hot planes and the legal cells of a part of the games, which all go on."""
        ...

    def keep(self, which: Mask) -> None:
        """Drop the other games."""
        ...

    def close(self) -> None:
        """End the threads that these games have started, now."""
        ...


def asked(opponent: Policy, boards: Boards, dice: Dice) -> Cells:
    """The cells (batch,) that a policy's answers and the dice give on boards (batch, cells)."""
    return sample(validated(boards, opponent(boards.copy())), dice)
