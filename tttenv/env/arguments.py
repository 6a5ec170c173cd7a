"""Validation of arguments, seeds and options of both environments, before anything changes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.env.match import Match, Seat
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.policy import Policy
from tttenv.utils.arrays import described, one_of, real_numbers

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv


def one_action(action: Any) -> NDArray[Any]:
    """Check that an action is an integer, and return it as an array (1,).

    Raises:
        ValueError: if it is anything else.
    """
    given = real_numbers("actions", action)
    if given.size != 1 or given.dtype.kind not in "iu":
        raise ValueError(f"an action must be the number of a cell, not {described(action)}")
    return given.reshape(1)


def resolve_opponent(opponent: str | Policy | None, rules: Rules) -> Policy | None:
    """Return the opponent that an environment's argument stands for.

    Args:
        opponent: the spec of a player, a policy, or None for self-play.
        rules: the game that a named player plays.

    Returns:
        The named player; a policy or None unchanged.

    Raises:
        ValueError: for a spec that names no player of this game.
    """
    if not isinstance(opponent, str):
        return opponent
    from tttenv.players import player  # which a match alone does not need

    return player(opponent, rules)


def checked_boards(rules: Rules, games: int, boards: ArrayLike, seat: str | None) -> Boards:
    """Validate the boards from which games are to start.

    Args:
        rules: the game.
        games: the number of games.
        boards: one board for all games, of any shape, or one for each (games, ...), in the view of
            the side to move: 1 mine, -1 theirs, 0 empty.
        seat: "X" or "O", which has to be to move; None: either.

    Returns:
        Boards (games, cells), read-only if one stands for all.

    Raises:
        ValueError: for another number of boards, one that cannot be reached or is finished, or one
            with the other seat to move.
    """
    given = real_numbers("boards", boards)
    if given.size == rules.cells:
        given = given.reshape(1, -1)
    elif given.shape[:1] != (games,) or not given.size:
        raise ValueError(f"{games} boards are expected, not shape {given.shape}")
    checked = rules.check_all(given.reshape(len(given), -1))
    if seat is not None:
        one_of("seat", seat, ("X", "O"))
        others = checked[rules.seat(checked) != ("X", "O").index(seat)]
        if len(others):
            raise ValueError(f"it is not the turn of seat {seat} on {rules.format(others[0])}")
    return np.broadcast_to(checked, (games, rules.cells))


def require_game(closed: bool, going: bool = True, message: str = "call reset() first") -> None:
    """Raise unless an environment is open and has a game in progress.

    Args:
        closed: whether it is closed.
        going: whether a game is in progress.
        message: what to do if no game is.

    Raises:
        gymnasium.error.ClosedEnvironmentError: if it is closed.
        gymnasium.error.ResetNeeded: if no game is in progress.
    """
    if closed:
        raise gymnasium.error.ClosedEnvironmentError("the environment is closed: make a new one")
    if not going:
        raise gymnasium.error.ResetNeeded(message)


def plain_seed(seed: Any) -> Any:
    """Convert a NumPy integer to `int`, as Gymnasium requires; return others unchanged."""
    return int(seed) if isinstance(seed, np.integer) else seed


def one_seed(seed: Any, games: int) -> Any:
    """Return a single seed for a batch of games.

    Args:
        seed: an integer or None, or a list of these, one for each game.
        games: the number of games.

    Returns:
        The seed; for a list 128 bits that depend on all seeds in it, or None if all are None.

    Raises:
        ValueError: for a list of another length, or with anything but non-negative integers.
    """
    if not isinstance(seed, list | tuple):
        return plain_seed(seed)
    if len(seed) != games:
        raise ValueError(f"{games} seeds are needed, one for each game, not {len(seed)}")
    seeds = [plain_seed(one) for one in seed if one is not None]
    if not seeds:
        return None
    if not all(isinstance(one, int) and one >= 0 for one in seeds):
        raise ValueError("seeds must be non-negative integers")
    state = np.random.SeedSequence(seeds).generate_state(2, np.uint64)
    return int(state[0]) << 64 | int(state[1])


class Start(NamedTuple):
    """Options of a reset, validated but for a seat in new games, which `Match.reset` checks."""

    boards: Boards | None  # (games, cells) to continue from; None: new games
    seat: Seat | None  # the agent's in new games; None: the environment's setting
    which: Mask | None = None  # the games to start (games,); None: all

    @classmethod
    def of(cls, match: Match, options: Any, masked: bool = False) -> "Start":
        """Validate the options of a reset; no game changes.

        Args:
            match: the games.
            options: None or a dict with "board", "seat" and, if `masked`, "reset_mask".
            masked: whether a mask may say which games start.

        Raises:
            ValueError: for an unknown option, a board that cannot be played on, or a mask that is
                not a boolean array (games,), marks no game or comes with a board.
        """
        if options is None:
            return cls(None, None)
        if not isinstance(options, Mapping):
            raise ValueError(f"options must be a dict or None, not {described(options)}")
        known = ("board", "seat", "reset_mask") if masked else ("board", "seat")
        for name in options:
            if name not in known:
                raise ValueError(f"reset has the options {', '.join(known)}, not {described(name)}")
        board, seat, which = (options.get(name) for name in ("board", "seat", "reset_mask"))
        games = len(match.over)
        if which is not None:
            right = isinstance(which, np.ndarray) and which.dtype == np.bool_
            if not right or which.shape != (games,):
                raise ValueError(
                    f"reset_mask must be a NumPy array of {games} booleans, not {described(which)}"
                )
            if not which.any():
                raise ValueError("reset_mask must have a True")
            if board is not None:
                raise ValueError("reset_mask can be combined with 'seat', not with 'board'")
        if board is not None:
            given = match.rules.parse(board) if isinstance(board, str) else board
            return cls(checked_boards(match.rules, games, given, seat), None)
        return cls(None, seat, which)

    def begin(self, match: Match, rng: np.random.Generator, seeded: bool) -> None:
        """Start the games of a match with these options.

        Args:
            match: the games.
            rng: the generator that the key of new games is drawn from.
            seeded: whether it is a new generator, so that the match has no key from it.

        Raises:
            ValueError: for an unknown seat, and whatever an opponent that opens raises.
        """
        if seeded:
            match.key = None
        if self.boards is None:
            which = np.ones(len(match.over), np.bool_) if self.which is None else self.which
            match.reset(which, rng, self.seat)
        else:
            match.set_boards(self.boards)


@contextmanager
def generator_kept(env: "gymnasium.Env[Any, Any] | VectorEnv[Any, Any, Any]") -> Iterator[None]:
    """Restore the environment's generator and seed if the block fails."""
    generator, seed = env._np_random, env._np_random_seed
    try:
        yield
    except BaseException:
        env._np_random, env._np_random_seed = generator, seed
        raise
