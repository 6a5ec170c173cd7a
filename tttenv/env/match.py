"""Batches of games between an agent and an opponent, the core of both environments.

Boards are in the agent's view. Between steps the agent is to move, so its view is the mover's.
Without an opponent (self-play) the agent moves for both sides, and boards switch to the next
mover's view after each stone.
"""

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.env.arguments import Illegal, Seat, at_least_one_game
from tttenv.env.games import GameBatch, TableGames, new_games
from tttenv.env.single_game import SingleGame
from tttenv.env.step import attempt, checked_actions, restart, step
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.rewards import Payoffs
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import Player, Policy, player_for
from tttenv.utils.arrays import one_of


class Match:
    """A batch of games between an agent and an opponent, or in self-play.

    Args:
        rules: the game.
        games: the number of games.
        opponent: the opponent's policy, or None: the agent moves for both sides.
        seat: the agent's side in new games; "random" draws it for each game.
        illegal: "lose": playing an occupied cell loses; "raise": it raises and changes nothing.
        draw: the agent's reward for a draw, from -1 to 1.
        planes: observe one-hot planes; False: boards.

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
        planes: bool = True,
    ) -> None:
        one_of("seat", seat, get_args(Seat))
        one_of("illegal", illegal, get_args(Illegal))
        at_least_one_game(games)
        self.rules, self.seat, self.illegal = rules, seat, illegal
        self.payoffs = Payoffs(draw)
        self.games: GameBatch = new_games(rules, games, planes)
        self.opponent = opponent
        self.active = 0  # number of games in progress
        self.key: int | None = None  # of the last step, if it ended games against an opponent
        self.attempting = False  # inside an `attempt` block
        self.single: SingleGame | None = None
        if games == 1 and isinstance(self.games, TableGames):
            self.single = SingleGame(self.games)

    @property
    def over(self) -> Mask:
        """Mask (games,) of the finished games."""
        return self.games.over

    @property
    def outcomes(self) -> Outcomes:
        """Outcomes (games,) for the agent: values of `tttenv.Outcome`."""
        return self.games.outcomes

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

    @property
    def asks(self) -> bool:
        """Whether the opponent runs in Python, and so may raise in the middle of a step.

        False in self-play and against opponents that compiled code plays.
        """
        return self.compiled is None

    def reset(self, which: Mask, rng: np.random.Generator, seat: Seat | None = None) -> None:
        """Restart the games marked in `which` (games,); where the agent is O, the opponent starts.

        Raises:
            ValueError: for an unknown seat, and if the opponent forfeits as X on the empty board;
                nothing has changed then.
        """
        seat = self.seat if seat is None else seat
        one_of("seat", seat, get_args(Seat))
        with attempt(self, rng):
            key, self.key = self.key, None  # of the step that ended games
            if key is None or self._opponent is None:
                key = self.draw_key(rng)
            if self.single is not None and self.compiled is not None and which.item():
                self.single.reset(seat, self._opponent, key)
            elif self.compiled is None:
                restart(self, which, key, seat)
            else:
                self.games.restart(np.flatnonzero(which), key, self.compiled, seat)
            self.active = len(which) - int(np.count_nonzero(self.games.over))

    def set_boards(self, boards: Boards) -> None:
        """Continue from valid boards (games, cells), unchecked, with the agent to move."""
        self.games.set_boards(boards)
        self.active, self.key = len(self.over), None

    def step(self, actions: ArrayLike, rng: np.random.Generator) -> None:
        """Play the agents' cells (games,) and the opponent's replies; see `outcomes` and `over`.

        Raises:
            ValueError: for actions of the wrong shape or type or off the board, and for occupied
                cells if illegal moves raise. Nothing has changed then, nor if the opponent raises.
        """
        step(self, checked_actions(self, actions), self.games.outputs.take(), rng)

    def step_one(self, cell: int, rng: np.random.Generator) -> None:
        """Step a match of one game, without checks."""
        if self.single is None or self.compiled is None:
            step(self, np.array([cell]), self.games.outputs.take(), rng)
            return
        key = 0 if self._opponent is None else rng.bit_generator.random_raw()
        self.active = int(self.single.step(cell, self._opponent, key))
        self.key = None if self.active or self._opponent is None else key

    def sample(self, rng: np.random.Generator) -> Cells:
        """Sample a legal cell for every game (games,) from one key; 0 where the game is over."""
        if self.active == len(self.games.over):
            return self.games.sample(rng.bit_generator.random_raw())
        chances = rng.random((len(self.over), self.rules.cells))
        return np.asarray((chances * self.legal()).argmax(axis=1), np.int64)

    def sample_one(self, rng: np.random.Generator) -> int:
        """Sample a legal cell for a match of one game."""
        if self.single is not None:
            return self.single.sample(rng.random())
        return int(self.sample(rng)[0])

    def legal(self) -> Mask:
        """Return the legal cells, bool (games, cells); all False where the game is over."""
        mask: Mask = (self.boards == 0) & ~self.over[:, None]
        return mask

    def board_to_move(self, game: int) -> Boards:
        """Return a game's board (cells,) from the mover's perspective, even if the game is over."""
        return self.games.board_to_move(game)

    def draw_key(self, rng: np.random.Generator) -> int:
        """Return the generator's next raw output, up to 64 bits; 0 without drawing in self-play."""
        return 0 if self._opponent is None else rng.bit_generator.random_raw()
