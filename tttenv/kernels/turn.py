"""One turn in a batch of games, boards kept in the agent's view: stones, replies, observations."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.boards import full
from tttenv.kernels.line import completes
from tttenv.types import Boards, Cells, Mask


@compiled
def place(
    boards: Boards,
    seats: NDArray[np.int8],
    cells: Cells,
    rewards: NDArray[np.float64],
    over: Mask,
    flip: bool,
    m: int,
    n: int,
    k: int,
) -> int:
    """Put the agents' stones on `cells` (games,), writing all other arrays in place.

    A taken cell ends the game with reward -1 and leaves the board. With `flip` every other board
    is then turned to the next mover's view, and its seat with it. Returns how many games go on.
    """
    going = 0
    for i in range(len(boards)):
        board = boards[i]
        cell = cells[i]
        rewards[i] = 0.0
        over[i] = True
        if board[cell] != 0:
            rewards[i] = -1.0
            continue
        board[cell] = 1
        if completes(board, cell, m, n, k):
            rewards[i] = 1.0
        elif not full(board):
            over[i] = False
            going += 1
        if flip:
            seats[i] = 1 - seats[i]
            for c in range(board.size):
                board[c] = -board[c]
    return going


@compiled
def pick_uniform(boards: Boards, waiting: NDArray[np.int64], dice: NDArray[np.floating]) -> Cells:
    """For each game numbered in `waiting` the empty cell its die, from [0, 1), falls on."""
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        board = boards[waiting[j]]
        empty = 0
        for cell in range(board.size):
            empty += board[cell] == 0
        left = int(dice[j] * empty)
        cell = 0
        while board[cell] != 0 or left > 0:
            left -= board[cell] == 0
            cell += 1
        cells[j] = cell
    return cells


@compiled
def reply(
    boards: Boards,
    waiting: NDArray[np.int64],
    cells: Cells,
    rewards: NDArray[np.float64],
    over: Mask,
    m: int,
    n: int,
    k: int,
) -> int:
    """Put the opponent's stones on `cells` (waiting,) in the games numbered `waiting`, in place.

    Returns how many of them go on.
    """
    going = len(waiting)
    for j in range(len(waiting)):
        i = waiting[j]
        board = boards[i]
        board[cells[j]] = -1
        won = completes(board, cells[j], m, n, k)
        if won or full(board):
            rewards[i] = -1.0 if won else 0.0
            over[i] = True
            going -= 1
    return going


@compiled
def observe(boards: Boards, over: Mask, planes: NDArray[np.float32], masks: Boards) -> None:
    """Write the one-hot planes (games, 3 * cells) and legal masks (games, cells) of the boards."""
    cells = boards.shape[1]
    for i in range(len(boards)):
        for c in range(cells):
            stone = boards[i, c]
            planes[i, c] = stone == 1
            planes[i, cells + c] = stone == -1
            planes[i, 2 * cells + c] = stone == 0
            masks[i, c] = stone == 0 and not over[i]


@compiled
def finals(boards: Boards, over: Mask, planes: NDArray[np.float32]) -> None:
    """Write the one-hot planes of the boards that are over, and zeros for the others."""
    cells = boards.shape[1]
    for i in range(len(boards)):
        for c in range(cells):
            planes[i, c] = over[i] and boards[i, c] == 1
            planes[i, cells + c] = over[i] and boards[i, c] == -1
            planes[i, 2 * cells + c] = over[i] and boards[i, c] == 0
