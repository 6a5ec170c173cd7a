"""From chance to legal cells, for a batch of games kept as boards."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.chance import MIX_1, spread
from tttenv.types import Boards, Cells, Stones

CHUNK = 32  # cells counted at once, without a branch
TRIES = 16  # cells tried blindly before the empty ones are counted


@compiled
def empty_in(board: Stones, start: int) -> int:
    """How many of the CHUNK cells from `start` on are empty."""
    count = 0
    for cell in range(start, start + CHUNK):
        count += board[cell] == 0
    return count


@compiled
def nth_empty(board: Stones, number: int) -> int:
    """The empty cell of a board (cells,) that so many others come before."""
    cell = 0
    while cell + CHUNK <= board.size:
        count = empty_in(board, cell)
        if number < count:
            break
        number -= count
        cell += CHUNK
    while board[cell] != 0 or number > 0:
        number -= board[cell] == 0
        cell += 1
    return cell


@compiled
def count_empty(board: Stones) -> int:
    """How many cells of a board (cells,) are empty."""
    count, cell = 0, 0
    while cell + CHUNK <= board.size:
        count += empty_in(board, cell)
        cell += CHUNK
    while cell < board.size:
        count += board[cell] == 0
        cell += 1
    return count


@compiled
def pick_uniform(boards: Boards, waiting: NDArray[np.int64], dice: NDArray[np.float64]) -> Cells:
    """For each game numbered in `waiting` the empty cell its die, from [0, 1), falls on."""
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        board = boards[waiting[j]]
        cells[j] = nth_empty(board, int(dice[j] * count_empty(board)))
    return cells


@compiled
def choose(boards: Boards, key: np.uint64, cells: Cells) -> None:
    """Write a random empty cell for each game (games,): game i's die is the key's i-th.

    Cells are tried until an empty one is met, which makes all of these alike likely; after some
    tries, each with a key of its own, the empty ones are counted.
    """
    for i in range(len(boards)):
        board = boards[i]
        cell = spread(key, i, board.size)
        tries = 1
        while board[cell] != 0 and tries < TRIES:
            cell = spread(key + np.uint64(tries) * MIX_1, i, board.size)
            tries += 1
        if board[cell] != 0:
            cell = nth_empty(board, spread(key + np.uint64(tries) * MIX_1, i, count_empty(board)))
        cells[i] = cell
