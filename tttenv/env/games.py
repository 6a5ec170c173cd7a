"""The interface of a batch of games in memory, which `Match` uses; boards in the agent's view."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tttenv.env.step_buffers_kernel import StepBuffers
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import Policy, forfeits, sample, sample_or_forfeit, validated

Numbers = NDArray[np.int64]  # indices of games in the batch
Dice = NDArray[np.float64]  # uniform random numbers in [0, 1)


class GameBatch(Protocol):
    """A batch of games in progress.

    `BoardGames` stores boards, for any rules; `TableGames` stores indices of positions, for games
    with few. Tests hold both to the same invariants.
    """

    over: Mask  # (games,)
    outcomes: Outcomes  # (games,), for the agent; GOING in new games

    def reset(self, which: Mask) -> None:
        """Restart the marked games (games,), X to move."""
        ...

    def step(self, cells: Cells, self_play: bool) -> Numbers:
        """Put the agents' stones on `cells` (games,); in self-play switch to the next mover's view.

        Returns:
            The indices of the games still in progress.
        """
        ...

    def compiled(self, opponent: Policy | None, seat: str) -> Any:
        """Return what compiled code needs to play an opponent; None: call it through Python.

        Args:
            opponent: the opponent's policy; None: self-play, the agent moves for both sides.
            seat: the agent's in new games: X, O or random.
        """
        ...

    def reply(self, opponent: Any, waiting: Numbers, dice: Dice) -> int:
        """Play the opponent's stones in the games `waiting`, with one random number each.

        Args:
            opponent: a policy, or the result of `compiled`.
            waiting: indices of games (waiting,).
            dice: uniform random numbers (waiting,).

        Returns:
            The number of these games still in progress.
        """
        ...

    def step_autoreset(self, cells: Cells, key: int, opponent: Any, buffers: StepBuffers) -> int:
        """Step the games, none of which is over, and restart those that end.

        Args:
            cells: the agents' stones (games,), on the board.
            key: the key of this step, see `game.random_kernel.keyed`.
            opponent: the result of `compiled`.
            buffers: the output arrays.

        Returns:
            The number of games that ended.
        """
        ...

    def boards(self, which: Numbers | slice) -> Boards:
        """Return a copy of some games' boards in the agent's view."""
        ...

    def set_boards(self, boards: Boards) -> None:
        """Continue from these undecided boards (games, cells), with the agent to move."""
        ...

    def seats(self, which: Numbers | slice) -> NDArray[np.int64]:
        """Return the agent's seat, whose view `boards` shows: 0 for X, 1 for O."""
        ...

    def board_to_move(self, game: int) -> Boards:
        """Return a game's board (cells,) in the view of the side to move, finished or not."""
        ...

    def observe(self, observations: NDArray[Any], masks: Boards) -> None:
        """Write all games' views, planes or boards, and masks; zeros for finished games."""
        ...

    def observe_finals(self, finals: NDArray[Any]) -> None:
        """Write the views of finished games; zeros for the others."""
        ...

    def sample(self, key: int) -> Cells:
        """Sample a legal cell for every game (games,), none of which is over."""
        ...

    def keep(self, which: Mask) -> None:
        """Drop all but the marked games."""
        ...

    def state(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays that hold the complete state; copying into them restores it."""
        ...


def asked(player: Policy, boards: Boards, dice: Dice) -> Cells:
    """Sample cells (batch,) from a policy on boards (batch, cells) by the given random numbers.

    The cell is FORFEIT where the player forfeits.
    """
    if not forfeits(player):
        return sample(validated(boards, player(boards.copy())), dice)
    return sample_or_forfeit(validated(boards, player(boards.copy()), forfeits=True), dice)
