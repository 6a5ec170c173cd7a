"""Games in progress between an agent and an opponent, any number at once: what both envs wrap.

Boards are in the agent's view. At rest the agent is to move, so its view is the mover's; with no
opponent (self-play) the agent moves for both sides and boards turn to the next mover's view after
each stone.

All chance in a step comes from one 64-bit key, drawn from the generator handed in: game i's dice
are numbers of splitmix64 seeded by the key, see `game.random_kernel.keyed`. A reset right after a
step in which games ended uses the key of that step; every other reset draws a new key. In self-play
nothing is left to chance and no key is drawn.

An opponent written in Python may raise anything at any time: then nothing has changed, neither the
games nor the generator; see `Match.attempt`.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.env.games import GameBatch
from tttenv.env.rollback import Rollback
from tttenv.env.rollouts import new_games
from tttenv.env.single_game import SingleGame
from tttenv.env.step_buffers_kernel import StepBuffers
from tttenv.env.table_games import TableGames
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.random_kernel import OPENING, REPLY, SEAT, keyed_dice
from tttenv.game.rewards import Payoffs
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import Policy
from tttenv.utils.arrays import described, real_numbers

__all__ = ["Illegal", "Match", "Seat"]

Seat: TypeAlias = Literal["X", "O", "random"]
Illegal: TypeAlias = Literal["lose", "raise"]
NOTHING_TO_UNDO = nullcontext()


class Match:
    """A batch of games.

    Args:
        rules: the game.
        games: how many are played side by side.
        opponent: who answers the agent, or None: the agent moves for both sides.
        seat: which side the agent takes in newly dealt games; "random" deals it by a die.
        illegal: whether a taken cell loses the game or raises an error that changes nothing.
        draw: what a draw pays the agent, from -1 to 1.

    Raises:
        ValueError: for an unknown seat or treatment of illegal moves, less than one game, or a
            draw that pays less than a loss or more than a win.
    """

    def __init__(
        self,
        rules: Rules,
        games: int = 1,
        opponent: Policy | None = None,
        seat: Seat = "random",
        illegal: Illegal = "lose",
        draw: float = 0.0,
    ) -> None:
        one_of("seat", seat, get_args(Seat))
        one_of("illegal", illegal, get_args(Illegal))
        at_least_one_game(games)
        self.rules, self.seat, self.illegal = rules, seat, illegal
        self.payoffs = Payoffs(draw)
        self.games: GameBatch = new_games(rules, games)
        self.opponent = opponent
        self.active = 0  # how many games go on
        self.key: int | None = None  # of the last step, if games ended in it against an opponent
        self.attempting = False  # inside the block of an `attempt`, which saves everything once
        self.single: SingleGame | None = None
        if games == 1 and isinstance(self.games, TableGames):
            self.single = SingleGame(self.games)

    @property
    def over(self) -> Mask:
        """Which games are finished, (games,)."""
        return self.games.over

    @property
    def outcomes(self) -> Outcomes:
        """How the games stand for the agent, (games,): numbers of `rewards.Outcome`."""
        return self.games.outcomes

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What `outcomes` pay the agent, (games,), a new array."""
        return self.payoffs.many(self.games.outcomes)

    @property
    def boards(self) -> Boards:
        """The boards in the agent's view (games, cells), a copy."""
        return self.games.boards(slice(None))

    @property
    def opponent(self) -> Policy | None:
        """Who answers the agent; None: the agent moves for both sides."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Policy | None) -> None:
        self._opponent = opponent
        self.compiled = self.games.compiled(opponent, self.seat)

    @property
    def asks(self) -> bool:
        """Whether the opponent is asked through Python, and so may raise in the middle of a step.

        False in self-play and against opponents that compiled code plays.
        """
        return self.compiled is None

    def attempt(
        self, rng: np.random.Generator, *shared: NDArray[Any], always: bool = False
    ) -> AbstractContextManager[None]:
        """A block after whose failure games and generator are as they were before it.

        Where the opponent cannot fail nothing is saved, unless `always`. Blocks may stand within
        each other: the outermost one counts.

        Args:
            rng: the generator that keys are drawn from.
            shared: other arrays that the block overwrites.
            always: save everything whoever the opponent is.
        """
        if self.attempting or not (always or self.asks):
            return NOTHING_TO_UNDO
        return Rollback(self, (*self.games.state(), *shared), rng)

    def reset(self, which: Mask, rng: np.random.Generator, seat: Seat | None = None) -> None:
        """Begin the games marked in `which` (games,) anew; where the agent is O, X has opened.

        Raises:
            ValueError: for an unknown seat; nothing has changed then.
        """
        seat = self.seat if seat is None else seat
        one_of("seat", seat, get_args(Seat))
        if self.single is not None and not self.asks and which.item():
            self.single.reset(seat, self.opponent, self._reset_key(rng))
            self.active = 1
            return
        with self.attempt(rng):
            key, new = np.uint64(self._reset_key(rng)), np.flatnonzero(which)
            self.active += int(np.count_nonzero(self.over & which))
            self.games.reset(which)
            if seat == "random":
                new = new[keyed_dice(key, new, SEAT) >= 0.5]
            if seat != "X":
                self._reply(new, keyed_dice(key, new, OPENING))

    def set_boards(self, boards: ArrayLike, seat: str | None = None) -> None:
        """Go on from these boards, (cells,) for all games or (games, cells), the agent to move.

        Raises:
            ValueError: if a board is unreachable or finished, or `seat` is not who is to move;
                nothing has changed then.
        """
        self.set_checked_boards(self.checked_boards(boards, seat))

    def set_checked_boards(self, boards: Boards) -> None:
        """Go on from these boards (games, cells), unchecked, the agent to move in all of them."""
        self.games.set_boards(boards)
        self.active, self.key = len(self.over), None

    def checked_boards(self, boards: ArrayLike, seat: str | None = None) -> Boards:
        """The boards (games, cells) that `set_boards` goes on from.

        Raises:
            ValueError: as `set_boards`.
        """
        given = real_numbers("boards", boards)
        if given.size == self.rules.cells:
            given = given.reshape(1, -1)
        elif given.shape[:1] != self.over.shape or not given.size:
            raise ValueError(f"{len(self.over)} boards are wanted, not shape {given.shape}")
        checked = self.rules.check_all(given.reshape(len(given), -1))
        if seat is not None:
            one_of("seat", seat, ("X", "O"))
            others = checked[self.rules.seat(checked) != ("X", "O").index(seat)]
            if len(others):
                raise ValueError(f"seat {seat} is not to move on {self.rules.format(others[0])}")
        return np.broadcast_to(checked, (len(self.over), self.rules.cells))

    def step(self, actions: ArrayLike, rng: np.random.Generator) -> None:
        """Play the agents' cells (games,) and the opponent's replies; see `outcomes` and `over`.

        Raises:
            ValueError: for actions of a wrong shape or type or off the board, and for taken cells
                if illegal moves raise; nothing has changed then, nor if the opponent raises.
        """
        self.step_unchecked(self.checked(actions), rng)

    def step_unchecked(self, cells: Cells, rng: np.random.Generator) -> None:
        """`step` without its checks, for cells (games,) int64 that have passed them."""
        with self.attempt(rng):
            key = self._step_key(rng)
            waiting = self.games.step(cells, self_play=self.opponent is None)
            self.active = len(waiting)
            self._reply(waiting, keyed_dice(np.uint64(key), waiting, REPLY))
            ended = self.active < len(cells)
            self.key = key if ended and self.opponent is not None else None

    def step_or_reset(self, cells: Cells, rng: np.random.Generator) -> None:
        """`step_unchecked` in the games that go on; finished games start anew instead.

        A game starts with the key of the step in which it ended, as if it was reset at once.
        """
        ended = self.over.copy()
        if ended.all():
            self.reset(ended, rng)
            return
        if not ended.any():
            self.step_unchecked(cells, rng)
            return
        with self.attempt(rng):
            former, cells = self.key, cells.copy()
            cells[ended] = (self.boards[ended] != 0).argmax(axis=1)  # taken: the game stays over
            self.step_unchecked(cells, rng)
            latest, self.key = self.key, former
            self.reset(ended, rng)
            self.key = latest if self.over.any() else None

    def step_one(self, cell: int, rng: np.random.Generator) -> None:
        """`step_unchecked` for a match of one game."""
        if self.single is None or self.asks:
            self.step_unchecked(np.array([cell]), rng)
            return
        key = self._step_key(rng)
        self.active = int(self.single.step(cell, self.opponent, key))
        self.key = None if self.active or self.opponent is None else key

    def step_autoreset(self, cells: Cells, buffers: StepBuffers, rng: np.random.Generator) -> int:
        """`step_unchecked`, and games begun anew where some ended; returns how many.

        Args:
            cells: the agents' stones (games,), on the board.
            buffers: written; if the opponent raises, they are as they were.
            rng: the generator that the step's key is drawn from.
        """
        if not self.asks:
            key, self.key = self._step_key(rng), None
            return self.games.step_autoreset(cells, key, self.compiled, buffers)
        _, _, outcomes, over, finals, _ = buffers
        with self.attempt(rng, outcomes, over, finals):
            self.step_unchecked(cells, rng)
            outcomes[:], over[:] = self.outcomes, self.over
            ended = len(cells) - self.active
            self.games.observe_finals(finals)
            if ended:
                self.reset(over, rng)
        self.games.observe(buffers.observations, buffers.masks)
        return ended

    def sample(self, rng: np.random.Generator) -> Cells:
        """A random legal cell for every game (games,), by one key; all games must go on."""
        return self.games.sample(draw_key(rng))

    def sample_one(self, rng: np.random.Generator) -> int:
        """A random legal cell for a match of one game, by a die of the generator's."""
        if self.single is not None:
            return self.single.sample(rng.random())
        return int(self.sample(rng)[0])

    def legal(self) -> Mask:
        """The cells the agents may play, (games, cells); none where the game is over."""
        mask: Mask = (self.boards == 0) & ~self.over[:, None]
        return mask

    def observe(self, observations: NDArray[Any], masks: Boards) -> None:
        """Write all games' views, planes or boards, and int8 masks (games, cells)."""
        self.games.observe(observations, masks)

    def board_to_move(self, game: int) -> Boards:
        """The board of one game (cells,) seen by the side to move, finished or not."""
        return self.games.board_to_move(game)

    def _step_key(self, rng: np.random.Generator) -> int:
        """The key of a new step; in self-play none is drawn."""
        return 0 if self.opponent is None else draw_key(rng)

    def _reset_key(self, rng: np.random.Generator) -> int:
        """The key of a reset: that of the step in which games ended, once, or a new one."""
        key, self.key = self.key, None
        if self.opponent is None:
            return 0
        return draw_key(rng) if key is None else key

    def _reply(self, waiting: NDArray[np.int64], dice: NDArray[np.float64]) -> None:
        """The opponent's stones, if there is one, in the games numbered `waiting`, a die each."""
        if self.opponent is not None and len(waiting):
            opponent = self.opponent if self.asks else self.compiled
            self.active -= len(waiting) - self.games.reply(opponent, waiting, dice)

    def checked(self, actions: ArrayLike) -> Cells:
        """The actions (games,) as cells, if they can be played.

        Raises:
            ValueError: as `step`.
        """
        cells = on_board(actions, len(self.over), self.rules)
        if self.illegal == "raise":
            boards = self.boards
            taken = np.flatnonzero((boards[np.arange(len(cells)), cells] != 0) & ~self.over)
            if taken.size:
                shown = self.rules.format(self.board_to_move(taken[0]))
                raise ValueError(f"action {cells[taken[0]]} of game {taken[0]} is taken on {shown}")
        return cells


