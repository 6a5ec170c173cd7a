"""A step of a batch of games: validated actions, then one call of compiled code.

What is random in a step follows from one 64-bit key, drawn from the caller's generator; see
Randomness in `TicTacToe`.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tttenv.env import python_opponent
from tttenv.env.step_options_kernel import DISABLED, NEXT_STEP, NOBODY, SAME_STEP, SEATS
from tttenv.env.step_output import StepOutput
from tttenv.game.types import Cells
from tttenv.utils.arrays import real_numbers

if TYPE_CHECKING:
    from tttenv.env.match import Match


def checked_actions(match: "Match", actions: ArrayLike) -> Cells:
    """Validate actions (games,), and return them as cells.

    Raises:
        ValueError: for actions of the wrong shape or type or off the board, and for occupied cells
            if illegal moves raise.
    """
    games, last = match.games, match.rules.cells - 1
    plain = type(actions) is np.ndarray  # the common case, kept fast
    given = np.asarray(actions) if plain else real_numbers("actions", actions)
    if given.shape != games.over.shape or given.dtype.kind not in "iu":
        wanted = f"integers of shape {games.over.shape}"
        raise ValueError(f"actions must be {wanted}, not {given.dtype} of shape {given.shape}")
    cells = np.ascontiguousarray(given, np.int64)
    if cells.view(np.uint64).max() > last:  # negative ones look huge
        cells = np.where(games.over, 0, cells)  # those of finished games are ignored
        off = np.flatnonzero((cells < 0) | (cells > last))
        if off.size:
            told = f"action {cells[off[0]]} of game {off[0]}"
            raise ValueError(f"{told} is off the board: 0 to {last}")
    if match.illegal == "raise":
        occupied = match.boards[np.arange(len(cells)), cells] != 0
        taken = np.flatnonzero(occupied & ~games.over)
        if taken.size:
            shown = match.rules.format(match.board_to_move(taken[0]))
            raise ValueError(f"action {cells[taken[0]]} of game {taken[0]} is taken on {shown}")
    return cells


def step(
    match: "Match",
    cells: Cells,
    output: StepOutput,
    rng: np.random.Generator,
    mode: int = DISABLED,
) -> int:
    """Play a cell in every game and the opponent's replies, restart games and write the output.

    Args:
        match: the games.
        cells: the agents' stones (games,), validated.
        output: written.
        rng: the generator that the step's key is drawn from.
        mode: when finished games restart: SAME_STEP, NEXT_STEP (games that were over restart, their
            cells are ignored) or DISABLED; in the first and the last no game may be over.

    Returns:
        The number of games that ended.
    """
    if match.compiled is None:
        return python_opponent.step(match, cells, output, rng, mode)
    games, key, restart_key = match.games, 0, match.key
    self_play = match.compiled[0] == NOBODY
    if not self_play and (match.active or mode != NEXT_STEP):
        key = rng.bit_generator.random_raw()
    if restart_key is None:
        waits = mode == NEXT_STEP and match.active < len(cells)
        restart_key = match.draw_key(rng) if waits else 0
    ended: int = games.kernel.step(
        games.state,
        cells,
        (np.uint64(key), np.uint64(restart_key)),
        match.compiled,
        SEATS.index(match.seat),
        games.known,
        match.payoffs.table,
        mode,
        output.compiled,
    )
    match.active = len(cells) - (0 if mode == SAME_STEP else ended)
    match.key = key if match.active < len(cells) and not self_play else None
    return ended
