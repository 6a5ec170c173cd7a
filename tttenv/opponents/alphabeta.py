"""Alpha-beta as a player: exact where it can search to the end, guided by open lines beyond."""

from typing import Literal

import numpy as np

from tttenv.game import symmetry
from tttenv.game.rules import Rules
from tttenv.kernels import alphabeta as frames
from tttenv.kernels.rules import completing
from tttenv.kernels.transposition import ENTRY
from tttenv.kernels.types import Boards, Probs
from tttenv.opponents.deepening import Deepening, Limits
from tttenv.opponents.found import Found, at_least, not_both, spread

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
            return Found(spread(moves, board.size), 1.0 if wins else -1.0, 1)
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
