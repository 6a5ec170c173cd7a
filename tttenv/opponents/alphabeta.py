"""Alpha-beta as a player: exact where it can search to the end, guided by open lines beyond."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Literal

import numpy as np

from tttenv.game import symmetry
from tttenv.game.rules import Rules
from tttenv.kernels import alphabeta as frames
from tttenv.kernels.alphabeta import NO_LIMIT, PROVEN, WIN, Search, advance, begin
from tttenv.kernels.rules import completing
from tttenv.kernels.transposition import ENTRY
from tttenv.kernels.types import Boards, Probs
from tttenv.opponents.search_result import Found, at_least, not_both, uniform_on

SLICE = 20_000  # positions between two looks at the clock, and at Ctrl-C
AT_ONCE = 20  # with so few empty cells it searches to the end after a foretaste
FORETASTE = 4  # plies
GUESS = 1000.0  # the open-line score that counts as half a win
BELIEVED = 0.999  # a win or loss that the width of the search leaves unproven


@dataclass(frozen=True)
class Limits:
    """When to stop; None for no limit."""

    depth: int | None  # plies
    nodes: int | None  # positions
    time: float | None  # seconds


class LimitError(Exception):
    """A limit ends the search in the middle of a depth."""


class Deepening:
    """One search from one board, on which nobody wins at once and at most one threat stands.

    Args:
        search: made ready for the board.
        limits: when to stop.
        classes: the moves to choose from: the first of each class of equal moves, and the class.
        first: whether of equally good moves only the first, row by row, is wanted.
    """

    def __init__(
        self, search: Search, limits: Limits, classes: dict[int, list[int]], first: bool
    ) -> None:
        self.room, self.limits, self.classes, self.first = search, limits, classes, first
        self.empty = search.board.size - search.stones
        self.nodes = 0
        self.deadline = None if limits.time is None else monotonic() + limits.time

    def run(self) -> Found:
        """Search deeper and deeper, until a limit or all is known."""
        order = sorted(self.classes, key=lambda cell: (-self.room.lines.pull[cell], cell))
        order = order[: self.room.width]
        best, score = order[:1], 0
        try:
            for depth in self._depths():
                best, score = self._search(order, depth)
                order.sort(key=lambda cell: cell not in best)
                if abs(score) > PROVEN and WIN - abs(score) - self.room.stones <= depth:
                    break  # nothing quicker was out of sight
        except LimitError:
            pass
        moves = best[:1] if self.first else [c for cell in best for c in self.classes[cell]]
        return Found(uniform_on(moves, self.room.board.size), self._value(score), self.nodes)

    def _depths(self) -> Iterator[int]:
        """One more ply at a time, but no longer where going to the end costs less than that."""
        last = min(self.limits.depth or self.empty, self.empty)
        steps = range(1, last)
        if last == self.empty:
            steps = range(1, FORETASTE + 1 if self.empty <= AT_ONCE else self.empty // 2)
        return iter([*steps[: last - 1], last])

    def _search(self, order: list[int], depth: int) -> tuple[list[int], int]:
        """The best of the moves at this depth and their score."""
        best: list[int] = []
        score = -NO_LIMIT
        for cell in order:
            # One less than the best so far still tells a tie from a worse move.
            ties = not self.first or not best or cell < best[0]
            found = self._score(cell, score - 1 if best and ties else score, depth)
            if found > score:
                best, score = [cell], found
            elif found == score and ties:
                best = [cell] if self.first else best + [cell]
        return best, score

    def _score(self, cell: int, alpha: int, depth: int) -> int:
        """The score of a move; if no higher than alpha, a bound of it."""
        self._check()
        self.nodes += 1
        begin(self.room, cell, alpha, NO_LIMIT, depth - 1)
        while self.room.ply[0] > 0:
            self._check()
            left = SLICE if self.limits.nodes is None else self.limits.nodes - self.nodes
            self.nodes += advance(self.room, min(SLICE, left))
        return -int(self.room.frames[1]["best"])

    def _check(self) -> None:
        spent = self.limits.nodes is not None and self.nodes >= self.limits.nodes
        if spent or (self.deadline is not None and monotonic() >= self.deadline):
            raise LimitError

    def _value(self, score: int) -> float:
        """A score as a value from -1 to 1."""
        if abs(score) > PROVEN:
            sure = 1.0 if self.room.width >= self.empty else BELIEVED
            return sure if score > 0 else -sure
        return score / (abs(score) + GUESS)


NODES = 200_000  # positions a move where nothing else is limited
SMALL = 36  # cells of the largest board on which every move is tried
WIDTH = 20  # moves tried at each position of larger ones


class AlphaBeta:
    """The player that `alphabeta` makes; `search` says what it finds."""

    def __init__(self, rules: Rules, limits: Limits, memory: int, width: int, first: bool) -> None:
        self.rules, self.limits, self.first = rules, limits, first
        self.impure = "time" if limits.time is not None else None
        self.maps = symmetry.maps(rules)
        entries = min(memory * 2**20 // ENTRY.itemsize, 3 ** min(rules.cells, 30))
        if limits.nodes is not None:
            entries = min(entries, 4 * limits.nodes)
        shape = (rules.m, rules.n, rules.k)
        self.room = frames.search(shape, rules.lines, self.maps, entries, width)

    def __call__(self, boards: Boards) -> Probs:
        """Move probabilities (batch, cells) for boards (batch, cells)."""
        probs = [self.search(board).probs for board in boards]
        return np.array(probs, np.float64).reshape(boards.shape)

    def search(self, board: Boards) -> Found:
        """What it finds out about one undecided board (cells,).

        Raises:
            ValueError: for a board that is finished or cannot be reached.
        """
        board = self.rules.check(board)
        wins, blocks = (self._completing(board, side) for side in (1, -1))
        if wins or len(blocks) > 1:
            moves = (wins or blocks)[: 1 if self.first else None]
            return Found(uniform_on(moves, board.size), 1.0 if wins else -1.0, 1)
        self.room = frames.ready(self.room, board)
        return Deepening(self.room, self.limits, self._classes(board, blocks), self.first).run()

    def _completing(self, board: Boards, side: int) -> list[int]:
        """The cells where `side` wins at once."""
        rules = self.rules
        return np.flatnonzero(completing(board[None], side, rules.m, rules.n, rules.k)).tolist()

    def _classes(self, board: Boards, blocks: list[int]) -> dict[int, list[int]]:
        """The moves to choose from, those that the board's own symmetry makes alike together."""
        own = self.maps[(board[self.maps] == board).all(axis=1)]
        first = own.min(axis=0)
        cells = blocks or np.flatnonzero(board == 0).tolist()
        return {cell: np.unique(own[:, cell]).tolist() for cell in cells if first[cell] == cell}


