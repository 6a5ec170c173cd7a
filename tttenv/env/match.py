"""Batches of games between an agent and an opponent, the core of both environments.

Boards are in the agent's view. Between steps the agent is to move, so its view is the mover's.
Without an opponent (self-play) the agent moves for both sides, and boards switch to the next
mover's view after each stone.

What is random in a step follows from one 64-bit key, drawn from the caller's generator; see
Randomness in `TicTacToe`. An opponent that runs in Python is queried between the agents' stones and
its own; if it raises an exception, KeyboardInterrupt included, the games and the generator are
restored.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.env.games import FEW, GameBatch, StepOutput, TableGames
from tttenv.env.single_game import SingleGame
from tttenv.env.step_options_kernel import DISABLED, NEXT_STEP, SAME_STEP, SEATS
from tttenv.game.features import one_hot
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.random_kernel import OPENING, REPLY, SEAT, keyed_uniforms
from tttenv.game.rewards import Payoffs
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import Player, Policy, player_for
from tttenv.utils.arrays import described, one_of, real_numbers

Seat: TypeAlias = Literal["X", "O", "random"]
Illegal: TypeAlias = Literal["lose", "raise"]


class Match:
    """A batch of games between an agent and an opponent; none is in progress before `reset`.

    Args:
        rules: the game.
        games: the number of games.
        opponent: the opponent's policy, or None: the agent moves for both sides.
        seat: "X", "O" or "random"; the agent's in new games.
        illegal: "lose" or "raise"; what a move on an occupied cell does.
        draw: the agent's reward for a draw, from -1 to 1.
        planes: whether to observe one-hot planes; else boards.

    Raises:
        ValueError: for an argument with another value.
    """

    def __init__(
        self,
        rules: Rules,
        games: int = 1,
        opponent: Policy | None = None,
        seat: Seat = "random",
        illegal: Illegal = "lose",
        draw: float = 0.0,
        planes: bool = True,
    ) -> None:
        one_of("seat", seat, get_args(Seat))
        one_of("illegal", illegal, get_args(Illegal))
        whole = isinstance(games, int | np.integer) and not isinstance(games, bool)
        if not whole or games < 1:
            raise ValueError(f"a match must have at least one game, not {described(games)}")
        self.rules, self.seat, self.illegal = rules, seat, illegal
        self.payoffs = Payoffs(draw)
        kind = TableGames if rules.cells <= FEW else GameBatch  # the faster one
        self.games: GameBatch = kind(rules, games, planes)
        self.over: Mask = self.games.over  # (games,): the finished ones
        self.outcomes: Outcomes = self.games.outcomes  # (games,) for the agent, see tttenv.Outcome
        self.opponent = opponent
        self.active = 0  # number of games in progress
        self.key: int | None = None  # of the last step, if it ended games against an opponent
        self.attempting = False  # inside an `attempt` block
        self.single: SingleGame | None = None
        if games == 1 and isinstance(self.games, TableGames):
            self.single = SingleGame(self.games)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Rewards (games,) of the agent for `outcomes`, as a new array."""
        return self.payoffs.many(self.games.outcomes)

    @property
    def boards(self) -> Boards:
        """A copy of the boards (games, cells), from the agent's perspective."""
        return self.games.boards(slice(None))

    @property
    def opponent(self) -> Player | None:
        """The opponent's policy, or None if the agent moves for both sides."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Policy | None) -> None:
        self._opponent = None if opponent is None else player_for(self.rules, opponent)
        self.compiled = self.games.compiled(self._opponent)  # None: it is called through Python

    def replace_opponent(self, opponent: Policy | None) -> bool:
        """Replace the opponent from the next move on; return whether games in progress continue.

        With None, or instead of it, views and rewards would change sides in the middle of a game.
        """
        former = self._opponent
        self.opponent = opponent
        if (former is None) == (self._opponent is None):
            return True
        self.active = 0
        return False

    @property
    def asks(self) -> bool:
        """Whether the opponent runs in Python, and so may raise in the middle of a step."""
        return self.compiled is None

    def reset(self, which: Mask, rng: np.random.Generator, seat: Seat | None = None) -> None:
        """Restart games; where the agent is O, the opponent moves first.

        Args:
            which: the games to restart, bool (games,).
            rng: the generator that the key is drawn from.
            seat: the agent's; None: that of the match.

        Raises:
            ValueError: for an unknown seat, or an opponent that forfeits on the empty board.
        """
        seat = self.seat if seat is None else seat
        one_of("seat", seat, get_args(Seat))
        with self.attempt(rng):
            key, self.key = self.key, None  # of the step that ended games
            if key is None or self._opponent is None:
                key = self.draw_key(rng)
            if self.single is not None and self.compiled is not None and which.item():
                self.single.reset(seat, self._opponent, key)
            else:
                self._restart(which, key, seat)
            self.active = len(which) - int(np.count_nonzero(self.games.over))

    def set_boards(self, boards: Boards) -> None:
        """Continue from valid boards (games, cells), unchecked, with the agent to move."""
        self.games.set_boards(boards)
        self.active, self.key = len(self.over), None

    def checked_actions(self, actions: ArrayLike) -> Cells:
        """Validate actions (games,), and return them as cells.

        Raises:
            ValueError: for another shape or type, for an action off the board or, with
                `illegal="raise"`, on an occupied cell; those of finished games are ignored.
        """
        games, last = self.games, self.rules.cells - 1
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
                which = f"action {cells[off[0]]} of game {off[0]}"
                raise ValueError(f"{which} is off the board: 0 to {last}")
        if self.illegal == "raise":
            occupied = self.boards[np.arange(len(cells)), cells] != 0
            taken = np.flatnonzero(occupied & ~games.over)
            if taken.size:
                shown = self.rules.format(games.board_to_move(taken[0]))
                raise ValueError(f"action {cells[taken[0]]} of game {taken[0]} is taken on {shown}")
        return cells

    def step(self, actions: ArrayLike, rng: np.random.Generator) -> None:
        """Play the agents' cells and the opponent's replies; see `outcomes` and `over`.

        Args:
            actions: the cells (games,); see `checked_actions`.
            rng: the generator that the key is drawn from.

        Raises:
            ValueError: for an invalid action, or an opponent that returns an invalid move.
        """
        self.play(self.checked_actions(actions), self.games.outputs.take(), rng)

    def step_one(self, cell: int, rng: np.random.Generator) -> None:
        """Step a match of one game, without checks.

        Args:
            cell: the agent's cell, on the board.
            rng: the generator that the key is drawn from.
        """
        if self.single is None or self.compiled is None:
            self.play(np.array([cell]), self.games.outputs.take(), rng)
            return
        key = 0 if self._opponent is None else rng.bit_generator.random_raw()
        self.active = int(self.single.step(cell, self._opponent, key))
        self.key = None if self.active or self._opponent is None else key

    def play(
        self, cells: Cells, output: StepOutput, rng: np.random.Generator, mode: int = DISABLED
    ) -> int:
        """Play the agents' cells and the opponent's replies, and write the output.

        Args:
            cells: validated cells (games,).
            output: the arrays to write.
            rng: the generator that the key is drawn from.
            mode: when games restart: SAME_STEP, NEXT_STEP (games that were over restart, their
                cells are ignored) or DISABLED; in the first and the last no game may be over.

        Returns:
            The number of games that ended.
        """
        games, key, restart_key = self.games, 0, self.key
        with self.attempt(rng):
            if self._opponent is not None and (self.active or mode != NEXT_STEP):
                key = rng.bit_generator.random_raw()
            if restart_key is None:
                waits = mode == NEXT_STEP and self.active < len(cells)
                restart_key = self.draw_key(rng) if waits else 0
            if self.compiled is None:
                ended = self._step_asking(cells, key, restart_key, mode, output)
            else:
                ended = games.kernel.step(
                    games.state,
                    cells,
                    (np.uint64(key), np.uint64(restart_key)),
                    self.compiled,
                    SEATS.index(self.seat),
                    games.known,
                    self.payoffs.table,
                    mode,
                    output.compiled,
                )
            self.active = len(cells) - (0 if mode == SAME_STEP else ended)
            over = self.active < len(cells)
            self.key = key if over and self._opponent is not None else None
        return ended

    def _step_asking(
        self, cells: Cells, key: int, restart_key: int, mode: int, output: StepOutput
    ) -> int:
        """Do as the kernel's `step`, with a Python opponent queried after the agents' moves."""
        games, waits = self.games, self.over.copy()
        going = np.flatnonzero(~waits)
        going = games.put(going, cells[going], 1)
        if len(going):
            games.reply(self._opponent, going, keyed_uniforms(np.uint64(key), going, REPLY))
        if waits.any():
            self._restart(waits, restart_key, self.seat)
        output.outcomes[:], output.over[:] = games.outcomes, games.over
        output.rewards[:] = self.payoffs.many(games.outcomes)
        over = np.flatnonzero(games.over)
        if mode == SAME_STEP and len(over):
            boards = games.boards(over)
            output.finals[:] = 0
            output.finals[over] = one_hot(boards) if games.planes else boards
            self._restart(output.over, key, self.seat)
        games.observe(output)
        return len(over)

    def _restart(self, which: Mask, key: int, seat: str) -> None:
        """Restart the games in `which`; where the agent is O, the opponent moves first."""
        new = np.flatnonzero(which)
        self.games.restart(new, key, self.compiled, seat)
        if seat == "random" and self.asks:
            new = new[keyed_uniforms(np.uint64(key), new, SEAT) >= 0.5]
        if seat == "X" or not self.asks or not len(new):
            return
        uniforms = keyed_uniforms(np.uint64(key), new, OPENING)
        if len(self.games.reply(self._opponent, new, uniforms)) < len(new):
            raise ValueError("the opponent forfeits on the empty board: there is no game to play")

    def attempt(
        self, rng: np.random.Generator, always: bool = False
    ) -> AbstractContextManager[None]:
        """Return a context that restores the games and the generator if its block fails.

        Args:
            rng: the generator that the block draws from.
            always: whether to save them even if the opponent cannot fail. Of nested contexts the
                outermost restores.
        """
        return self._undone(rng) if not self.attempting and (always or self.asks) else nullcontext()

    @contextmanager
    def _undone(self, rng: np.random.Generator) -> Iterator[None]:
        """Restore the games, in place, and the generator if the block fails in any way."""
        active, key, bits = self.active, self.key, rng.bit_generator
        state, copies = bits.state, [array.copy() for array in self.games.state]
        self.attempting = True
        try:
            yield
        except BaseException:
            for array, former in zip(self.games.state, copies, strict=True):
                array[...] = former
            self.active, self.key, bits.state = active, key, state
            raise
        finally:
            self.attempting = False

    def sample(self, rng: np.random.Generator) -> Cells:
        """Sample a legal cell for every game (games,) from one key; 0 where the game is over."""
        if self.active == len(self.games.over):
            return self.games.sample(rng.bit_generator.random_raw())
        chances = rng.random((len(self.over), self.rules.cells))
        return np.asarray((chances * self.legal()).argmax(axis=1), np.int64)

    def legal(self) -> Mask:
        """Return the legal cells, bool (games, cells); all False where the game is over."""
        mask: Mask = (self.boards == 0) & ~self.over[:, None]
        return mask

    def draw_key(self, rng: np.random.Generator) -> int:
        """Return the generator's next raw output, up to 64 bits; 0 without drawing in self-play."""
        return 0 if self._opponent is None else rng.bit_generator.random_raw()
