"""Sessions of games between two sides: moves, take-back, resignation, seats and score.

It does no input or output: the terminal, the window and the tests all play through it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tttenv.cli.play.position import Position
from tttenv.game.rules import Rules
from tttenv.policy import Player, ask, sample

SEATS = "XO"


def number_of(board: Any) -> int:
    """Return the number of the next stone on a board (cells,), counting from 1."""
    return int(np.count_nonzero(board)) + 1


@dataclass(frozen=True)
class Side:
    """A side in a session; it is a human if it has no policy."""

    name: str
    policy: Player | None = None
    prepare: Callable[[Any], object] | None = None  # called with the board before its moves


class Session:
    """Games of `first` against `second`, who swap seats after each game.

    Args:
        rules: the game.
        first: takes `seat` in the first game; only this side may be a human.
        second: takes the other seat.
        seat: 0 for X, 1 for O.
        seed: the seed for sampling the players' moves.
        position: the position from which each game starts; None for the empty board.
    """

    def __init__(
        self,
        rules: Rules,
        first: Side,
        second: Side,
        seat: int,
        seed: int,
        position: Position | None = None,
    ) -> None:
        self.rules, self.sides, self.seat = rules, (first, second), seat
        self.rng = np.random.default_rng(seed)
        self.played: list[str | None] = []  # the winners of earlier games, by name
        self.position = position or Position([rules.start()], [])
        self.boards, self.cells = self.position.copy()
        self.resigned = False  # the first side has
        self.forfeited = False  # the side to move has no legal answer

    @property
    def board(self) -> Any:
        """The board (cells,) from the perspective of the side to move."""
        return self.boards[-1]

    @property
    def mover(self) -> int:
        """The side to move: 0 for X, 1 for O."""
        return int(self.rules.seat(self.board))

    @property
    def over(self) -> bool:
        """Whether the current game has ended."""
        return self.resigned or self.forfeited or bool(self.rules.over(self.board))

    @property
    def winner(self) -> int | None:
        """The seat that won the current game, or None for a draw or an unfinished game."""
        if self.resigned:
            return 1 - self.seat
        return 1 - self.mover if self.forfeited or self.rules.lost(self.board) else None

    @property
    def outcome(self) -> str:
        """The result, such as "X wins" or "draw", or "X to play" during the game."""
        if not self.over:
            return f"{SEATS[self.mover]} to play"
        return "draw" if self.winner is None else f"{SEATS[self.winner]} wins"

    @property
    def score(self) -> tuple[int, int, int]:
        """Numbers of games won by the first side, drawn, and won by the second side, so far."""
        wins = [*self.played, *([self._champion()] if self.over else [])]
        return wins.count("first"), wins.count(None), wins.count("second")

    def side(self, seat: int) -> Side:
        """Return the side that plays `seat`."""
        return self.sides[seat != self.seat]

    def awaits_person(self) -> bool:
        """Return whether a human is to move."""
        return not self.over and self.side(self.mover).policy is None

    def play(self, cell: int) -> None:
        """Put a stone of the side to move on `cell`.

        Raises:
            ValueError: if the game is over, or the cell is occupied or off the board.
        """
        if self.over:
            raise ValueError(f"the game is over: {self.outcome}")
        self.boards.append(self.rules.play(self.board, cell))
        self.cells.append(cell)

    def move(self) -> int | None:
        """Play a move of the side to move; return its cell, or None if its policy forfeits."""
        side, boards = self.side(self.mover), self.board[None].copy()
        assert side.policy is not None
        if side.prepare:
            side.prepare(boards[0].copy())
        probs = ask(boards, side.policy)
        if not probs.any():
            self.forfeited = True
            return None
        self.play(int(sample(probs, self.rng.random(1))[0]))
        return self.cells[-1]

    def plies(self, seat: int) -> list[int]:
        """Return the indices in `cells` of the moves made by a seat."""
        return [ply for ply in range(len(self.cells)) if self.rules.seat(self.boards[ply]) == seat]

    def takes_back(self) -> bool:
        """Return whether the human can take back a stone or a resignation."""
        return self.resigned or bool(self.plies(self.seat))

    def take_back(self) -> int:
        """Undo a resignation, or the human's last stone and the reply to it.

        Returns:
            The number of stones removed.

        Raises:
            ValueError: if the human has no stone on the board.
        """
        if self.resigned:
            self.resigned = False
            return 0
        if not self.takes_back():
            raise ValueError("there is no stone of yours to take back")
        own = self.plies(self.seat)
        count = len(self.cells) - own[-1]
        self.forfeited = False
        del self.cells[own[-1] :], self.boards[own[-1] + 1 :]
        return count

    def resign(self) -> None:
        """Resign the game for the first side.

        Raises:
            ValueError: if the game is over.
        """
        if self.over:
            raise ValueError(f"the game is over: {self.outcome}")
        self.resigned = True

    def again(self) -> None:
        """Start another game from the same position, with seats swapped.

        An unfinished game does not count.
        """
        if self.over:
            self.played.append(self._champion())
        self.seat = 1 - self.seat
        self.boards, self.cells = self.position.copy()
        self.resigned = self.forfeited = False

    def _champion(self) -> str | None:
        if self.winner is None:
            return None
        return "first" if self.winner == self.seat else "second"
