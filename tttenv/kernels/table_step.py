"""A step of a batch of games kept as positions' numbers, by the table of steps.

A step is what a stone leads to, as one number: eight times the next position, plus the outcome for
the side that made the stone. A taken cell leaves the position; its outcome is ILLEGAL. Loops over
games have no branch that the processor would have to guess: a wrong guess costs as much as a whole
stone. Indices are unsigned, since a signed one is looked at twice, whether it counts from the end.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.outcomes import GOING, SEEN_BY_OTHER, Outcomes
from tttenv.kernels.random import spread
from tttenv.kernels.types import Cells, Mask

END = 2**32 - 1  # closes a list of games
BITS = np.uint32(3)  # of a step that hold its outcome
OUTCOME = np.uint32(2**3 - 1)  # these bits

Numbers = NDArray[np.uint32]  # (games,): of positions or of games
Steps = NDArray[np.uint32]  # (positions, cells)
Picked = NDArray[np.uint8]  # cells
Rows = NDArray[np.void]  # (games or positions,): a row of planes or masks, copied as one record


@compiled
def place(
    at: Numbers,
    cells: Cells,
    steps: Steps,
    outcomes: Outcomes,
    over: Mask,
    ended: Numbers,
) -> int:
    """Put the stones of agents who move for both sides, writing all but cells and steps in place.

    A taken cell ends the game, ILLEGAL, and leaves the position. Returns how many games ended;
    `ended` (games,) begins with their numbers.
    """
    count = 0
    for i in range(len(at)):
        step = steps[at[i], np.uint64(cells[i])]
        outcome = step & OUTCOME
        at[i] = step >> BITS
        outcomes[i] = outcome
        over[i] = outcome != GOING
        ended[count] = i
        count += outcome != GOING
    return count


@compiled
def reply(
    at: Numbers,
    waiting: NDArray[np.integer[Any]],
    cells: Picked,
    steps: Steps,
    outcomes: Outcomes,
    over: Mask,
) -> int:
    """Put the opponent's stones on `cells` (waiting,) in the games numbered `waiting`, in place.

    Returns how many of them go on.
    """
    going = len(waiting)
    for j in range(len(waiting)):
        i = waiting[j]
        step = steps[at[i], np.uint64(cells[j])]
        outcome = step & OUTCOME
        at[i] = step >> BITS
        outcomes[i] = SEEN_BY_OTHER[outcome]
        over[i] = outcome != GOING
        going -= outcome != GOING
    return going


@compiled
def lap(
    at: Numbers,
    cells: Cells,
    steps: Steps,
    outcomes: Outcomes,
    over: Mask,
    ended: Numbers,
    views: Rows,
    allowed: Rows,
    finals: Rows,
    planes: Rows,
    masks: Rows,
) -> int:
    """A whole step of agents who move for both sides: stones, last views, new games, new views.

    Args:
        at: the games' positions, moved on and dealt anew where they ended.
        cells: the stones, (games,).
        steps: the table.
        outcomes: for the movers, written, (games,).
        over: whether the stone ended the game, written, (games,).
        ended: the numbers of the games whose row of `finals` is not zero, closed by END; written.
        views: a row of planes for each position, others, and at last one of zeros.
        allowed: a row of the mask for each position.
        finals: the planes of games that ended, zeros for others, written where `ended` changes.
        planes: written, (games,).
        masks: written, (games,).

    Returns:
        How many games ended.
    """
    for j in range(len(ended)):
        if ended[j] == END:
            break
        finals[ended[j]] = views[-1]
    count = place(at, cells, steps, outcomes, over, ended)
    if count < len(ended):
        ended[count] = END
    for j in range(count):
        i = ended[j]
        finals[i] = views[at[i]]
        at[i] = 0
    observe(at, views, allowed, planes, masks)
    return count


@compiled
def observe(at: Numbers, views: Rows, allowed: Rows, planes: Rows, masks: Rows) -> None:
    """Copy the planes and masks of the games' positions, seen by the side to move."""
    for i in range(len(at)):
        planes[i] = views[at[i]]
    for i in range(len(at)):
        masks[i] = allowed[at[i]]


@compiled
def finals(
    at: Numbers,
    turned: Mask,
    over: Mask,
    views: Rows,
    planes: Rows,
) -> None:
    """Write the planes of the games that are over in the agent's view, and zeros for the others.

    Args:
        at: the games' positions.
        turned: where the agent is not the side to move.
        over: which games are over.
        views: (2 * positions + 1,): seen by the side to move, then by the other, then zeros.
        planes: (games,), written.
    """
    half = len(views) // 2
    for i in range(len(at)):
        row = at[i] + half * turned[i]
        planes[i] = views[row if over[i] else 2 * half]


# What is looked up of an opponent: the cumulative probabilities of its moves (positions, cells) and
# its last cell with any (positions,); both empty for a random one.
Opponent = tuple[NDArray[np.float64], NDArray[np.int64]]
Playable = NDArray[np.int8]


@compiled
def fall(
    at: Numbers,
    which: NDArray[np.integer[Any]],
    dice: NDArray[np.float64],
    opponent: Opponent,
    playable: Playable,
    many: Playable,
    cells: Picked,
) -> None:
    """Write the opponent's cells on which the dice fall; see `random.fall`.

    Args:
        at: the games' positions.
        which: the numbers of the games it is asked in.
        dice: from [0, 1), one for each of these.
        opponent: what is known of it.
        playable: the legal cells of each position first, (positions, cells).
        many: how many these are, (positions,).
        cells: written, one for each die.
    """
    reached, last = opponent
    if len(last):
        for j in range(len(which)):
            p = at[which[j]]
            end = np.uint64(last[p])
            goal = dice[j] * reached[p, end]
            cell = np.uint64(0)
            for c in range(reached.shape[1]):
                cell += reached[p, c] <= goal
            cells[j] = min(cell, end)
    else:
        for j in range(len(which)):
            p = at[which[j]]
            cells[j] = playable[p, np.uint64(dice[j] * many[p])]


@compiled
def choose(
    at: Numbers,
    key: np.uint64,
    playable: Playable,
    many: Playable,
    cells: Cells,
) -> None:
    """Write a random legal cell for each game (games,): game i's die is the key's i-th.

    `playable` and `many` are as for `fall`.
    """
    for i in range(len(at)):
        p = at[i]
        cells[i] = playable[p, np.uint64(spread(key, i, many[p]))]
