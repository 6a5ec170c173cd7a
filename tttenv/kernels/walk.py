"""One turn in a batch of games kept as numbers of positions, by walking the successor table."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.types import Boards, Cells, Mask

GOING, LOST, DRAWN = 0, 1, 2  # how a position stands for the side to move


@compiled
def place(
    at: NDArray[np.int32],
    turned: Mask,
    cells: Cells,
    successors: NDArray[np.int32],
    standing: NDArray[np.int8],
    alone: bool,
    rewards: NDArray[np.float64],
    over: Mask,
) -> int:
    """Put the agents' stones on `cells` (games,), writing at, turned, rewards and over in place.

    A taken cell ends the game with reward -1 and leaves the position. Where the agent's own stone
    ends the game the other side is to move, so its view is turned from the position's, unless it
    is alone. Returns how many games go on.
    """
    going = 0
    for i in range(len(at)):
        after = successors[at[i], cells[i]]
        rewards[i] = 0.0
        over[i] = True
        turned[i] = False
        if after < 0:
            rewards[i] = -1.0
            continue
        at[i] = after
        if standing[after] == GOING:
            over[i] = False
            going += 1
        else:
            turned[i] = not alone
            if standing[after] == LOST:
                rewards[i] = 1.0
    return going


@compiled
def reply(
    at: NDArray[np.int32],
    waiting: NDArray[np.int64],
    cells: Cells,
    successors: NDArray[np.int32],
    standing: NDArray[np.int8],
    rewards: NDArray[np.float64],
    over: Mask,
) -> int:
    """Put the opponent's stones on `cells` (waiting,) in the games numbered `waiting`, in place.

    Returns how many of them go on.
    """
    going = len(waiting)
    for j in range(len(waiting)):
        i = waiting[j]
        after = successors[at[i], cells[j]]
        at[i] = after
        if standing[after] != GOING:
            over[i] = True
            going -= 1
            if standing[after] == LOST:
                rewards[i] = -1.0
    return going


@compiled
def pick(
    at: NDArray[np.int32],
    waiting: NDArray[np.int64],
    dice: NDArray[np.float64],
    reached: NDArray[np.float64],
    last: NDArray[np.int64],
) -> Cells:
    """The cells (waiting,) on which the dice (waiting,) fall; see `dice.fall`.

    Args:
        at: the games' positions.
        waiting: the numbers of the games.
        dice: from [0, 1).
        reached: cumulative probabilities of the opponent's moves, (positions, cells).
        last: its last cell with any probability, (positions,).
    """
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        row = reached[at[waiting[j]]]
        end = last[at[waiting[j]]]
        goal = dice[j] * row[end]
        cell = 0
        for c in range(row.size):  # without a branch that the processor would have to guess
            cell += row[c] <= goal
        cells[j] = min(cell, end)
    return cells


@compiled
def pick_uniform(
    at: NDArray[np.int32],
    waiting: NDArray[np.int64],
    dice: NDArray[np.floating],
    playable: NDArray[np.int8],
    many: NDArray[np.int8],
) -> Cells:
    """As `pick`, for a random player.

    Args:
        at: the games' positions.
        waiting: the numbers of the games.
        dice: from [0, 1).
        playable: the legal cells of each position first, (positions, cells).
        many: how many these are, (positions,).
    """
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        p = at[waiting[j]]
        cells[j] = playable[p, int(dice[j] * many[p])]
    return cells


@compiled
def observe(
    at: NDArray[np.int32],
    over: Mask,
    all_planes: NDArray[np.float32],
    all_masks: NDArray[np.int8],
    planes: NDArray[np.float32],
    masks: Boards,
) -> None:
    """Copy the planes and masks of the games' positions, seen by the side to move."""
    for i in range(len(at)):
        p = at[i]
        for c in range(planes.shape[1]):
            planes[i, c] = all_planes[p, c]
        for c in range(masks.shape[1]):
            masks[i, c] = 0 if over[i] else all_masks[p, c]


@compiled
def finals(
    at: NDArray[np.int32],
    turned: Mask,
    over: Mask,
    views: NDArray[np.float32],
    planes: NDArray[np.float32],
) -> None:
    """Write the planes of the games that are over in the agent's view, and zeros for the others.

    Args:
        at: the games' positions.
        turned: where the agent is not the side to move.
        over: which games are over.
        views: (2 * positions, 3 * cells): seen by the side to move, then by the other.
        planes: (games, 3 * cells), written.
    """
    half = len(views) // 2
    for i in range(len(at)):
        if over[i]:
            p = at[i] + half * turned[i]
            for c in range(planes.shape[1]):
                planes[i, c] = views[p, c]
        else:
            for c in range(planes.shape[1]):
                planes[i, c] = 0.0
