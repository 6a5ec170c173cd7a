"""A step of a batch of games kept as boards: stones, replies, random legal cells, views."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.outcomes import DRAW, GOING, ILLEGAL, LOSS, WIN, Outcomes
from tttenv.kernels.random import MIX_1, spread
from tttenv.kernels.rules import completes, full
from tttenv.kernels.table_step import END, Numbers
from tttenv.kernels.types import Boards, Cells, Mask, Stones


@compiled
def place(
    boards: Boards,
    turned: Mask,
    cells: Cells,
    outcomes: Outcomes,
    over: Mask,
    ended: Numbers,
    flip: bool,
    m: int,
    n: int,
    k: int,
) -> int:
    """Put the agents' stones on `cells` (games,), writing all other arrays in place.

    A taken cell ends the game, ILLEGAL, and leaves the board. With `flip` every other board is then
    turned to the next mover's view; without it, `turned` (games,) marks the games that the stone
    ended, where the other side is to move. Returns how many games ended; `ended` (games,) begins
    with their numbers.
    """
    count = 0
    for i in range(len(boards)):
        board = boards[i]
        cell = cells[i]
        legal = board[cell] == 0
        outcome = ILLEGAL
        if legal:
            board[cell] = 1
            outcome = outcome_of(board, cell, m, n, k)
        outcomes[i] = outcome
        over[i] = outcome != GOING
        if over[i]:
            ended[count] = i
            count += 1
        turned[i] = over[i] and legal and not flip
        if flip and legal:
            for c in range(board.size):
                board[c] = -board[c]
    return count


@compiled
def reply(
    boards: Boards,
    waiting: NDArray[np.int64],
    cells: Cells,
    outcomes: Outcomes,
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
        outcome = outcome_of(board, cells[j], m, n, k)
        outcomes[i] = LOSS if outcome == WIN else outcome
        over[i] = outcome != GOING
        going -= outcome != GOING
    return going


@compiled
def outcome_of(board: Stones, cell: int, m: int, n: int, k: int) -> int:
    """The outcome for the side that has just put the stone on `cell` of this board (cells,)."""
    if completes(board, cell, m, n, k):
        return WIN
    return DRAW if full(board) else GOING


@compiled
def lap(
    boards: Boards,
    turned: Mask,
    cells: Cells,
    planes: NDArray[np.float32],
    masks: Boards,
    outcomes: Outcomes,
    over: Mask,
    finals: NDArray[np.float32],
    ended: Numbers,
    m: int,
    n: int,
    k: int,
) -> int:
    """A whole step of agents who move for both sides: stones, last views, new games, new views.

    Arguments as for `table_step.lap`, with boards for positions, and `turned` as for `place`.
    Returns how many games ended.
    """
    for j in range(len(ended)):
        if ended[j] == END:
            break
        finals[ended[j]] = 0.0
    count = place(boards, turned, cells, outcomes, over, ended, True, m, n, k)
    if count < len(ended):
        ended[count] = END
    for j in range(count):
        show(boards[ended[j]], finals[ended[j]])
        boards[ended[j]] = 0
    observe(boards, planes, masks)
    return count


@compiled
def show(board: Stones, planes: NDArray[np.float32]) -> None:
    """Write the one-hot planes (3 * cells,) of a board (cells,): mine, theirs, empty."""
    cells = board.size
    for c in range(cells):
        planes[c] = board[c] == 1
    for c in range(cells):
        planes[cells + c] = board[c] == -1
    for c in range(cells):
        planes[2 * cells + c] = board[c] == 0


@compiled
def observe(boards: Boards, planes: NDArray[np.float32], masks: Boards) -> None:
    """Write the one-hot planes (games, 3 * cells) and the empty cells (games, cells) of boards."""
    for i in range(len(boards)):
        show(boards[i], planes[i])
        for c in range(boards.shape[1]):
            masks[i, c] = boards[i, c] == 0


@compiled
def finals(boards: Boards, over: Mask, planes: NDArray[np.float32]) -> None:
    """Write the one-hot planes of the boards that are over, and zeros for the others."""
    for i in range(len(boards)):
        if over[i]:
            show(boards[i], planes[i])
        else:
            planes[i] = 0.0


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
