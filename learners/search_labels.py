"""Positions from games of quick searches, labelled with the values of longer searches.

The positions are like those in which an alpha-beta search asks for a value: no side has a move that
wins at once.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learners.nets import on_threads
from learners.parts import Rng
from learners.settings.patterns import PatternsConfig
from tttenv.game.line_patterns_kernel import VALUE, PatternTables
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells
from tttenv.parallel.tasks import Backend, Context, answers
from tttenv.players.search import alphabeta_kernel as kernel
from tttenv.players.search.alphabeta import HALF_WIN_SCORE, AlphaBeta, new_alphabeta
from tttenv.players.search.search_budget import Limits
from tttenv.players.search.threat_moves_kernel import can_make_double_threat

MEMORY = 4  # megabytes of a search's table
LINE_LOGITS = 1.28  # of the probability to win, for an open line with k - 2 stones (on 15,15,5)
NEARLY = 1e-3  # keeps the scores of decided values finite
DECIDED = 0.9  # values of searches beyond this are wins and losses
PER_GAME = 8  # positions taken from a game
LONGEST = 60  # moves of a game after its opening
MORE = 3  # maximum likely moves that lead from a position of a game to the one that is labelled
REMEMBERED = 2**14  # boards of which the last results are kept
LIKELY = 20  # moves considered likely, the first ones in the order of open lines
LESS_LIKELY = 0.8  # the factor from one probability to the next


class LabelledGame(NamedTuple):
    """Positions close to one game, with the values that searches found."""

    size: int  # the number of its board in the list of boards
    boards: list[Boards]  # (cells,), each seen by the side to move
    targets: NDArray[np.float32]  # (boards,): the probability that it wins; 0.5 is a draw


class SearchLabels:
    """Plays games and labels positions close to them, on all torch threads.

    The first of the `boards` is the game on the usual size, the others are on other sizes.
    """

    def __init__(self, config: PatternsConfig, boards: tuple[Rules, ...]) -> None:
        self.config, self.boards = config, boards
        self.tables: PatternTables | None = None
        self.searches = dict[tuple[int, int], BoardSearches]()  # by thread and size

    def use(self, tables: PatternTables | None) -> None:
        """Set the network that evaluates positions in searches for labels; None: open lines."""
        self.tables = tables
        self.searches.clear()

    def __call__(
        self, seeds: list[int], beside: Iterable[object], actors: Backend | None = None
    ) -> list[LabelledGame]:
        """Play and label a game for each seed while another thread iterates over `beside`.

        The number of threads or workers does not affect the results.

        Args:
            seeds: of the games.
            beside: iterated over in this process.
            actors: workers that play the games; None for this process.
        """
        games = dict[int, LabelledGame]()

        def work(worker: int, number: int | None) -> None:
            if number is None:
                for _ in beside:
                    if not tasks:  # stopped
                        break
            else:
                games[number] = self.game(worker, np.random.default_rng(seeds[number]))

        tasks: list[int | None] = [None]
        if actors is None:
            tasks += range(len(seeds))
            on_threads(work, tasks, len(seeds))
            return [games[number] for number in range(len(seeds))]
        about = bytes(ForkingPickler.dumps((self.config, self.boards, self.tables)))
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(answers, labelled, [(about, seed) for seed in seeds], actors)
            on_threads(work, tasks, 1)
        return [
            LabelledGame(
                size, [np.array(board, np.int8) for board in boards], np.array(targets, np.float32)
            )
            for size, boards, targets in found.result()
        ]

    def game(self, worker: int, rng: Rng) -> LabelledGame:
        """Play and label a game with the searches of a thread."""
        size = 0
        if len(self.boards) > 1 and rng.random() < self.config.smaller:
            size = int(rng.integers(1, len(self.boards)))
        if (worker, size) not in self.searches:
            rules = self.boards[size]
            self.searches[worker, size] = BoardSearches(self.config, rules, self.tables)
        searches = self.searches[worker, size]
        boards = searches.positions(rng)
        return LabelledGame(size, boards, searches.targets(boards))


@lru_cache(maxsize=1)
def _labels(about: bytes) -> SearchLabels:
    """Return a worker's searches for labels."""
    config, boards, tables = ForkingPickler.loads(about)
    labels = SearchLabels(config, boards)
    labels.use(tables)
    return labels


def labelled(part: tuple[bytes, int], _: Context) -> list[Any]:
    """Play and label the game of a seed, for `SearchLabels`."""
    about, seed = part
    size, boards, targets = _labels(about).game(0, np.random.default_rng(seed))
    return [size, [board.tolist() for board in boards], targets.tolist()]


