"""What a step of a batch of games writes, a row a game; and the kinds of opponent it can play."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.types import Mask

# Kinds of opponent: none, so that the agent moves for both sides; one that moves at random; one
# whose move probabilities are looked up in a table.
NOBODY, RANDOM, TABLE = range(3)
FIRST, SECOND = 1, 2  # the agent's seat in new games: X, O; else by a die
SEATS = ("random", "X", "O")  # their names, in this order


class StepBuffers(NamedTuple):
    """The arrays of a step with new games in the place of those that ended."""

    observations: NDArray[Any]  # (games, 3 * cells) float32 planes, or (games, cells) int8 boards
    masks: NDArray[Any]  # (games, cells) int8: 1 where a stone can be put
    outcomes: Outcomes  # (games,): for the agent; GOING where the game goes on
    over: Mask  # (games,): whether the game ended, and a new one began
    finals: NDArray[Any]  # as observations: the last views of games that ended, zeros for others
    stale: Mask  # (games,): rows of `finals` that the last step filled; (0,) if that is unknown