def alphabeta(
    rules: Rules,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    memory: int = 64,
    width: int | None = None,
    ties: Literal["uniform", "first"] = "uniform",
) -> AlphaBeta:
    """Iterative deepening alpha-beta with an open-line heuristic beyond its depth.

    It is exact, its wins the fastest and its losses the slowest, where it can search to the end:
    with no options on boards up to 4 by 4. Otherwise it plays the best move of the last depth it
    finished. Limits work together; without any it looks at 200,000 positions.

    Args:
        rules: the game.
        depth: plies to look ahead; answers to a threat are not counted.
        nodes: positions to look at in a move.
        time: seconds to think about a move; the player is then impure and cannot be certified.
        memory: megabytes that the transposition table may take.
        width: moves to try at each position, those on the best open lines first; all on boards
            up to 36 cells, 20 on larger ones, if left out.
        ties: among equally good moves, "uniform" mixes evenly, "first" takes the first row by row.

    Raises:
        ValueError: for limits that make no sense.
    """
    at_least(1, depth=depth, nodes=nodes, memory=memory, width=width)
    at_least(0.001, time=time)
    not_both(nodes=nodes, time=time)
    if depth is None and nodes is None and time is None:
        nodes = NODES
    if width is None:
        width = rules.cells if rules.cells <= SMALL else WIDTH
    try:
        return AlphaBeta(rules, Limits(depth, nodes, time), memory, width, ties == "first")
    except MemoryError:
        raise ValueError(f"there is no room for memory={memory} megabytes") from None