def remembered(function: Callable[[Boards], Any]) -> Callable[[Boards], Any]:
    """Wrap a function of boards (cells,) to remember its results, as games repeat small boards."""
    found = lru_cache(REMEMBERED)(lambda board: function(np.frombuffer(board, np.int8).copy()))
    return lambda board: found(board.tobytes())


class BoardSearches:
    """The searches of one thread on boards of one size; without tables, open lines value them."""

    def __init__(self, config: PatternsConfig, rules: Rules, tables: PatternTables | None) -> None:
        self.config, self.rules, self.tables = config, rules, tables
        self.quick = self._search(config.play_nodes, None)  # the player of the games
        self.slow = self._search(config.nodes, tables)
        self.move = remembered(lambda board: int(self.quick(board[None])[0].argmax()))
        self.value = remembered(lambda board: self.slow.search(board).value)
        self.likely, self.is_quiet = remembered(self._likely_moves), remembered(self._is_quiet)

    def positions(self, rng: Rng) -> list[Boards]:
        """Play a game, and return boards (cells,) close to it that are not decided at once."""
        game = self._game(rng)
        found = []
        for at in rng.choice(len(game), min(len(game), PER_GAME), replace=False).tolist():
            board = game[at]
            for _ in range(int(rng.integers(0, MORE + 1))):
                if not self.rules.over(board):
                    board = self.rules.play(board, self._likely(rng, board))
            if self.is_quiet(board):
                found.append(board)
        return found

    def targets(self, boards: list[Boards]) -> NDArray[np.float32]:
        """Return the probabilities (rows,) that the side to move wins, by searches."""
        values = np.array([self.value(board) for board in boards])
        scores = HALF_WIN_SCORE * values / np.maximum(1 - np.abs(values), NEARLY)
        logits = scores * self._logits_per_score()
        likely = 0.5 + 0.5 * np.tanh(logits / 2)
        return np.where(np.abs(values) > DECIDED, values > 0, likely).astype(np.float32)

    def _search(self, nodes: int, tables: PatternTables | None) -> AlphaBeta:
        limits = Limits(None, nodes, None)
        return new_alphabeta(self.rules, limits, MEMORY, None, "first", None, tables)

    def _logits_per_score(self) -> float:
        if self.tables is not None:
            return 1 / VALUE
        # An open line without stones, as for two in a row, has the value 0.
        return LINE_LOGITS / max(1.0, float(self.quick.state.lines.line_value[self.rules.k - 2, 0]))

    def _game(self, rng: Rng) -> list[Boards]:
        """Return the boards (cells,) of a game of quick searches and some likely moves."""
        board, game = self._opening(rng), list[Boards]()
        while not self.rules.over(board) and len(game) < LONGEST:
            game.append(board)
            deviates = rng.random() < self.config.deviation
            move = self._likely(rng, board) if deviates else self.move(board)
            board = self.rules.play(board, move)
        return game

    def _opening(self, rng: Rng) -> Boards:
        """Return an undecided board with some stones around a random cell."""
        rules = self.rules
        rows, columns = np.divmod(np.arange(rules.cells), rules.n)
        while True:
            board, near = rules.start(), rng.integers(rules.cells)
            spread = rng.uniform(1, 2.5)
            distances = (rows - rows[near]) ** 2 + (columns - columns[near]) ** 2
            weights = np.exp(-distances / (2 * spread**2))
            for _ in range(int(rng.integers(0, self.config.opening + 1))):
                free = weights * (board == 0)
                if rules.over(board) or free.sum() == 0:
                    break
                board = rules.play(board, rng.choice(rules.cells, p=free / free.sum()))
            if not rules.over(board):
                return board

    def _likely(self, rng: Rng, board: Boards) -> int:
        """Sample a move, those on the best open lines with the highest probability."""
        order, chances = self.likely(board)
        return int(order[chances.searchsorted(rng.random(), side="right")])

    def _likely_moves(self, board: Boards) -> tuple[Cells, NDArray[np.float64]]:
        """Return the moves (moves,) on the best open lines, and their cumulative probabilities."""
        kernel.start(self.quick.state, board)
        scores = np.where(board == 0, self.quick.state.lines.move_score, -1)
        order: Cells = np.argsort(-scores, kind="stable")[: min(LIKELY, int((board == 0).sum()))]
        weights = LESS_LIKELY ** np.arange(len(order))
        chances = (weights / weights.sum()).cumsum()
        return order, chances / chances[-1]

    def _is_quiet(self, board: Boards) -> bool:
        """Return whether a search would evaluate a position instead of extending it."""
        rules, state = self.rules, self.quick.state
        if rules.over(board) or any(rules.winning_cells(board, s).any() for s in (1, -1)):
            return False
        kernel.start(state, board)
        return not (state.threats > 0 and can_make_double_threat(state.lines, 0, state.room))
