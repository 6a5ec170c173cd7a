"""One turn in a batch of games, boards kept in the agent's view: stones, replies, observations."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.boards import full
from tttenv.kernels.line import completes
from tttenv.kernels.outcomes import DRAW, GOING, ILLEGAL, LOSS, WIN, Outcomes
from tttenv.kernels.walk import END, Numbers
from tttenv.types import Boards, Cells, Mask, Stones


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

    Arguments as for `walk.lap`, with boards for positions, and `turned` as for `place`. Returns how
    many games ended.
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
