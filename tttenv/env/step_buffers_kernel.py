"""The arrays that a step of a batch writes, one row per game, and the kinds of opponents."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.types import Mask

# Kinds of opponent: none, so that the agent moves for both sides; one that moves at random;
# and one whose move probabilities are looked up in a table.
NOBODY, RANDOM, TABLE = range(3)
FIRST, SECOND = 1, 2  # the agent's seat in new games: X, O; 0: random
SEATS = ("random", "X", "O")  # the names of 0, 1, 2


class StepBuffers(NamedTuple):
    """The output arrays of a step in which finished games restart."""

    observations: NDArray[Any]  # (games, 3 * cells) float32 planes, or (games, cells) int8 boards
    masks: NDArray[Any]  # (games, cells) int8: 1 for legal cells
    outcomes: Outcomes  # (games,): for the agent; GOING while the game continues
    over: Mask  # (games,): whether the game ended and a new one started
    finals: NDArray[Any]  # as observations: the final views of games that ended, else zeros
    stale: Mask  # (games,): rows of `finals` that the last step filled; (0,) if unknown
