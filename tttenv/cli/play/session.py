"""Games between two sides one after the other: stones, take-back, resigning, seats and score.

It prints and draws nothing: the terminal, the window and the tests all play through it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tttenv.game.rules import Rules
from tttenv.policy import Policy, sample, validated

SEATS = "XO"


@dataclass(frozen=True)
class Side:
    """Who plays: a person where there is no policy."""

    name: str
    policy: Policy | None = None
    prepare: Callable[[Any], object] | None = None  # called with the board before its moves


class Session:
    """Games of `first` against `second`, who swap seats from game to game.

    Args:
        rules: the game.
        first: takes `seat` in the first game; of the two, only this side may be a person.
        second: takes the other one.
        seat: 0 for X, 1 for O.
        seed: of the dice by which players choose among the moves they like.
    """

    def __init__(self, rules: Rules, first: Side, second: Side, seat: int, seed: int) -> None:
        self.rules, self.sides, self.seat = rules, (first, second), seat
        self.rng = np.random.default_rng(seed)
        self.played: list[str | None] = []  # who won the games before this one, by name
        self.cells: list[int] = []
        self.boards = [rules.start()]
        self.resigned = False

    @property
    def board(self) -> Any:
        """The board (cells,) as the side to move sees it."""
        return self.boards[-1]

    @property
    def mover(self) -> int:
        """Who is to move: 0 for X, 1 for O."""
        return len(self.cells) % 2

    @property
    def over(self) -> bool:
        """Whether this game has ended."""
        return self.resigned or bool(self.rules.over(self.board))

    @property
    def winner(self) -> int | None:
        """The seat that has won this game; None for a draw or while it goes on."""
        if self.resigned:
            return 1 - self.seat
        return 1 - self.mover if self.rules.lost(self.board) else None

    @property
    def outcome(self) -> str:
        """How the game ended: "X wins", "draw"; "X to play" while it goes on."""
        if not self.over:
            return f"{SEATS[self.mover]} to play"
        return "draw" if self.winner is None else f"{SEATS[self.winner]} wins"

    @property
    def score(self) -> tuple[int, int, int]:
        """Games won by the first side, drawn, and won by the second, this one included."""
        wins = [*self.played, *([self._champion()] if self.over else [])]
        return wins.count("first"), wins.count(None), wins.count("second")

    def side(self, seat: int) -> Side:
        """Who sits in `seat`."""
        return self.sides[seat != self.seat]

    def awaits_person(self) -> bool:
        """Whether it is a person's turn."""
        return not self.over and self.side(self.mover).policy is None

    def play(self, cell: int) -> None:
        """Put the mover's stone on `cell`.

        Raises:
            ValueError: if the game is over, or the cell is taken or off the board.
        """
        if self.over:
            raise ValueError(f"the game is over: {self.outcome}")
        self.boards.append(self.rules.play(self.board, cell))
        self.cells.append(cell)

    def move(self) -> int:
        """Let the mover, who is no person, play; returns its cell."""
        side, boards = self.side(self.mover), self.board[None].copy()
        assert side.policy is not None
        if side.prepare:
            side.prepare(boards[0].copy())
        probs = validated(boards, side.policy(boards.copy()))
        self.play(int(sample(probs, self.rng.random(1))[0]))
        return self.cells[-1]

    def take_back(self) -> int:
        """Undo a resignation, or the person's last stone and the answer to it.

        Returns:
            How many stones were taken back.

        Raises:
            ValueError: if the person has no stone on the board.
        """
        if self.resigned:
            self.resigned = False
            return 0
        own = [ply for ply in range(len(self.cells)) if ply % 2 == self.seat]
        if not own:
            raise ValueError("there is no stone of yours to take back")
        count = len(self.cells) - own[-1]
        del self.cells[own[-1] :], self.boards[own[-1] + 1 :]
        return count

    def resign(self) -> None:
        """The first side gives the game up.

        Raises:
            ValueError: if it is over.
        """
        if self.over:
            raise ValueError(f"the game is over: {self.outcome}")
        self.resigned = True

    def again(self) -> None:
        """Begin another game with the seats swapped; an unfinished one is dropped, not counted."""
        if self.over:
            self.played.append(self._champion())
        self.seat = 1 - self.seat
        self.cells, self.boards, self.resigned = [], [self.rules.start()], False

    def _champion(self) -> str | None:
        if self.winner is None:
            return None
        return "first" if self.winner == self.seat else "second"
