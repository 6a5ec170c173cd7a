"""Games in progress between an agent and an opponent, any number at once: what both envs wrap.

Boards are in the agent's view. At rest the agent is to move, so its view is the mover's; with no
opponent the agent moves for both sides and boards turn to the next mover's view after each stone.

All chance comes from the generator handed in, one number in [0, 1) a die, in this order: for each
newly dealt game its seat (if random), then for each opponent stone one, in the order of the games;
games that need no die use none. A turn rolls for all replies first, then a deal for what is new.
"""

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv import policy as policies
from tttenv.kernels import turn as kernels
from tttenv.policy import Policy
from tttenv.rules import Rules
from tttenv.types import Boards, Cells, Mask

Seat: TypeAlias = Literal["X", "O", "random"]
Illegal: TypeAlias = Literal["lose", "raise"]


class Match:
    """A batch of games.

    Args:
        rules: the game.
        games: how many are played side by side.
        opponent: who answers the agent, or None: the agent moves for both sides.
        seat: which side the agent takes in newly dealt games; "random" deals it by a die.
        illegal: whether a taken cell loses the game or raises an error that changes nothing.

    Raises:
        ValueError: for an unknown seat or treatment of illegal moves, or less than one game.
    """

    def __init__(
        self,
        rules: Rules,
        games: int = 1,
        opponent: Policy | None = None,
        seat: Seat = "random",
        illegal: Illegal = "lose",
    ) -> None:
        _one_of("seat", seat, get_args(Seat))
        _one_of("illegal", illegal, get_args(Illegal))
        if games < 1:
            raise ValueError(f"a match has at least one game, not {games}")
        self.rules, self.opponent, self.seat, self.illegal = rules, opponent, seat, illegal
        self.boards: Boards = rules.start(games)
        self.seats: NDArray[np.int8] = np.zeros(games, np.int8)  # whose view: 0 is X, 1 is O
        self.over: Mask = np.ones(games, np.bool_)
        self.rewards: NDArray[np.float64] = np.zeros(games)

    def deal(self, which: Mask, rng: np.random.Generator, seat: Seat | None = None) -> None:
        """Begin the games marked in `which` (games,) anew; where the agent is O, X has opened.

        Raises:
            ValueError: for an unknown seat.
        """
        seat = seat or self.seat
        _one_of("seat", seat, get_args(Seat))
        new = np.flatnonzero(which)
        self.boards[new] = 0
        self.seats[new] = 0
        self.over[new] = False
        if self.opponent is not None:
            self.seats[new] = rng.random(len(new)) >= 0.5 if seat == "random" else seat == "O"
            self._reply(new[self.seats[new] == 1], rng)

    def revive(self, boards: ArrayLike, seat: str | None = None) -> None:
        """Go on from these boards, (cells,) for all games or (games, cells), the agent to move.

        Raises:
            ValueError: if a board is unreachable or finished, or `seat` is not who is to move.
        """
        given = np.asarray(boards)
        if given.size == self.rules.cells:
            given = np.broadcast_to(given.reshape(-1), self.boards.shape)
        if given.shape[0] != len(self.boards):
            raise ValueError(f"{len(self.boards)} boards are wanted, not shape {given.shape}")
        checked = np.array([self.rules.check(board) for board in given])
        movers = self.rules.seat(checked)
        if seat is not None:
            _one_of("seat", seat, ("X", "O"))
            if (movers != ("X", "O").index(seat)).any():
                raise ValueError(f"seat {seat} is not to move on {self.rules.format(checked[0])}")
        self.boards[:] = checked
        self.seats[:] = movers
        self.over[:] = False

    def turn(self, actions: ArrayLike, rng: np.random.Generator) -> None:
        """Play the agents' cells (games,) and the opponent's replies; writes `rewards` and `over`.

        Rewards are the agent's: 1 for a win, -1 for a loss or an illegal move, else 0.

        Raises:
            ValueError: for actions of a wrong shape or type or off the board, and for taken cells
                if illegal moves raise; nothing has changed then.
        """
        cells = self._checked(actions)
        rules = self.rules
        alone = self.opponent is None
        kernels.place(
            self.boards,
            self.seats,
            cells,
            self.rewards,
            self.over,
            alone,
            rules.m,
            rules.n,
            rules.k,
        )
        if not alone:
            self._reply(np.flatnonzero(~self.over), rng)

    def keep(self, which: Mask) -> None:
        """Go on with the games marked in `which` (games,) alone."""
        self.boards, self.seats = self.boards[which], self.seats[which]
        self.over, self.rewards = self.over[which], self.rewards[which]

    def legal(self) -> Mask:
        """The cells the agents may play, (games, cells); none where the game is over."""
        mask: Mask = (self.boards == 0) & ~self.over[:, None]
        return mask

    def facing(self, game: int) -> Boards:
        """The board of one game (cells,) seen by the side to move, finished or not."""
        board: Boards = self.boards[game]
        return board if np.count_nonzero(board) % 2 == self.seats[game] else -board

    def _reply(self, waiting: NDArray[np.int64], rng: np.random.Generator) -> None:
        """The opponent's stones in the games numbered `waiting`."""
        if self.opponent is None or not len(waiting):
            return
        boards = -self.boards[waiting]
        probs = policies.validated(boards, self.opponent(boards.copy()))
        cells = policies.sample(probs, rng.random(len(waiting)))
        rules = self.rules
        kernels.reply(
            self.boards, waiting, cells, self.rewards, self.over, rules.m, rules.n, rules.k
        )

    def _checked(self, actions: ArrayLike) -> Cells:
        given = np.asarray(actions)
        if given.shape != self.over.shape or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(
                f"actions are {len(self.over)} whole numbers, not {given.dtype} of {given.shape}"
            )
        cells = given.astype(np.int64)
        off = np.flatnonzero((cells < 0) | (cells >= self.rules.cells))
        if off.size:
            raise ValueError(
                f"action {cells[off[0]]} of game {off[0]} is off the board: "
                f"0 to {self.rules.cells - 1}"
            )
        if self.illegal == "raise":
            game = kernels.first_taken(self.boards, cells)
            if game >= 0:
                shown = self.rules.format(self.boards[game])
                raise ValueError(f"action {cells[game]} of game {game} is taken on {shown}")
        return cells


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{what} is one of {', '.join(known)}, not {value!r}")
