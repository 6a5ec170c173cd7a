"""Compiled steps for games stored as boards, used when a table of positions would be too large."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.env.step_options_kernel import FIRST, NEXT_STEP, NOBODY, SAME_STEP, SECOND
from tttenv.game.outcomes_kernel import GOING, ILLEGAL, SEEN_BY_OTHER, Outcomes
from tttenv.game.random_kernel import MIX_1, OPENING, REPLY, SEAT, keyed, keyed_bounded
from tttenv.game.rules_kernel import Game, ended
from tttenv.game.types import Boards, Cells, Mask, Stones
from tttenv.utils.compiled import bare, compiled, inner

# Compiled code accepts plain tuples faster than named ones or classes.
# The games: their boards in the agent's view (games, cells), where the other side is to move (games
# that the agent's stone has finished), their outcomes, and whether they are over, (games,) each.
Games = tuple[Boards, Mask, Outcomes, Mask]
Opponent = tuple[int]  # its kind, NOBODY or RANDOM
Known = tuple[Game]  # in place of the table: all that moves need
# The fields of `games.StepOutput`.
Output = tuple[NDArray[Any], Boards, NDArray[np.float64], Outcomes, Mask, NDArray[Any]]


@compiled
def step(
    games: Games,
    cells: Cells,
    keys: tuple[np.uint64, np.uint64],
    opponent: Opponent,
    seat: int,
    known: Known,
    payoffs: NDArray[np.float64],
    mode: int,
    output: Output,
) -> int:
    """Run a full step of all games: moves, replies, restarts, rewards and observations.

    The arguments and the result are those of `table_games_kernel.step`, with the game for a table.
    """
    boards, flipped, kept_outcomes, kept_over = games
    observations, masks, rewards, outcomes, over, finals = output
    against = opponent[0] != NOBODY
    ended, (key, restart_key), (game,) = 0, keys, known
    if mode == SAME_STEP:
        finals[:] = 0  # all at once: faster than row by row
    for i in range(len(boards)):
        board = boards[i]
        if mode == NEXT_STEP and kept_over[i]:
            begin(board, i, restart_key, opponent, seat)
            flipped[i], outcome = False, GOING
        else:
            outcome = put(board, cells[i], not against, game)
            flipped[i] = against and outcome not in (GOING, ILLEGAL)
            if against and outcome == GOING:
                outcome = answer(board, sample(board, keyed(key, i, REPLY)), game)
        outcomes[i] = outcome
        over[i] = outcome != GOING
        rewards[i] = payoffs[outcome]
        ended += outcome != GOING
        if mode == SAME_STEP:
            if outcome != GOING:
                show(board, finals[i])
                begin(board, i, key, opponent, seat)
                flipped[i] = False
        else:
            kept_outcomes[i], kept_over[i] = outcome, outcome != GOING
        show(board, observations[i])
        mark(board, kept_over[i], masks[i])
    return ended


@inner
def begin(board: Stones, game: int, key: np.uint64, opponent: Opponent, seat: int) -> None:
    """Restart a game; if the agent is O, a RANDOM opponent makes the first move."""
    board[:] = 0
    second = seat != FIRST and (seat == SECOND or keyed(key, game, SEAT) >= 0.5)
    if second and opponent[0] != NOBODY:
        board[sample(board, keyed(key, game, OPENING))] = -1


@bare
def restart(
    boards: Boards,
    flipped: Mask,
    which: Cells,
    start: int,
    key: np.uint64,
    opponent: Opponent,
    seat: int,
    game: Game,
) -> None:
    """Restart the games in `which` of a block that begins with game `start`."""
    for j in range(len(which)):
        begin(boards[which[j]], start + which[j], key, opponent, seat)
        flipped[which[j]] = False


@inner
def put(board: Stones, cell: int, self_play: bool, game: Game) -> int:
    """Put the agent's stone on `cell` of a board (cells,), and return the agent's outcome.

    An occupied cell leaves the board unchanged. In self-play the view becomes the next mover's.
    """
    if board[cell] != 0:
        return ILLEGAL
    board[cell] = 1
    outcome = ended(board, cell, game)
    if self_play:
        for c in range(board.size):
            board[c] = -board[c]
    return outcome


@inner
def answer(board: Stones, cell: int, game: Game) -> int:
    """Put the opponent's stone on `cell` of a board (cells,), and return the agent's outcome."""
    board[cell] = -1
    return int(SEEN_BY_OTHER[ended(board, cell, game)])


@compiled
def put_stones(games: Games, which: Cells, cells: Cells, stone: int, game: Game) -> Cells:
    """Put stones of the agents (1) or the opponent (-1) on cells (which,); see `GameBatch.put`."""
    boards, flipped, outcomes, over = games
    going, count = np.empty_like(which), 0
    for j in range(len(which)):
        i = which[j]
        if stone == 1:
            outcomes[i] = put(boards[i], cells[j], False, game)
        else:
            outcomes[i] = answer(boards[i], cells[j], game)
        over[i] = outcomes[i] != GOING
        flipped[i] = over[i] and stone == 1 and outcomes[i] != ILLEGAL
        going[count] = i
        count += outcomes[i] == GOING
    return going[:count]


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


@inner
def mark(board: Stones, over: bool, mask: Stones) -> None:
    """Write the action mask (cells,) of a board: its empty cells, or zeros if the game is over."""
    for c in range(board.size):
        mask[c] = (board[c] == 0) & (not over)


@bare
def observe(
    boards: Boards,
    flipped: Mask,
    over: Mask,
    finished: Cells,
    known: Known,
    observations: NDArray[Any],
    masks: Boards,
) -> None:
    """Write all observations and action masks; zeros where the game is over."""
    for i in range(len(boards)):
        show(boards[i], observations[i])
        mark(boards[i], over[i], masks[i])


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
    """Return the `number`-th empty cell of a board (cells,), counting from 0."""
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
def sample(board: Stones, uniform: float) -> int:
    """Return the empty cell of a board (cells,) selected by a uniform random number in [0, 1)."""
    return nth_empty(board, int(uniform * count_empty(board)))


@compiled
def sample_legal(boards: Boards, key: np.uint64, game: Game, cells: Cells) -> None:
    """Sample an empty cell for each game (games,); game i uses the key's i-th random number.

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
