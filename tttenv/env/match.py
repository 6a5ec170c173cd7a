"""Games in progress between an agent and an opponent, the core of both environments.

Boards are in the agent's view. Between steps the agent is to move, so its view is the mover's.
Without an opponent (self-play) the agent moves for both sides, and boards switch to the next
mover's view after each stone.

All randomness in a step comes from one 64-bit key, drawn from the caller's generator: game i uses
outputs of splitmix64 seeded by the key, see `game.random_kernel.keyed`. A reset right after a
step in which games ended reuses the key of that step; every other reset draws a new key. In
self-play nothing is random and no key is drawn.

An opponent written in Python may raise at any time. Then neither the games nor the generator
change; see `Match.attempt`.
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
from tttenv.utils.arrays import described, one_of, real_numbers

__all__ = ["Illegal", "Match", "Seat"]

Seat: TypeAlias = Literal["X", "O", "random"]
Illegal: TypeAlias = Literal["lose", "raise"]
NOTHING_TO_UNDO = nullcontext()


class Match:
    """A batch of games.

    Args:
        rules: the game.
        games: the number of games.
        opponent: the opponent's policy, or None: the agent moves for both sides.
        seat: the agent's side in new games; "random" draws it for each game.
        illegal: "lose": playing an occupied cell loses; "raise": it raises and changes nothing.
        draw: the agent's reward for a draw, from -1 to 1.

    Raises:
        ValueError: for an unknown `seat` or `illegal`, fewer than one game, or `draw` out of range.
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
        self.active = 0  # number of games in progress
        self.key: int | None = None  # of the last step, if it ended games against an opponent
        self.attempting = False  # inside an `attempt` block, which has saved the state
        self.single: SingleGame | None = None
        if games == 1 and isinstance(self.games, TableGames):
            self.single = SingleGame(self.games)

    @property
    def over(self) -> Mask:
        """Which games are finished, (games,)."""
        return self.games.over

    @property
    def outcomes(self) -> Outcomes:
        """The games' outcomes for the agent, (games,): values of `rewards.Outcome`."""
        return self.games.outcomes

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The agent's rewards for `outcomes`, (games,), a new array."""
        return self.payoffs.many(self.games.outcomes)

    @property
    def boards(self) -> Boards:
        """The boards in the agent's view (games, cells), a copy."""
        return self.games.boards(slice(None))

    @property
    def opponent(self) -> Policy | None:
        """The opponent's policy; None: the agent moves for both sides."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Policy | None) -> None:
        self._opponent = opponent
        self.compiled = self.games.compiled(opponent, self.seat)

    @property
    def asks(self) -> bool:
        """Whether the opponent is called through Python, and so may raise in the middle of a step.

        False in self-play and against opponents that compiled code plays.
        """
        return self.compiled is None

    def attempt(
        self, rng: np.random.Generator, *shared: NDArray[Any], always: bool = False
    ) -> AbstractContextManager[None]:
        """Return a context manager that restores the games and the generator if its block fails.

        If the opponent cannot fail, nothing is saved unless `always` is set. Blocks may be nested:
        the outermost one restores.

        Args:
            rng: the generator that keys are drawn from.
            shared: other arrays that the block overwrites.
            always: save the state even if the opponent cannot fail.
        """
        if self.attempting or not (always or self.asks):
            return NOTHING_TO_UNDO
        return Rollback(self, (*self.games.state(), *shared), rng)

    def reset(self, which: Mask, rng: np.random.Generator, seat: Seat | None = None) -> None:
        """Restart the games marked in `which` (games,); if the agent is O, X plays its first move.

        Raises:
            ValueError: for an unknown seat, and if the opponent forfeits as X on the empty board;
                nothing has changed then.
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
                if self.over[new].any():
                    raise ValueError("the opponent forfeits on the empty board: there is no game")

    def set_boards(self, boards: ArrayLike, seat: str | None = None) -> None:
        """Continue from these boards, (cells,) for all games or (games, cells), the agent to move.

        Raises:
            ValueError: if a board is unreachable or finished, or `seat` is not the side to move;
                nothing has changed then.
        """
        self.set_checked_boards(self.checked_boards(boards, seat))

    def set_checked_boards(self, boards: Boards) -> None:
        """Continue from these boards (games, cells) without checks, with the agent to move."""
        self.games.set_boards(boards)
        self.active, self.key = len(self.over), None

    def checked_boards(self, boards: ArrayLike, seat: str | None = None) -> Boards:
        """Return the boards (games, cells) for `set_boards`, checked.

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
            ValueError: for actions of the wrong shape or type or off the board, and for occupied
                cells if illegal moves raise. Nothing has changed then, nor if the opponent raises.
        """
        self.step_unchecked(self.checked(actions), rng)

    def step_unchecked(self, cells: Cells, rng: np.random.Generator) -> None:
        """`step` without its checks, for validated cells (games,) int64."""
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
        """`step_unchecked` followed by a restart of the games that ended; return their number.

        Args:
            cells: the agents' stones (games,), on the board.
            buffers: the output arrays; unchanged if the opponent raises.
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
        """Sample a legal cell for every game (games,) from one key; no game may be over."""
        return self.games.sample(draw_key(rng))

    def sample_one(self, rng: np.random.Generator) -> int:
        """Sample a legal cell for a match of one game."""
        if self.single is not None:
            return self.single.sample(rng.random())
        return int(self.sample(rng)[0])

    def legal(self) -> Mask:
        """Return the legal cells, bool (games, cells); all False where the game is over."""
        mask: Mask = (self.boards == 0) & ~self.over[:, None]
        return mask

    def observe(self, observations: NDArray[Any], masks: Boards) -> None:
        """Write all games' views, planes or boards, and int8 masks (games, cells)."""
        self.games.observe(observations, masks)

    def board_to_move(self, game: int) -> Boards:
        """Return a game's board (cells,) in the view of the side to move, finished or not."""
        return self.games.board_to_move(game)

    def _step_key(self, rng: np.random.Generator) -> int:
        """Draw the key of a new step; 0 in self-play, without a draw."""
        return 0 if self.opponent is None else draw_key(rng)

    def _reset_key(self, rng: np.random.Generator) -> int:
        """The key of a reset: that of the step in which games ended, used once, or a new one."""
        key, self.key = self.key, None
        if self.opponent is None:
            return 0
        return draw_key(rng) if key is None else key

    def _reply(self, waiting: NDArray[np.int64], dice: NDArray[np.float64]) -> None:
        """Play the opponent's stones in the games `waiting`, with one random number each."""
        if self.opponent is not None and len(waiting):
            opponent = self.opponent if self.asks else self.compiled
            self.active -= len(waiting) - self.games.reply(opponent, waiting, dice)

    def checked(self, actions: ArrayLike) -> Cells:
        """Return the actions (games,) as cells, if they can be played.

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
    """Return the generator's next raw output: 64 bits, or fewer for some bit generators."""
    return int(rng.bit_generator.random_raw())


def at_least_one_game(number: int) -> None:
    """Raise ValueError unless `number` is a positive integer."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 1:
        raise ValueError(f"a match has at least one game, not {described(number)}")


def one_action(action: Any) -> NDArray[Any]:
    """Return the action of a single game as a batch of one (1,), of any dtype.

    Raises:
        ValueError: unless it is a single number.
    """
    given = real_numbers("actions", action)
    if given.size != 1:
        raise ValueError(f"an action is one cell, not {described(action)}")
    return given.reshape(1)


def on_board(actions: ArrayLike, games: int, rules: Rules) -> Cells:
    """Return the actions (games,) as cells of the board, empty or not.

    Raises:
        ValueError: for a wrong shape or type, or a cell off the board, naming its game.
    """
    plain = type(actions) is np.ndarray  # the common case, kept fast
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
