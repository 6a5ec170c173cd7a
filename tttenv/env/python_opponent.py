"""Steps and resets with an opponent that runs in Python and may raise an exception.

If an exception is raised, KeyboardInterrupt included, the games and the generator are restored.
"""

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from tttenv.env.step_options_kernel import NEXT_STEP, SAME_STEP
from tttenv.env.step_output import StepOutput
from tttenv.game.random_kernel import OPENING, REPLY, SEAT, keyed_uniforms
from tttenv.game.types import Cells, Mask

if TYPE_CHECKING:
    from tttenv.env.match import Match

NOTHING_TO_UNDO = nullcontext()


def step(
    match: "Match", cells: Cells, output: StepOutput, rng: np.random.Generator, mode: int
) -> int:
    """Run `step.step` with a Python opponent, which is queried after the agents' moves.

    Args:
        match: the games.
        cells: the agents' stones (games,), on the board.
        output: written to; its contents are unspecified if the opponent raises.
        rng: the generator that keys are drawn from.
        mode: when finished games restart.

    Returns:
        The number of games that ended.
    """
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
