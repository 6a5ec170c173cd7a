"""Games side by side in memory, in the agent's view: what a match needs of them."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tttenv.env.step_buffers_kernel import StepBuffers
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import Policy, sample, validated

Numbers = NDArray[np.int64]  # which games of the batch
Dice = NDArray[np.float64]  # in [0, 1)


class GameBatch(Protocol):
    """A batch of games in progress.

    `board_backend` keeps boards, for any rules; `table_backend` keeps numbers of positions, where
    these are few. Tests hold them to the same laws.
    """

    over: Mask  # (games,)
    outcomes: Outcomes  # (games,), for the agent; GOING from when a game is begun

    def reset(self, which: Mask) -> None:
        """Begin the marked games (games,) anew, X to move."""
        ...

    def step(self, cells: Cells, self_play: bool) -> Numbers:
        """Put the agents' stones on `cells` (games,); in self-play the next mover's view follows.

        Returns the numbers of the games that go on.
        """
        ...

    def compiled(self, opponent: Policy | None, seat: str) -> Any:
        """What compiled code needs to play an opponent, or None: it is asked through Python.

        Args:
            opponent: whom the agents play; None: self-play, the agent moves for both sides.
            seat: the agent's in new games: X, O or random.
        """
        ...

    def reply(self, opponent: Any, waiting: Numbers, dice: Dice) -> int:
        """Put the opponent's stones in the games numbered `waiting`, a die for each.

        Args:
            opponent: a policy, or one that is `compiled`.
            waiting: (waiting,).
            dice: (waiting,).

        Returns:
            How many of these games go on.
        """
        ...

    def step_autoreset(self, cells: Cells, key: int, opponent: Any, buffers: StepBuffers) -> int:
        """Step the games, all of which go on, and begin anew those that end.

        Args:
            cells: the agents' stones (games,), on the board.
            key: of this step, see `game.random_kernel.keyed`.
            opponent: one that is `compiled`.
            buffers: written.

        Returns:
            How many games ended.
        """
        ...

    def boards(self, which: Numbers | slice) -> Boards:
        """The boards of some games in the agent's view, a copy."""
        ...

    def set_boards(self, boards: Boards) -> None:
        """Go on from these boards (games, cells), which are undecided, the agent to move."""
        ...

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        """Which side the agent is, whose view `boards` shows: 0 for X and 1 for O."""
        ...

    def board_to_move(self, game: int) -> Boards:
        """The board of one game (cells,) seen by the side to move, finished or not."""
        ...

    def observe(self, observations: NDArray[Any], masks: Boards) -> None:
        """Write all games' views, planes or boards, and masks, all zeros for finished ones."""
        ...

    def observe_finals(self, finals: NDArray[Any]) -> None:
        """Write the views of games that are over, zeros for others."""
        ...

    def sample(self, key: int) -> Cells:
        """A random legal cell for every game (games,), all of which go on."""
        ...

    def keep(self, which: Mask) -> None:
        """Drop all but the marked games."""
        ...

    def state(self) -> tuple[NDArray[Any], ...]:
        """The arrays that say all about the games: a copy of them can be put back in place."""
        ...


def asked(opponent: Policy, boards: Boards, dice: Dice) -> Cells:
    """The cells (batch,) that a policy's answers and the dice give on boards (batch, cells)."""
    return sample(validated(boards, opponent(boards.copy())), dice)
