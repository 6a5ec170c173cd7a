"""What a round against an opponent does to some games of a batch, pass by pass.

Dice are rolled in the order of the games, so a round takes three passes over all of them, since it
takes the one before to know which games need a die: `stones` puts the agents' stones;
`table_step.reply` the opponent's, and `last_views` begins games that ended anew; `open_games` puts
opening stones. Loops have no branch to guess, and indices no sign, as in `table_step`.
"""

import numpy as np

from tttenv.kernels import compiled
from tttenv.kernels.outcomes import DRAW, GOING, WIN, Outcomes
from tttenv.kernels.table_step import BITS, END, OUTCOME, Numbers, Picked, Rows, Steps
from tttenv.kernels.types import Cells, Mask


@compiled
def stones(
    at: Numbers,
    turned: Mask,
    cells: Cells,
    steps: Steps,
    outcomes: Outcomes,
    over: Mask,
    waiting: Numbers,
) -> int:
    """Put the agents' stones on `cells` (games,), writing all but cells and steps in place.

    A taken cell ends the game, ILLEGAL, and leaves the position. Where the agent's own stone ends
    the game the other side is to move, so its view is turned from the position's. Returns how many
    games go on and wait for a reply; `waiting` (games,) begins with their numbers.
    """
    count = 0
    for i in range(len(at)):
        step = steps[at[i], np.uint64(cells[i])]
        outcome = step & OUTCOME
        at[i] = step >> BITS
        outcomes[i] = outcome
        over[i] = outcome != GOING
        turned[i] = (outcome == WIN) | (outcome == DRAW)
        waiting[count] = i
        count += outcome == GOING
    return count


@compiled
def last_views(
    at: Numbers, turned: Mask, over: Mask, ended: Numbers, views: Rows, finals: Rows
) -> int:
    """Write what games that are over last looked like, zeros for others, and begin them anew.

    `ended` begins with their numbers, closed by END; returns how many.
    """
    nothing = np.uint32(len(views) - 1)
    half = nothing // np.uint32(2)
    count = 0
    for i in range(len(at)):
        ended[count] = i
        count += over[i]
    if count < len(ended):
        ended[count] = END
    for i in range(len(at)):
        row = at[i] + half * np.uint32(turned[i])
        finals[i] = views[nothing - np.uint32(over[i]) * (nothing - row)]
    for i in range(len(at)):
        at[i] *= np.uint32(1) - np.uint32(over[i])
        turned[i] = False
    return count


@compiled
def open_games(at: Numbers, which: Numbers, cells: Picked, steps: Steps) -> None:
    """Put the opponent's first stones on `cells` in new games."""
    for j in range(len(which)):
        at[which[j]] = steps[0, np.uint64(cells[j])] >> BITS
