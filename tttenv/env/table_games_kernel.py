"""A step of a batch of games stored as indices of positions, by a transition table; compiled.

A transition is the result of a move, as one number: eight times the next position, plus the outcome
for the side that moved. An occupied cell keeps the position; its outcome is ILLEGAL.

A fused step goes block by block, so that a block stays in the processor's L1 cache, and pass by
pass within a block. Loops over games have no unpredictable branch: a misprediction costs as much as
a whole move. Indices are unsigned, since for signed ones negative indexing must be checked.
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.env.step_buffers_kernel import FIRST, NOBODY, SECOND, TABLE
from tttenv.game.outcomes_kernel import DRAW, GOING, SEEN_BY_OTHER, WIN, Outcomes
from tttenv.game.random_kernel import OPENING, REPLY, SEAT, keyed, keyed_bounded
from tttenv.game.types import Cells, Mask
from tttenv.utils.bare import bare, inner
from tttenv.utils.compiled import compiled

BITS = np.uint32(3)  # bits of a transition that hold its outcome
OUTCOME = np.uint32(2**3 - 1)  # mask of these bits
BLOCK = 1024  # games

Numbers = NDArray[np.uint32]  # (games,): indices of positions
Rows = NDArray[np.void]  # (games or positions,): a row of an observation or mask as one record


# Compiled code accepts plain tuples faster than named ones. A table holds what a step needs to
# know about every position, and its observations:
#   transitions (positions, cells);
#   legal (positions, cells): the legal cells first, in order; and their number (positions,);
#   views (2 * positions + 1,): of the side to move, of the other side, then zeros;
#   masks (positions + 1,): the legal cells, then zeros.
Table = tuple[NDArray[np.uint32], NDArray[np.int8], NDArray[np.int8], Rows, Rows]

# An opponent is its kind, NOBODY, RANDOM or TABLE; the agent's seat in new games; and for a TABLE
# the cumulative probabilities (positions, cells) and the last cell with nonzero probability
# (positions,).
Opponent = tuple[int, int, NDArray[np.float64], NDArray[np.int64]]

# As `StepBuffers`, with observations, masks and finals as records.
Buffers = tuple[Rows, Rows, Outcomes, Mask, Rows, Mask]


@bare
def sample(position: np.uint32, die: float, opponent: Opponent, table: Table) -> int:
    """Sample the opponent's cell by a random number; see `random_kernel.sample_categorical`."""
    kind, _, cumulative, last = opponent
    _, legal, legal_count, _, _ = table
    if kind == TABLE:
        end = np.uint64(last[position])
        goal = die * cumulative[position, end]
        cell = np.uint64(0)
        for c in range(cumulative.shape[1]):
            cell += cumulative[position, c] <= goal
        return int(min(cell, end))
    return int(legal[position, np.uint64(die * legal_count[position])])


@inner
def sample_all(
    at: Numbers,
    waiting: Cells,
    dice: NDArray[np.float64],
    opponent: Opponent,
    table: Table,
    cells: Cells,
) -> None:
    """Write the opponent's cells (waiting,) in the games `waiting`, with one random number each."""
    kind, _, _, _ = opponent
    _, legal, legal_count, _, _ = table
    if kind == TABLE:
        for j in range(len(waiting)):
            cells[j] = sample(at[waiting[j]], dice[j], opponent, table)
    else:
        for j in range(len(waiting)):
            position = at[waiting[j]]
            cells[j] = legal[position, np.uint64(dice[j] * legal_count[position])]


@compiled
def place(
    at: Numbers,
    cells: Cells,
    table: Table,
    outcomes: Outcomes,
    over: Mask,
    flipped: Mask,
    waiting: Cells,
) -> int:
    """Put the agents' stones on `cells` (games,), advancing the positions `at` (games,).

    An occupied cell ends the game, ILLEGAL, and keeps the position. Writes the agents' outcomes,
    which games are over, and in which of them the other side is to move, (games,) each. Returns
    the number of games still in progress; `waiting` (games,) starts with their indices.
    """
    transitions, _, _, _, _ = table
    count = 0
    for i in range(len(at)):
        transition = transitions[at[i], np.uint64(cells[i])]
        outcome = transition & OUTCOME
        at[i] = transition >> BITS
        outcomes[i] = outcome
        over[i] = outcome != GOING
        flipped[i] = (outcome == WIN) | (outcome == DRAW)
        waiting[count] = i
        count += outcome == GOING
    return count


@compiled
def reply(
    at: Numbers, waiting: Cells, cells: Cells, table: Table, outcomes: Outcomes, over: Mask
) -> int:
    """Put the opponent's stones on `cells` (waiting,) in the games `waiting`, in place.

    Returns the number of these games still in progress.
    """
    transitions, _, _, _, _ = table
    count = 0
    for j in range(len(waiting)):
        i = waiting[j]
        transition = transitions[at[i], np.uint64(cells[j])]
        at[i] = transition >> BITS
        outcomes[i] = SEEN_BY_OTHER[transition & OUTCOME]
        over[i] = outcomes[i] != GOING
        count += outcomes[i] == GOING
    return count


@compiled
def sample_replies(
    at: Numbers, waiting: Cells, dice: NDArray[np.float64], opponent: Opponent, table: Table
) -> Cells:
    """Sample the cells of a RANDOM or TABLE opponent in the games `waiting`."""
    cells = np.empty(len(waiting), np.int64)
    sample_all(at, waiting, dice, opponent, table, cells)
    return cells


