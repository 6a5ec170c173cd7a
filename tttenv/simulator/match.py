"""Backend in progress between an agent and an opponent, any number at once: what both envs wrap.

Boards are in the agent's view. At rest the agent is to move, so its view is the mover's; with no
opponent the agent moves for both sides and boards turn to the next mover's view after each stone.

All chance comes from the generator handed in, one number in [0, 1) a die, in this order: for each
newly dealt game its seat (if random), then for each opponent stone one, in the order of the games;
games that need no die use none. A turn rolls for all replies first, then a deal for what is new.

An opponent written in Python may raise anything at any time: then nothing has changed, neither the
games nor the generator; see `Match.attempt`.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.arrays import described, real_numbers
from tttenv.game.rewards import Payoffs
from tttenv.game.rules import Rules
from tttenv.kernels.outcomes import Outcomes
from tttenv.kernels.types import Boards, Cells, Mask
from tttenv.policy import Policy
from tttenv.simulator.backend import Backend, OpponentConfig, StepBuffers
from tttenv.simulator.crew import Crew
from tttenv.simulator.rollback import Rollback
from tttenv.simulator.rollout import new_games, rollout
from tttenv.simulator.single_game import SingleGame, supports
from tttenv.simulator.table_backend import TableBackend

__all__ = ["Illegal", "Match", "Seat", "rollout"]

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
        threads: how many share the work; it makes no difference to the games.
        draw: what a draw pays the agent, from -1 to 1.

    Raises:
        ValueError: for an unknown seat or treatment of illegal moves, less than one game or thread,
            or a draw that pays less than a loss or more than a win.
    """

    def __init__(
        self,
        rules: Rules,
        games: int = 1,
        opponent: Policy | None = None,
        seat: Seat = "random",
        illegal: Illegal = "lose",
        threads: int = 1,
        draw: float = 0.0,
    ) -> None:
        one_of("seat", seat, get_args(Seat))
        one_of("illegal", illegal, get_args(Illegal))
        at_least_one("game", games)
        at_least_one("thread", threads)
        self.rules, self.opponent, self.seat, self.illegal = rules, opponent, seat, illegal
        self.crew, self.payoffs = Crew(threads), Payoffs(draw)
        self.games: Backend = new_games(rules, games, self.crew)
        self.active = 0  # how many games go on
        self.everyone = np.arange(games)
        self.attempting = False  # inside the block of an `attempt`, which saves everything once
        self.one: SingleGame | None = None
        if games == 1 and isinstance(self.games, TableBackend):
            self.one = SingleGame(self.games)

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
    def asks(self) -> bool:
        """Whether the opponent is asked through Python, and so may raise in the middle of a turn.

        There is none to ask, or it is compiled or looked up, where this is False.
        """
        return not supports(self.opponent, self.rules)

    def attempt(
        self, rng: np.random.Generator, *shared: NDArray[Any], always: bool = False
    ) -> AbstractContextManager[None]:
        """A block after whose failure games and dice are as they were before it.

        Where the opponent cannot fail nothing is saved, unless `always`. Blocks may stand within
        each other: the outermost one counts.

        Args:
            rng: the generator that is rolled.
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
        if self.one is not None and supports(self.opponent, self.rules) and which.item():
            self.one.reset(seat, self.opponent, rng)
            self.active = 1
            return
        with self.attempt(rng):
            self.active += int(np.count_nonzero(self.over & which))
            self.games.clear(which)
            if self.opponent is not None and seat != "X":
                new = np.flatnonzero(which)
                self._reply(new[rng.random(len(new)) >= 0.5] if seat == "random" else new, rng)

    def set_boards(self, boards: ArrayLike, seat: str | None = None) -> None:
        """Go on from these boards, (cells,) for all games or (games, cells), the agent to move.

        Raises:
            ValueError: if a board is unreachable or finished, or `seat` is not who is to move;
                nothing has changed then.
        """
        self.set_checked_boards(self.checked_boards(boards, seat))

    def set_checked_boards(self, boards: Boards) -> None:
        """Go on from these boards (games, cells), unchecked, the agent to move in all of them."""
        self.games.put(boards)
        self.active = len(self.over)

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
        checked = np.array([self.rules.check(board) for board in given])
        if seat is not None:
            one_of("seat", seat, ("X", "O"))
            if (self.rules.seat(checked) != ("X", "O").index(seat)).any():
                raise ValueError(f"seat {seat} is not to move on {self.rules.format(checked[0])}")
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
        self_play, place = self.opponent is None, self.games.place
        with self.attempt(rng):
            self.active = self.crew.share(len(cells), lambda part: place(part, cells, self_play))
            if not self_play and self.active:
                whole = self.active == len(cells)
                self._reply(self.everyone if whole else np.flatnonzero(~self.over), rng)

    def supports_fused_step(self, rng: np.random.Generator) -> bool:
        """Whether `step_autoreset` can play against the opponent, with these dice."""
        return self.games.supports_fused_step(self.opponent, rng)

    def step_autoreset(
        self, cells: Cells, lap: StepBuffers, wipe: bool, rng: np.random.Generator
    ) -> int:
        """`step_unchecked`, views, and new games where some ended; see `Backend.step_autoreset`."""
        return self.games.step_autoreset(
            cells, lap, wipe, OpponentConfig(self.opponent, self.seat, rng)
        )

    def step_one(self, cell: int, rng: np.random.Generator) -> None:
        """`step_unchecked` for a match of one game."""
        if self.one is not None and supports(self.opponent, self.rules):
            self.active = int(self.one.step(cell, self.opponent, rng))
        else:
            self.step_unchecked(np.array([cell]), rng)

    def random_cell(self, rng: np.random.Generator) -> int:
        """`random_cells` for a match of one game."""
        if self.one is not None:
            return self.one.random_cell(rng.random())
        return int(self.random_cells(rng)[0])

    def random_cells(self, rng: np.random.Generator) -> Cells:
        """A random legal cell for every game (games,), from one die; all games must go on."""
        cells = np.empty(len(self.over), np.int64)
        self.games.choose(rng.bit_generator.random_raw(), cells)
        return cells

    def legal(self) -> Mask:
        """The cells the agents may play, (games, cells); none where the game is over."""
        mask: Mask = (self.boards == 0) & ~self.over[:, None]
        return mask

    def observe(self, planes: NDArray[np.float32], masks: Boards) -> None:
        """Write the games' one-hot planes (games, 3 * cells) and int8 masks (games, cells).

        Planes are the mover's view; it is the agent's in all games that go on.
        """
        self.crew.share(len(masks), lambda part: self.games.observe(part, planes, masks))

    def finals(self, planes: NDArray[np.float32]) -> None:
        """Write the planes of the games that are over, in the agent's view, zeros for others."""
        self.crew.share(len(planes), lambda part: self.games.finals(part, planes))

    def board_to_move(self, game: int) -> Boards:
        """The board of one game (cells,) seen by the side to move, finished or not."""
        which = np.array([game])
        board: Boards = self.games.boards(which)[0]
        return -board if self.games.turned[game] else board

    def close(self) -> None:
        """End the threads at once; who plays on starts them again."""
        self.crew.close()
        self.games.close()

    def _reply(self, waiting: NDArray[np.int64], rng: np.random.Generator) -> None:
        """The opponent's stones in the games numbered `waiting`."""
        opponent, count, answer = self.opponent, len(waiting), self.games.answer
        if opponent is None or not count:
            return
        dice = rng.random(count)
        if not self.asks:
            going = self.crew.share(count, lambda part: answer(opponent, waiting[part], dice[part]))
        else:  # others are asked once, about all boards together
            going = answer(opponent, waiting, dice)
        self.active -= count - going

    def checked(self, actions: ArrayLike) -> Cells:
        """The actions (games,) as cells, if they can be played.

        Raises:
            ValueError: as `step`.
        """
        cells = on_board(actions, len(self.over), self.rules)
        if self.illegal == "raise":
            boards = self.boards
            taken = np.flatnonzero(boards[np.arange(len(cells)), cells])
            if taken.size:
                shown = self.rules.format(self.board_to_move(taken[0]))
                raise ValueError(f"action {cells[taken[0]]} of game {taken[0]} is taken on {shown}")
        return cells


def one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    """Let a known setting pass.

    Raises:
        ValueError: for others, listing the known ones.
    """
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, not {described(value)}")


def at_least_one(what: str, number: int) -> None:
    """Let a whole number from 1 on pass.

    Raises:
        ValueError: for anything else.
    """
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < 1:
        raise ValueError(f"a match has at least one {what}, not {described(number)}")


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
