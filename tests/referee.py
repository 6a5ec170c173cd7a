"""A plain-Python referee for batches of games, to hold the environments against."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from reference import windows

Answer = tuple[list[int], float, bool]  # board in the agent's view, reward, over


class Referee:
    """Plays like the environments are documented to, one number at a time.

    `die` hands out the numbers in [0, 1); `opponent` maps a board seen by the side to move to
    move probabilities, or is None: the agent moves for both sides.
    """

    def __init__(
        self,
        rules: tuple[int, int, int],
        games: int,
        opponent: Callable[[list[int]], Sequence[float]] | None,
        seat: str,
        die: Callable[[], float],
    ) -> None:
        self.lines = windows(rules)
        self.opponent, self.seat, self.die = opponent, seat, die
        self.boards: list[list[int]] = [[0] * (rules[0] * rules[1]) for _ in range(games)]

    def deal(self, which: Sequence[int]) -> None:
        """Begin these games anew: first all seats, then all opening stones."""
        for i in which:
            self.boards[i] = [0] * len(self.boards[i])
        if self.opponent is None:
            return
        roll = self.seat == "random"
        seats = [("X" if self.die() < 0.5 else "O") if roll else self.seat for _ in which]
        for i, seat in zip(which, seats, strict=True):
            if seat == "O":
                self._answer(i)

    def step(self, cells: Sequence[int]) -> list[Answer]:
        """One cell a game, then the replies in the order of the games; new games after that."""
        answers = [self._place(i, cell) for i, cell in enumerate(cells)]
        if self.opponent is not None:
            for i, (_, _, over) in enumerate(answers):
                if not over:
                    answers[i] = self._answer(i)
        ended = [i for i, (_, _, over) in enumerate(answers) if over]
        self.deal(ended)
        return answers

    def _place(self, i: int, cell: int) -> Answer:
        board = self.boards[i]
        if board[cell] != 0:
            return list(board), -1.0, True
        board[cell] = 1
        won = self._line(board, 1)
        if self.opponent is None:
            self.boards[i] = board = [-stone for stone in board]
        return list(board), float(won), won or 0 not in board

    def _answer(self, i: int) -> Answer:
        board = self.boards[i]
        probs = self.opponent([-stone for stone in board])
        die, reached = self.die(), 0.0
        cell = -1
        while reached <= die:
            cell += 1
            reached += probs[cell]
        board[cell] = -1
        lost = self._line(board, -1)
        return list(board), -float(lost), lost or 0 not in board

    def _line(self, board: list[int], stone: int) -> bool:
        return any(all(board[cell] == stone for cell in line) for line in self.lines)


def plain(policy: Any) -> Callable[[list[int]], list[float]]:
    """A policy asked about one board of plain numbers, remembered."""
    known: dict[tuple[int, ...], list[float]] = {}

    def ask(board: list[int]) -> list[float]:
        key = tuple(board)
        if key not in known:
            known[key] = policy(np.array([board], np.int8))[0].tolist()
        return known[key]

    return ask
