"""Compiled steps for games stored as position indices, using a transition table.

A transition is the result of a move, as one number: eight times the next position, plus the outcome
for the side that moved. An occupied cell keeps the position; its outcome is ILLEGAL.

A step goes block by block, so that a block stays in the processor's L1 cache, and pass by pass
within a block. Loops over games have no unpredictable branch: a misprediction costs as much as a
whole move. Indices are unsigned, since for signed ones negative indexing must be checked.
"""

import numpy as np
from numpy.typing import NDArray

from tttenv.env.step_options_kernel import FIRST, NEXT_STEP, NOBODY, SAME_STEP, SECOND, TABLE
from tttenv.game.outcomes_kernel import GOING, ILLEGAL, SEEN_BY_OTHER, Outcomes
from tttenv.game.random_kernel import OPENING, REPLY, SEAT, keyed, keyed_bounded
from tttenv.game.types import Cells, Mask
from tttenv.utils.compiled import bare, compiled, inner

BITS = np.uint32(3)  # bits of a transition that hold its outcome
OUTCOME = np.uint32(2**3 - 1)  # mask of these bits
BLOCK = 1024  # games

Positions = NDArray[np.uint32]  # (games,): indices of positions
Rows = NDArray[np.void]  # (games or positions,): a row of an observation or mask as one record

# Compiled code accepts plain tuples faster than named ones or classes.
# The games: their positions in the mover's view, where this is not the agent's view (games that its
# own stone has finished), their outcomes for the agent, and whether they are over, (games,) each.
Games = tuple[Positions, Mask, Outcomes, Mask]

# The moves from every position: transitions (positions, cells); legal (positions, cells), the legal
# cells first, in order; and their number (positions,).
Moves = tuple[NDArray[np.uint32], NDArray[np.int8], NDArray[np.int8]]

# What is known about every position: its moves, in a tuple of their own, since their code is the
# same for all boards, while rows of other lengths need other code;
#   views (2 * positions,): observations of the side to move, then of the other side;
#   masks (positions + 1,): the legal cells, then zeros.
Table = tuple[Moves, Rows, Rows]

# An opponent: its kind, NOBODY, RANDOM or TABLE; and for a TABLE the cumulative probabilities
# (positions, cells) and the last cell with nonzero probability (positions,).
Opponent = tuple[int, NDArray[np.float64], NDArray[np.int64]]

# The fields of `games.StepOutput`, observations, masks and finals as records.
Output = tuple[Rows, Rows, NDArray[np.float64], Outcomes, Mask, Rows]


@compiled
def step(
    games: Games,
    cells: Cells,
    keys: tuple[np.uint64, np.uint64],
    opponent: Opponent,
    seat: int,
    table: Table,
    payoffs: NDArray[np.float64],
    mode: int,
    output: Output,
) -> int:
    """Run a full step of all games: moves, replies, restarts, rewards and observations.

    Args:
        games: the games; none may be over unless `mode` is NEXT_STEP.
        cells: the agents' cells (games,); those of games that are over are ignored.
        keys: of this step, and in NEXT_STEP that of the step in which the games ended that restart
            now; see `random_kernel.keyed`.
        opponent: who replies and opens.
        seat: the agent's in games that restart: FIRST, SECOND or 0 for random.
        table: the moves and observations of all positions.
        payoffs: the agent's reward for each outcome.
        mode: NEXT_STEP, SAME_STEP or DISABLED.
        output: the arrays to write.

    Returns:
        The number of games that ended.
    """
    ended, (key, restart_key), (moves, _, _) = 0, keys, table
    waiting, finished = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    uniforms, replies = np.empty(BLOCK), np.empty(BLOCK, np.int64)
    for start in range(0, len(cells), BLOCK):
        stop = min(start + BLOCK, len(cells))
        at, flipped = games[0][start:stop], games[1][start:stop]
        observations, masks = output[0][start:stop], output[1][start:stop]
        rewards, outcomes = output[2][start:stop], output[3][start:stop]
        over, finals = output[4][start:stop], output[5][start:stop]
        going = place(at, flipped, cells[start:stop], opponent, moves, outcomes, waiting, finished)
        count = len(at) - going
        if opponent[0] != NOBODY:
            for j in range(going):
                uniforms[j] = keyed(key, start + waiting[j], REPLY)
            for j in range(going):
                replies[j] = sample(at[waiting[j]], uniforms[j], opponent, moves)
            count = reply(at, waiting[:going], replies, moves, outcomes, finished, count)
        for i in range(len(at)):
            over[i] = outcomes[i] != GOING
        staying = 0 if mode == SAME_STEP else count  # of the finished games, those not restarted
        if mode == SAME_STEP:
            finals.view(np.uint8)[:] = 0  # as bytes: faster than row by row
            observe_some(at, flipped, finished[:count], table, finals)
            restart(at, flipped, finished[:count], start, key, opponent, seat, moves)
        else:
            if mode == NEXT_STEP:
                resting = np.flatnonzero(games[3][start:stop])
                restart(at, flipped, resting, start, restart_key, opponent, seat, moves)
                outcomes[resting], over[resting] = GOING, False
            games[2][start:stop], games[3][start:stop] = outcomes, over
        rewards[:] = payoffs[GOING]
        for j in range(count):
            rewards[finished[j]] = payoffs[np.uint64(outcomes[finished[j]])]
            ended += over[finished[j]]
        observe(at, flipped, over, finished[:staying], table, observations, masks)
    return ended


