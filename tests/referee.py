"""Plain-Python referee for batches of games, with which the environments are compared."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from reference import windows

REPLY, SEAT, OPENING = range(3)
Answer = tuple[list[int], float, bool]  # board in the agent's view, reward, over


def splitmix64(seed: int, number: int) -> int:
    """Return the output with this number, from 1, of splitmix64 (Steele, Lea and Flood, 2014)."""
    z = (seed + number * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def die(key: int, game: int, use: int) -> float:
    """Return the random number in [0, 1) of a step's key for one use in one game."""
    return (splitmix64(key, 3 * game + use + 1) >> 11) / 2**53


class Referee:
    """Referee that plays as the environments are documented to, one number at a time.

    `draw_key` hands out the generator's raw numbers, one a step; `opponent` maps a board seen by
    the side to move to move probabilities, or is None: the agent moves for both sides.
    """

    def __init__(
        self,
        rules: tuple[int, int, int],
        games: int,
        opponent: Callable[[list[int]], Sequence[float]] | None,
        seat: str,
        draw_key: Callable[[], int],
    ) -> None:
        self.lines = windows(rules)
        self.opponent, self.seat, self.draw_key = opponent, seat, draw_key
        self.boards: list[list[int]] = [[0] * (rules[0] * rules[1]) for _ in range(games)]

    def deal(self, which: Sequence[int], key: int | None = None) -> None:
        """Restart games, by a key of their own or that of the step which ended them."""
        for i in which:
            self.boards[i] = [0] * len(self.boards[i])
        if self.opponent is None:
            return
        key = self.draw_key() if key is None else key
        for i in which:
            drawn = "X" if die(key, i, SEAT) < 0.5 else "O"
            if (drawn if self.seat == "random" else self.seat) == "O":
                self._answer(i, die(key, i, OPENING))

    def step(self, cells: Sequence[int]) -> list[Answer]:
        """Play one cell per game, then the replies; restart games after that."""
        answers = [self._place(i, cell) for i, cell in enumerate(cells)]
        key = 0
        if self.opponent is not None:
            key = self.draw_key()
            for i, (_, _, over) in enumerate(answers):
                if not over:
                    answers[i] = self._answer(i, die(key, i, REPLY))
        self.deal([i for i, (_, _, over) in enumerate(answers) if over], key)
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

    def _answer(self, i: int, die: float) -> Answer:
        board = self.boards[i]
        probs = self.opponent([-stone for stone in board])
        reached = 0.0
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
    """Return a policy that is queried on one board of plain numbers, cached."""
    known: dict[tuple[int, ...], list[float]] = {}

    def ask(board: list[int]) -> list[float]:
        key = tuple(board)
        if key not in known:
            known[key] = policy(np.array([board], np.int8))[0].tolist()
        return known[key]

    return ask