def draw_key(rng: np.random.Generator) -> int:
    """The generator's next raw number: 64 bits, or fewer where its kind has fewer."""
    return int(rng.bit_generator.random_raw())


def one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    """Raise ValueError, listing the known settings, for an unknown one."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, not {described(value)}")


def at_least_one_game(number: int) -> None:
    """Raise ValueError for anything but a whole number from 1 on."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 1:
        raise ValueError(f"a match has at least one game, not {described(number)}")


def one_action(action: Any) -> NDArray[Any]:
    """The action of a single game as a batch of one (1,), of any type.

    Raises:
        ValueError: for anything but one number.
    """
    given = real_numbers("actions", action)
    if given.size != 1:
        raise ValueError(f"an action is one cell, not {described(action)}")
    return given.reshape(1)


def on_board(actions: ArrayLike, games: int, rules: Rules) -> Cells:
    """The actions (games,) as cells of the board, empty or not.

    Raises:
        ValueError: for a wrong shape or type, or a cell off the board, naming its game.
    """
    plain = type(actions) is np.ndarray  # as in nearly every step, where looking costs time
    given = np.asarray(actions) if plain else real_numbers("actions", actions)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise ValueError(f"actions are {games} whole numbers, not {given.dtype} of {given.shape}")
    cells = np.ascontiguousarray(given, np.int64)
    if cells.view(np.uint64).max() >= rules.cells:  # negative ones look huge
        game = int(np.flatnonzero((cells < 0) | (cells >= rules.cells))[0])
        raise ValueError(
            f"action {cells[game]} of game {game} is off the board: 0 to {rules.cells - 1}"
        )
    return cells
