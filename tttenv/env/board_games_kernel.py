"""A step of a batch of games kept as boards, game by game: for rules with too many positions."""

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

Shape = tuple[int, int, int]  # rows, columns and how many in a row win


Opponent = tuple[int, int]  # its kind, NOBODY or RANDOM; the agent's seat in new games
# As `StepBuffers`; compiled code takes plain tuples faster than named ones.
Buffers = tuple[NDArray[Any], Boards, Outcomes, Mask, NDArray[Any], Mask]


@inner
def outcome_of(board: Stones, cell: int, shape: Shape) -> int:
    """The outcome for the side that has just put the stone on `cell` of this board (cells,)."""
    m, n, k = shape
    if completes(board, cell, m, n, k):
        return WIN
    return DRAW if full(board) else GOING


@inner
def put(board: Stones, cell: int, self_play: bool, shape: Shape) -> int:
    """Put the agent's stone on `cell` of its view (cells,); returns the agent's outcome.

    A taken cell leaves the board. In self-play the view becomes the next mover's.
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
    """Put the opponent's stone on `cell` of the agent's view; returns the agent's outcome."""
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

    Writes the agents' outcomes, which games are over and in which of them the other side than the
    one whose view the board is has to move now, (games,) each. Returns how many games go on;
    `waiting` (games,) begins with their numbers.
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
    """Put the opponent's stones on `cells` (waiting,) in the games numbered `waiting`, in place.

    Returns how many of these games go on.
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
    """The random empty cells on which the dice fall in the games numbered `waiting`."""
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
    """A whole step: stones, replies, last views, new games where some ended, views.

    Args:
        boards: of games that go on, in the agents' view, (games, cells), changed.
        cells: the agents' stones, (games,).
        key: of this step; see `random.keyed`.
        opponent: whom the agents play.
        shape: of the game.
        buffers: written.

    Returns:
        How many games ended.
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
    """Write what is seen of a board (cells,): one-hot planes (3 * cells,), or itself (cells,)."""
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
    """Write the views and masks (games,) of all games; nothing is legal in finished ones."""
    for i in range(len(boards)):
        show(boards[i], observations[i])
        for c in range(boards.shape[1]):
            masks[i, c] = boards[i, c] == 0 and not over[i]


@compiled
def observe_finals(boards: Boards, over: Mask, finals: NDArray[np.float32]) -> None:
    """Write the views (games,) of games that are over, zeros for others."""
    for i in range(len(boards)):
        if over[i]:
            show(boards[i], finals[i])
        else:
            finals[i] = 0


CHUNK = 32  # cells counted at once, without a branch
TRIES = 16  # cells tried blindly before the empty ones are counted


@inner
def empty_in(board: Stones, start: int) -> int:
    """How many of the CHUNK cells from `start` on are empty."""
    count = 0
    for cell in range(start, start + CHUNK):
        count += board[cell] == 0
    return count


@inner
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


@inner
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


@inner
def sample(board: Stones, die: float) -> int:
    """The empty cell of a board (cells,) on which a die in [0, 1) falls."""
    return nth_empty(board, int(die * count_empty(board)))


@compiled
def sample_legal(boards: Boards, key: np.uint64, cells: Cells) -> None:
    """Write a random empty cell for each game (games,): the key's i-th number.

    Cells are tried until an empty one is met, which makes all of these alike likely; after some
    tries, each with a key of its own, the empty ones are counted.
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
