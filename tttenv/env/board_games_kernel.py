"""A step of a batch of games stored as boards, for rules with too many positions; compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env.step_buffers_kernel import FIRST, NOBODY, SECOND
from tttenv.game.outcomes_kernel import DRAW, GOING, ILLEGAL, LOSS, WIN, Outcomes
from tttenv.game.random_kernel import MIX_1, OPENING, REPLY, SEAT, keyed, keyed_bounded
from tttenv.game.rules_kernel import completes, full
from tttenv.game.types import Boards, Cells, Mask, Stones
from tttenv.utils.bare import inner
from tttenv.utils.compiled import compiled

Shape = tuple[int, int, int]  # m, n and k


Opponent = tuple[int, int]  # its kind, NOBODY or RANDOM; the agent's seat in new games
# As `StepBuffers`; compiled code accepts plain tuples faster than named ones.
Buffers = tuple[NDArray[Any], Boards, Outcomes, Mask, NDArray[Any], Mask]


@inner
def outcome_of(board: Stones, cell: int, shape: Shape) -> int:
    """Return the outcome for the side that has just played `cell` of this board (cells,)."""
    m, n, k = shape
    if completes(board, cell, m, n, k):
        return WIN
    return DRAW if full(board) else GOING


@inner
def put(board: Stones, cell: int, self_play: bool, shape: Shape) -> int:
    """Put the agent's stone on `cell` of its view (cells,); return the agent's outcome.

    An occupied cell leaves the board unchanged. In self-play the view becomes the next mover's.
    """
    if board[cell] != 0:
        return ILLEGAL
    board[cell] = 1
    outcome = outcome_of(board, cell, shape)
    if self_play:
        for c in range(board.size):
            board[c] = -board[c]
    return outcome


@inner
def answer(board: Stones, cell: int, shape: Shape) -> int:
    """Put the opponent's stone on `cell` of the agent's view; return the agent's outcome."""
    board[cell] = -1
    outcome = outcome_of(board, cell, shape)
    return LOSS if outcome == WIN else outcome


@compiled
def place(
    boards: Boards,
    cells: Cells,
    self_play: bool,
    shape: Shape,
    outcomes: Outcomes,
    over: Mask,
    flipped: Mask,
    waiting: Cells,
) -> int:
    """Put the agents' stones on `cells` (games,), changing the boards (games, cells); see `put`.

    Writes the agents' outcomes, which games are over, and in which of them the side to move is not
    the one whose view the board is, (games,) each. Returns the number of games still in progress;
    `waiting` (games,) starts with their indices.
    """
    count = 0
    for i in range(len(boards)):
        outcome = put(boards[i], cells[i], self_play, shape)
        outcomes[i] = outcome
        over[i] = outcome != GOING
        flipped[i] = not self_play and outcome in (WIN, DRAW)
        waiting[count] = i
        count += outcome == GOING
    return count


@compiled
def reply(
    boards: Boards, waiting: Cells, cells: Cells, shape: Shape, outcomes: Outcomes, over: Mask
) -> int:
    """Put the opponent's stones on `cells` (waiting,) in the games `waiting`, in place.

    Returns the number of these games still in progress.
    """
    count = 0
    for j in range(len(waiting)):
        i = waiting[j]
        outcomes[i] = answer(boards[i], cells[j], shape)
        over[i] = outcomes[i] != GOING
        count += outcomes[i] == GOING
    return count


@compiled
def sample_replies(boards: Boards, waiting: Cells, dice: NDArray[np.float64]) -> Cells:
    """Sample empty cells in the games `waiting` by the given random numbers."""
    cells = np.empty(len(waiting), np.int64)
    for j in range(len(waiting)):
        cells[j] = sample(boards[waiting[j]], dice[j])
    return cells