@compiled
def step_autoreset(
    at: Numbers,
    cells: Cells,
    key: np.uint64,
    opponent: Opponent,
    table: Table,
    buffers: Buffers,
) -> int:
    """Run a whole step: moves, replies, final views, restarts and views.

    Args:
        at: the games' positions, (games,), none finished; updated.
        cells: the agents' stones, (games,).
        key: the key of this step; see `random_kernel.keyed`.
        opponent: the agents' opponent.
        table: the game's table with its views.
        buffers: the output arrays; observations, masks and finals as records.

    Returns:
        The number of games that ended.
    """
    ended = 0
    listed = np.empty(BLOCK, np.int64)
    dice, replies = np.empty(BLOCK), np.empty(BLOCK, np.int64)
    by_agent = np.zeros(BLOCK, np.uint32)  # 1 where the agent's stone won or drew
    observations, masks, outcomes, over, finals, stale = buffers
    transitions, _, _, views, legal_masks = table
    kind, seat, _, _ = opponent
    other_side = np.uint32(len(views) // 2)
    for start in range(0, len(at), BLOCK):
        stop = min(start + BLOCK, len(at))
        clear_rows(finals, stale, start, stop, listed, views)
        count = 0
        if kind == NOBODY:
            for i in range(start, stop):
                transition = transitions[at[i], np.uint64(cells[i])]
                outcome = transition & OUTCOME
                at[i] = transition >> BITS
                outcomes[i] = outcome
                over[i] = outcome != GOING
                listed[count] = i
                count += outcome != GOING
        else:
            waiting = 0
            for i in range(start, stop):
                transition = transitions[at[i], np.uint64(cells[i])]
                outcome = transition & OUTCOME
                at[i] = transition >> BITS
                outcomes[i] = outcome
                by_agent[i - start] = (outcome == WIN) | (outcome == DRAW)
                listed[waiting] = i
                waiting += outcome == GOING
            for j in range(waiting):
                dice[j] = keyed(key, listed[j], REPLY)
            sample_all(at, listed[:waiting], dice, opponent, table, replies)
            for j in range(waiting):
                i = listed[j]
                transition = transitions[at[i], np.uint64(replies[j])]
                at[i] = transition >> BITS
                outcomes[i] = SEEN_BY_OTHER[transition & OUTCOME]
            for i in range(start, stop):
                over[i] = outcomes[i] != GOING
                listed[count] = i
                count += outcomes[i] != GOING
        for j in range(count):
            i = listed[j]
            finals[i] = views[at[i] + other_side * by_agent[i - start]]
            at[i] = 0
        if kind != NOBODY and seat != FIRST:
            for j in range(count):
                i = listed[j]
                second = seat == SECOND or keyed(key, i, SEAT) >= 0.5
                cell = sample(np.uint32(0), keyed(key, i, OPENING), opponent, table)
                opened = transitions[0, np.uint64(cell)] >> BITS
                at[i] = opened * np.uint32(second)
        for i in range(start, stop):
            observations[i] = views[at[i]]
        for i in range(start, stop):
            masks[i] = legal_masks[at[i]]
        ended += count
    return ended


@inner
def clear_rows(
    finals: Rows, stale: Mask, start: int, stop: int, listed: Cells, views: Rows
) -> None:
    """Zero the final views of some games, where these may hold anything else."""
    if len(stale) == 0:
        finals[start:stop].view(np.uint8)[:] = 0  # as bytes: faster than row by row
        return
    count = 0
    for i in range(start, stop):
        listed[count] = i
        count += stale[i]
    for j in range(count):
        finals[listed[j]] = views[-1]


@compiled
def observe(
    at: Numbers, flipped: Mask, over: Mask, table: Table, observations: Rows, masks: Rows
) -> None:
    """Write the views and masks (games,) of all games; masks of finished games are zeros.

    Args:
        at: the games' positions.
        flipped: where the side to move is not the agent, so that the other view is needed.
        over: which games are over.
        table: the game's table with its views.
        observations: output.
        masks: output.
    """
    _, _, _, views, legal_masks = table
    other_side, nothing = np.uint32(len(views) // 2), np.uint32(len(legal_masks) - 1)
    for i in range(len(at)):
        observations[i] = views[at[i] + other_side * np.uint32(flipped[i])]
        masks[i] = legal_masks[nothing if over[i] else at[i]]


@compiled
def observe_finals(at: Numbers, flipped: Mask, over: Mask, table: Table, finals: Rows) -> None:
    """Write the views (games,) of finished games, zeros for the others; as `observe`."""
    _, _, _, views, _ = table
    other_side, nothing = np.uint32(len(views) // 2), np.uint32(len(views) - 1)
    for i in range(len(at)):
        row = at[i] + other_side * np.uint32(flipped[i])
        finals[i] = views[row if over[i] else nothing]


@compiled
def sample_legal(
    at: Numbers,
    key: np.uint64,
    legal: NDArray[np.int8],
    legal_count: NDArray[np.int8],
    cells: Cells,
) -> None:
    """Write a random legal cell for each game (games,), from the key's i-th number.

    `legal` and `legal_count` are those of a table.
    """
    for i in range(len(at)):
        position = at[i]
        count = legal_count[position]
        cells[i] = legal[position, np.uint64(keyed_bounded(key, i, count))]
