"""One turn in a batch of games, boards kept in the agent's view: stones, replies, observations."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.boards import full
from tttenv.kernels.line import completes
from tttenv.types import Boards, Cells, Mask


@compiled
def first_taken(boards: Boards, cells: Cells) -> int:
    """The first game whose chosen cell is taken, or -1."""
    for i in range(len(cells)):
        if boards[i, cells[i]] != 0:
            return i
    return -1


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
) -> None:
    """Put the agents' stones on `cells` (games,), writing all other arrays in place.

    A taken cell ends the game with reward -1 and leaves the board. With `flip` every other board
    is then turned to the next mover's view, and its seat with it.
    """
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
        if flip:
            seats[i] = 1 - seats[i]
            for c in range(board.size):
                board[c] = -board[c]


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
) -> None:
    """Put the opponent's stones on `cells` (waiting,) in the games numbered `waiting`, in place."""
    for j in range(len(waiting)):
        i = waiting[j]
        board = boards[i]
        board[cells[j]] = -1
        if completes(board, cells[j], m, n, k):
            rewards[i] = -1.0
            over[i] = True
        elif full(board):
            over[i] = True


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
