"""A step of a batch of games: validated actions, then one call of compiled code.

What is random in a step follows from one 64-bit key, drawn from the caller's generator; see
Randomness in `TicTacToe`. An opponent that runs in Python is queried between the agents' stones and
its own; if it raises an exception, KeyboardInterrupt included, the games and the generator are
restored.
"""

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tttenv.env.games import StepOutput
from tttenv.env.step_options_kernel import DISABLED, NEXT_STEP, NOBODY, SAME_STEP, SEATS
from tttenv.game.random_kernel import OPENING, REPLY, SEAT, keyed_uniforms
from tttenv.game.types import Cells, Mask
from tttenv.utils.arrays import real_numbers

if TYPE_CHECKING:
    from tttenv.env.match import Match

NOTHING_TO_UNDO = nullcontext()


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
        return _step_asking(match, cells, output, rng, mode)
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


def _step_asking(
    match: "Match", cells: Cells, output: StepOutput, rng: np.random.Generator, mode: int
) -> int:
    """Run `step` with a Python opponent, which is queried after the agents' moves; see there."""
    games = match.games
    with attempt(match, rng):
        waits, key, restart_key = games.over.copy(), 0, match.key
        if not waits.all() or mode != NEXT_STEP:
            if waits.any():  # on an occupied cell they stay as they are
                cells = np.where(waits, (match.boards != 0).argmax(axis=1), cells)
            key = match.draw_key(rng)
            waiting = games.place(cells, self_play=False)
            games.reply(match.opponent, waiting, keyed_uniforms(np.uint64(key), waiting, REPLY))
        if mode == NEXT_STEP and waits.any():
            restart(match, waits, match.draw_key(rng) if restart_key is None else restart_key)
        output.outcomes[:], output.over[:] = games.outcomes, games.over
        output.rewards[:] = match.payoffs.many(games.outcomes)
        ended = int(np.count_nonzero(games.over))
        match.key = key if ended and mode != SAME_STEP else None
        if mode == SAME_STEP and ended:
            games.observe_finals(output)
            restart(match, output.over, key)
        match.active = len(cells) - int(np.count_nonzero(games.over))
    games.observe(output)
    return ended


def restart(match: "Match", which: Mask, key: int, seat: str | None = None) -> None:
    """Restart the games marked in `which`; where the agent is O, the opponent moves first.

    Args:
        match: the games.
        which: the games to restart.
        key: the random key for seats and openings.
        seat: the agent's seat; None: the match's setting.

    Raises:
        ValueError: if the opponent forfeits on the empty board.
    """
    seat = match.seat if seat is None else seat
    new = np.flatnonzero(which)
    match.games.restart(new, key, None, seat)
    if seat == "random":
        new = new[keyed_uniforms(np.uint64(key), new, SEAT) >= 0.5]
    if seat == "X" or not len(new):
        return
    going = match.games.reply(match.opponent, new, keyed_uniforms(np.uint64(key), new, OPENING))
    if going < len(new):
        raise ValueError("the opponent forfeits on the empty board: there is no game to play")


def attempt(
    match: "Match", rng: np.random.Generator, always: bool = False
) -> AbstractContextManager[None]:
    """Return a context manager that restores the games and the generator if its block fails.

    If the opponent cannot fail, nothing is saved unless `always` is set. Blocks may be nested: the
    outermost one restores.

    Args:
        match: the games.
        rng: the generator that keys are drawn from.
        always: save the state even if the opponent cannot fail.
    """
    if match.attempting or not (always or match.asks):
        return NOTHING_TO_UNDO
    return Rollback(match, rng)


class Rollback:
    """Context manager that restores the games and the generator if its block fails.

    Arrays are restored in place, so other references see the restored values too. Any exception
    rolls back and propagates. Written without `contextlib`, since single games enter such a block
    at every step.
    """

    __slots__ = ("active", "bits", "copies", "key", "match", "state")

    def __init__(self, match: "Match", rng: np.random.Generator) -> None:
        self.match, self.active, self.key = match, match.active, match.key
        self.copies = [array.copy() for array in match.games.state]
        self.bits = rng.bit_generator
        self.state = self.bits.state

    def __enter__(self) -> None:
        """Mark the block as entered; the constructor has already saved the state."""
        self.match.attempting = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the state if the block failed."""
        self.match.attempting = False
        if kind is None:
            return
        for array, former in zip(self.match.games.state, self.copies, strict=True):
            array[...] = former
        self.bits.state = self.state
        self.match.active, self.match.key = self.active, self.key