@inner
def place(
    at: Positions,
    flipped: Mask,
    cells: Cells,
    opponent: Opponent,
    moves: Moves,
    outcomes: Outcomes,
    waiting: Cells,
    finished: Cells,
) -> int:
    """Put the agents' stones on `cells` (games,), and write the agents' outcomes (games,).

    `waiting` and `finished` then start with the games that go on and the others. Returns the number
    of the former.
    """
    transitions, _, _ = moves
    going = 0
    for i in range(len(at)):
        transition = transitions[at[i], np.uint64(cells[i])]
        outcome = transition & OUTCOME
        at[i] = transition >> BITS
        outcomes[i] = outcome
        waiting[going] = i
        finished[i - going] = i
        going += outcome == GOING
    for j in range(len(at) - going):  # in self-play, positions are always in the agent's view
        flipped[finished[j]] = opponent[0] != NOBODY and outcomes[finished[j]] != ILLEGAL
    return going


@inner
def reply(
    at: Positions,
    waiting: Cells,
    cells: Cells,
    moves: Moves,
    outcomes: Outcomes,
    finished: Cells,
    count: int,
) -> int:
    """Put the opponent's stones on cells (waiting,), and write the agents' outcomes.

    Games that end are appended to the `count` in `finished`. Returns their number.
    """
    transitions, _, _ = moves
    for j in range(len(waiting)):
        i = waiting[j]
        transition = transitions[at[i], np.uint64(cells[j])]
        outcome = transition & OUTCOME
        at[i] = transition >> BITS
        outcomes[i] = SEEN_BY_OTHER[outcome]
        finished[count] = i
        count += outcome != GOING
    return count


@inner
def sample(position: np.uint32, uniform: float, opponent: Opponent, moves: Moves) -> int:
    """Sample the opponent's cell from a uniform random number; see `sample_categorical`."""
    kind, cumulative, last = opponent
    _, legal, legal_count = moves
    if kind == TABLE:
        end = np.uint64(last[position])
        goal = uniform * cumulative[position, end]
        cell = np.uint64(0)
        for c in range(cumulative.shape[1]):
            cell += cumulative[position, c] <= goal
        return int(min(cell, end))
    return int(legal[position, np.uint64(uniform * legal_count[position])])


@bare
def restart(
    at: Positions,
    flipped: Mask,
    which: Cells,
    start: int,
    key: np.uint64,
    opponent: Opponent,
    seat: int,
    moves: Moves,
) -> None:
    """Restart the games in `which` of a block that begins with game `start`; see `step`."""
    transitions, _, _ = moves
    for j in range(len(which)):
        at[which[j]], flipped[which[j]] = 0, False
    if opponent[0] != NOBODY and seat != FIRST:
        for j in range(len(which)):
            game = start + which[j]
            second = seat == SECOND or keyed(key, game, SEAT) >= 0.5
            cell = sample(np.uint32(0), keyed(key, game, OPENING), opponent, moves)
            opened = transitions[0, np.uint64(cell)] >> BITS
            at[which[j]] = opened * np.uint32(second)


@bare
def observe(
    at: Positions,
    flipped: Mask,
    over: Mask,
    finished: Cells,
    table: Table,
    observations: Rows,
    masks: Rows,
) -> None:
    """Write all observations and action masks; zeros for the games in `finished` that are over."""
    _, views, legal_masks = table
    other_side = np.uint32(len(views) // 2)
    for i in range(len(at)):
        observations[i] = views[at[i]]
    for i in range(len(at)):
        masks[i] = legal_masks[at[i]]
    for j in range(len(finished)):
        i = finished[j]
        if over[i]:
            observations[i] = views[at[i] + other_side * np.uint32(flipped[i])]
            masks[i] = legal_masks[-1]


@bare
def observe_some(
    at: Positions, flipped: Mask, which: Cells, table: Table, observations: Rows
) -> None:
    """Write the observations of the games in `which` from the agent's perspective."""
    _, views, _ = table
    other_side = np.uint32(len(views) // 2)
    for j in range(len(which)):
        i = which[j]
        observations[i] = views[at[i] + other_side * np.uint32(flipped[i])]


@compiled
def sample_legal(at: Positions, key: np.uint64, moves: Moves, cells: Cells) -> None:
    """Sample a legal cell for each game (games,); game i uses the key's i-th random number."""
    _, legal, legal_count = moves
    for i in range(len(at)):
        count = legal_count[at[i]]
        cells[i] = legal[at[i], np.uint64(keyed_bounded(key, i, count))]