@compiled
def step_autoreset(
    boards: Boards,
    cells: Cells,
    key: np.uint64,
    opponent: Opponent,
    shape: Shape,
    buffers: Buffers,
) -> int:
    """Run a whole step: moves, replies, final views, restarts and views.

    Args:
        boards: boards in progress, in the agents' view, (games, cells), changed.
        cells: the agents' stones, (games,).
        key: the key of this step; see `random_kernel.keyed`.
        opponent: the agents' opponent.
        shape: m, n and k.
        buffers: the output arrays.

    Returns:
        The number of games that ended.
    """
    observations, masks, outcomes, over, finals, stale = buffers
    kind, seat = opponent
    against = kind != NOBODY
    ended = 0
    for i in range(len(boards)):
        board = boards[i]
        outcome = put(board, cells[i], not against, shape)
        if against and outcome == GOING:
            outcome = answer(board, sample(board, keyed(key, i, REPLY)), shape)
        outcomes[i] = outcome
        over[i] = outcome != GOING
        if len(stale) == 0 or stale[i]:
            finals[i] = 0
        if outcome != GOING:
            ended += 1
            show(board, finals[i])
            board[:] = 0
            if against and seat != FIRST and (seat == SECOND or keyed(key, i, SEAT) >= 0.5):
                board[sample(board, keyed(key, i, OPENING))] = -1
        show(board, observations[i])
        for c in range(board.size):
            masks[i, c] = board[c] == 0
    return ended


@inner
def show(board: Stones, view: NDArray[np.float32]) -> None:
    """Write the observation of a board (cells,): one-hot planes (3 * cells,), or the board."""
    cells = board.size
    if view.size == cells:
        for c in range(cells):
            view[c] = board[c]
        return
    for c in range(cells):
        view[c] = board[c] == 1
    for c in range(cells):
        view[cells + c] = board[c] == -1
    for c in range(cells):
        view[2 * cells + c] = board[c] == 0


@compiled
def observe(boards: Boards, over: Mask, observations: NDArray[np.float32], masks: Boards) -> None:
    """Write the views and masks (games,) of all games; masks of finished games are zeros."""
    for i in range(len(boards)):
        show(boards[i], observations[i])
        for c in range(boards.shape[1]):
            masks[i, c] = boards[i, c] == 0 and not over[i]


@compiled
def observe_finals(boards: Boards, over: Mask, finals: NDArray[np.float32]) -> None:
    """Write the views (games,) of finished games; zeros for the others."""
    for i in range(len(boards)):
        if over[i]:
            show(boards[i], finals[i])
        else:
            finals[i] = 0


CHUNK = 32  # cells counted at once, without branches
TRIES = 16  # random cells tried before the empty ones are counted


@inner
def empty_in(board: Stones, start: int) -> int:
    """Count the empty cells among the CHUNK cells from `start` on."""
    count = 0
    for cell in range(start, start + CHUNK):
        count += board[cell] == 0
    return count


@inner
def nth_empty(board: Stones, number: int) -> int:
    """Return the empty cell with index `number` among the empty cells of a board (cells,)."""
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


@inner
def count_empty(board: Stones) -> int:
    """Count the empty cells of a board (cells,)."""
    count, cell = 0, 0
    while cell + CHUNK <= board.size:
        count += empty_in(board, cell)
        cell += CHUNK
    while cell < board.size:
        count += board[cell] == 0
        cell += 1
    return count


@inner
def sample(board: Stones, die: float) -> int:
    """Return the empty cell of a board (cells,) selected by a uniform random number in [0, 1)."""
    return nth_empty(board, int(die * count_empty(board)))


@compiled
def sample_legal(boards: Boards, key: np.uint64, cells: Cells) -> None:
    """Write a random empty cell for each game (games,), from the key's i-th number.

    Random cells are tried until one is empty, which is uniform over the empty cells; after some
    tries, each with a key of its own, the empty cells are counted instead.
    """
    for i in range(len(boards)):
        board = boards[i]
        cell = keyed_bounded(key, i, board.size)
        tries = 1
        while board[cell] != 0 and tries < TRIES:
            cell = keyed_bounded(key + np.uint64(tries) * MIX_1, i, board.size)
            tries += 1
        if board[cell] != 0:
            at = keyed_bounded(key + np.uint64(tries) * MIX_1, i, count_empty(board))
            cell = nth_empty(board, at)
        cells[i] = cell
